/** The games of an imported file, one after the other. */

import { notify } from "../control/app.js";
import { openChapter } from "../control/import.js";
import { iconButton } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";

/** @import { PgnGame } from "../text/pgn.js" */

/** @param {PgnGame} game @param {number} index */
export function chapterName({ headers }, index) {
  return `${index + 1}. ${`${headers.White ?? "White"} – ${headers.Black ?? "Black"}`.slice(0, 100)}`;
}

/** @param {App} app */
export function chapterCard(app) {
  const { store } = app;
  const open = async (/** @type {number} */ at) => {
    const { collection } = store.state;
    const fault = collection?.games[at] && (await openChapter(app, collection.games, at));
    if (fault) notify(app, fault, "fault");
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
