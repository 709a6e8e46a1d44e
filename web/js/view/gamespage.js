/** All games that this browser keeps. */

import { notify } from "../control/app.js";
import { openToAnalyse } from "../control/bring.js";
import { deleteGame, hold, listGames, loadGame } from "../control/library.js";
import { begin } from "../control/play.js";
import { copyToAnalyse } from "../model/game.js";
import { button, iconButton } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { resultText } from "./moves.js";

/** @import { Entry } from "../control/library.js" */
/** @param {App} app */
export function gamesPage(app) {
  const list = h("ul", { class: "games" });
  let drawn = "";
  const draw = () => {
    if (app.store.state.view !== "games") return;
    const games = listGames();
    const text = JSON.stringify(games);
    if (text === drawn) return;
    drawn = text;
    const at = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.key;
    fill(
      list,
      games.length
        ? games.map((entry) => row(app, entry))
        : h(
            "li",
            { class: "empty" },
            "No games yet. Games that you play, analyse or watch are kept here, in this browser.",
          ),
    );
    // The keyboard stays where it was.
    if (at)
      /** @type {HTMLElement | null} */ (
        list.querySelector(`[data-key="${CSS.escape(at)}"]`) ?? list.querySelector("button")
      )?.focus();
  };
  app.store.on(["view", "kept"], draw);
  draw();
  return h(
    "div",
    { class: "page" },
    h("h1", null, "Games"),
    h(
      "div",
      { class: "row wrap" },
      button("bring", "Import a game", () => app.store.set({ dialog: "bring" })),
    ),
    list,
  );
}

const KINDS = { play: "Played", analyse: "Analysed", watch: "Watched" };

/** @param {App} app @param {Entry} entry */
function row(app, entry) {
  const names =
    entry.white || entry.black
      ? `${entry.white || "White"} – ${entry.black || "Black"}`
      : "Analysis";
  const going = entry.mode === "play" && entry.result === "*";
  const when = new Date(entry.changed).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  const open = h(
    "button",
    { class: "open", "data-key": `open-${entry.id}`, onclick: () => openEntry(app, entry) },
    h("b", null, names),
    h(
      "span",
      { class: "muted" },
      `${KINDS[entry.mode] ?? ""} · ${entry.board} · ${entry.plies} plies · ${when}`,
    ),
  );
  const remove = iconButton("trash", `Delete ${names}`, () => {
    notify(app, "Deleted.", "note", { label: "Undo", run: deleteGame(app, entry.id) });
  });
  remove.dataset.key = `delete-${entry.id}`;
  return h(
    "li",
    null,
    open,
    h(
      "span",
      { class: "outcome" },
      going ? "unfinished" : entry.result === "*" ? "" : resultText(entry.result),
    ),
    remove,
  );
}

/** @param {App} app @param {Entry} entry */
async function openEntry(app, entry) {
  const game = loadGame(entry.id);
  if (!game) return notify(app, "The game can no longer be read.", "fault");
  const { games } = app.store.state;
  const mine = [games.play, games.analyse, games.watch].find((one) => one?.id === game.id);
  const free = mine || (await hold(entry.id));
  if (!free) {
    openToAnalyse(app, copyToAnalyse(game));
    return notify(app, "Another tab has this game open, so this is a copy of it.");
  }
  if (game.mode === "play" && game.result === "*") {
    if (!mine) begin(app, game);
    app.store.set({ view: "play" });
  } else if (game.mode === "analyse") openToAnalyse(app, mine ?? game);
  else openToAnalyse(app, copyToAnalyse(game));
}
