/** The games of an imported file, one after the other. */

import { notify } from "../control/app.js";
import { openChapter, openToAnalyse } from "../control/import.js";
import { entryOf, hold, listGames, loadGame } from "../control/library.js";
import { createGame } from "../model/game.js";
import { iconButton } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";

/** @import { PgnGame } from "../text/pgn.js" */

/** @param {PgnGame} game @param {number} index */
export function chapterName({ headers }, index) {
  return `${index + 1}. ${`${headers.White ?? "White"} – ${headers.Black ?? "Black"}`.slice(0, 100)}`;
}

/** The chapters of the study that the analysis belongs to. @param {App} app */
export function studyCard(app) {
  const { store } = app;
  const chapters = () => {
    const { study } = store.state.games.analyse;
    return listGames()
      .filter((entry) => study && entry.study === study)
      .sort((a, b) => (a.created ?? 0) - (b.created ?? 0) || (a.id < b.id ? -1 : 1));
  };
  const open = async (/** @type {string} */ id) => {
    const game = (await hold(id)) ? loadGame(id) : null;
    if (game) openToAnalyse(app, game);
    else notify(app, "Another tab has this chapter open.", "error");
  };
  const pick = h("select", { "aria-label": "Chapter", onchange: () => open(pick.value) });
  const add = iconButton("plus", "New chapter", () => {
    const { study, tree } = store.state.games.analyse;
    const game = createGame("analyse", tree.variant, tree.nodes[0].fen);
    const number = chapters().length + 1;
    openToAnalyse(app, { ...game, study, headers: { Event: `Chapter ${number}` } });
  });
  const card = h("div", { class: "row study" }, pick, add);
  const draw = () => {
    const { analyse } = store.state.games;
    card.hidden = !analyse.study;
    if (card.hidden) return;
    const kept = chapters();
    const others = kept.some(({ id }) => id === analyse.id) ? [] : [entryOf(analyse)];
    fill(
      pick,
      [...kept, ...others].map((entry, index) =>
        h(
          "option",
          { value: entry.id },
          `${analyse.study}: ${entry.name || `Chapter ${index + 1}`}`,
        ),
      ),
    );
    pick.value = analyse.id;
  };
  store.on(["games", "kept"], draw);
  draw();
  return card;
}

/** @param {App} app */
export function chapterCard(app) {
  const { store } = app;
  const open = async (/** @type {number} */ at) => {
    const { collection } = store.state;
    const error = collection?.games[at] && (await openChapter(app, collection.games, at));
    if (error) notify(app, error, "error");
  };
  const pick = h("select", {
    "aria-label": "Game of the file",
    onchange: () => open(Number(pick.value)),
  });
  const before = iconButton("back", "Previous game", () =>
    open((store.state.collection?.at ?? 0) - 1),
  );
  const after = iconButton("forward", "Next game", () =>
    open((store.state.collection?.at ?? 0) + 1),
  );
  const card = h("div", { class: "row chapters" }, before, pick, after);
  /** @type {PgnGame[] | null} */
  let listed = null;
  const draw = () => {
    const { collection, games } = store.state;
    card.hidden = !collection?.opened.includes(games.analyse);
    if (!collection || card.hidden) return;
    if (collection.games !== listed)
      fill(
        pick,
        collection.games.map((game, index) =>
          h("option", { value: index }, chapterName(game, index)),
        ),
      );
    listed = collection.games;
    pick.value = String(collection.at);
    before.disabled = collection.at === 0;
    after.disabled = collection.at === collection.games.length - 1;
  };
  store.on(["collection", "games"], draw);
  draw();
  return card;
}
