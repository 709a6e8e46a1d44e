/** Mistakes, asked again. */

import { shownGame } from "../control/app.js";
import {
  askedNode,
  back,
  badMoves,
  giveUp,
  goOn,
  practise,
  solution,
  tryAgain,
} from "../control/practice.js";
import { nodeOf } from "../model/tree.js";
import { button } from "../ui/controls.js";
import { fill, h, showWithBoard } from "../ui/dom.js";

/** @param {App} app */
export function practiceCard(app) {
  const { store } = app;
  const told = h("div", { class: "told" });
  const again = button("undo", "Try again", () => tryAgain(app), "primary");
  const show = button("hint", "Show", () => giveUp(app), "quiet");
  const next = button("forward", "Next", () => goOn(app), "primary");
  const home = button("back", "Back to the position", () => back(app), "primary");
  const end = button("close", "End", () => store.set({ practice: null, preview: null }), "quiet");
  const card = h(
    "section",
    { class: "card practice-card", "aria-label": "Learn from mistakes" },
    told,
    h("div", { class: "row wrap" }, home, again, next, show, end),
  );
  let drawn = "";
  const draw = () => {
    const { practice } = store.state;
    const game = shownGame(app);
    const node = askedNode(app);
    card.hidden = !practice || !node;
    if (!practice || !node || !game) return;
    const { status, at, nodes, move, reply, found } = practice;
    const here = game.at === node.id;
    const done = status === "right" || status === "shown";
    const last = at + 1 === nodes.length;
    const side = practice.white ? "White" : "Black";
    home.hidden = here || done;
    again.hidden = !here || status !== "wrong" || !reply;
    next.hidden = !done;
    show.hidden = done || !here;
    fill(/** @type {Element} */ (next.lastElementChild), last ? "Done" : "Next");
    const asked = `${practice.game} ${at} ${status === "ask"}`;
    if (asked !== drawn && status === "ask") queueMicrotask(() => showWithBoard(card));
    drawn = asked;
    const words = {
      ask: `${nodeOf(game.tree, nodes[at]).move} was a mistake. Find a better move for ${side}.`,
      checking: `Looking at ${move}…`,
      wrong: `${move} is not the best move${reply ? `: ${reply} answers it` : ""}. Try again.`,
      right:
        move === solution(app)
          ? `${move} is the best move.`
          : `${move} is good. The best move was ${solution(app)}.`,
      shown: `The best move was ${solution(app)}.`,
    };
    fill(
      told,
      h("b", null, `Mistake ${at + 1} of ${nodes.length}`),
      h("span", null, words[status]),
      done &&
        last &&
        h("span", { class: "muted" }, `${found} of ${nodes.length} on the first try.`),
    );
  };
  store.on(["practice", "rev", "view", "games"], draw);
  draw();
  return card;
}

/** Buttons that start it, for each side that has mistakes. @param {App} app */
export function practiceButtons(app) {
  const game = shownGame(app);
  const sides = game ? [true, false].filter((white) => badMoves(app, game, white).length) : [];
  return sides.map((white) =>
    button(
      "target",
      `Learn from ${white ? "White" : "Black"}’s mistakes`,
      () => practise(app, white),
      "quiet",
    ),
  );
}
