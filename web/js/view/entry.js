/** Moves by typing: `a2b3`, `a2-b3`, `pass`. */

import { loadFacts, shownGame } from "../control/app.js";
import { personToMove } from "../control/play.js";
import { normalMove } from "../rules/squares.js";
import { h } from "../ui/dom.js";
import { makeMoveHere } from "./stage.js";

/** @param {App} app */
export function moveEntry(app) {
  const field = h("input", {
    type: "text",
    class: "entry",
    placeholder: "Type a move: b2b3",
    "aria-label": "Type a move, such as b2b3",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    maxlength: 12,
  });
  const enter = async () => {
    const text = field.value.trim();
    if (!text) return;
    const game = shownGame(app);
    const at = game?.at;
    // What is typed at once comes before the engine has said which moves there are.
    if (game && (app.store.state.view !== "play" || personToMove(game)))
      await loadFacts(app, game, game.at);
    if (shownGame(app) !== game || game?.at !== at) return;
    if (makeMoveHere(app, normalMove(text) ?? text)) field.value = "";
    // What is typed next takes its place.
    else field.select();
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") enter();
    if (event.key === "Escape") field.blur();
  });
  return field;
}
