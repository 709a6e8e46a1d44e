/** The chapters of a study, and the games of an imported file, one after the other. */

import { notify } from "../control/app.js";
import {
  addChapter,
  chapterTitle,
  deleteChapter,
  inOrder,
  makeStudy,
  moveChapter,
  openStudyChapter,
  renameChapter,
  shownChapters,
} from "../control/chapters.js";
import { openChapter } from "../control/import.js";
import { loadGame } from "../control/library.js";
import { writePgn } from "../text/pgn.js";
import { pgnOf } from "../text/treepgn.js";
import { iconButton } from "../ui/controls.js";
import { download, fill, h } from "../ui/dom.js";
import { openMenu } from "./menu.js";

/** @import { FileGame } from "../control/files.js" */
/** @import { Entry } from "../control/library.js" */
/** @import { PgnGame } from "../text/pgn.js" */

/** @param {PgnGame} game @param {number} index */
export function chapterName({ headers }, index) {
  const players = `${headers.White ?? "White"} – ${headers.Black ?? "Black"}`;
  return `${index + 1}. ${(headers.ChapterName || players).slice(0, 100)}`;
}

/**
 * Games as one PGN file, with the chapters of a study in their order.
 * @param {App} app @param {Entry[]} entries @param {FileGame[]} [inFiles] of imported files
 * @param {string} [name] of the file
 */
export function exportGames(app, entries, inFiles = [], name = "petard-games") {
  // What is shown may have been changed a moment ago.
  const shown = Object.values(app.store.state.games);
  const games = inOrder(entries).flatMap(
    ({ id }) => shown.find((game) => game?.id === id) ?? loadGame(id) ?? [],
  );
  const read = [
    ...games.map((game) => pgnOf(game, app.numbers)),
    ...inFiles.map(({ games: all, at }) => all[at]),
  ];
  const text = read.map(writePgn).join("\n");
  download(`${name}.pgn`, new Blob([text], { type: "application/x-chess-pgn" }));
}

/** The chapters of the study that the analysis belongs to. @param {App} app */
export function studyCard(app) {
  const { store } = app;
  const pick = h("select", {
    "aria-label": "Chapter",
    onchange: () => openStudyChapter(app, pick.value),
  });
  const add = iconButton("plus", "New chapter", () => addChapter(app));
  const more = iconButton("more", "Change the chapter", () => undefined);
  more.addEventListener("click", (event) => {
    const { id, study } = store.state.games.analyse;
    const chapters = shownChapters(app);
    const at = chapters.findIndex((entry) => entry.id === id);
    openMenu(
      event,
      "Chapter",
      [
        ["Rename", () => rename(chapterTitle(chapters[at], at))],
        ["Move up", at > 0 ? () => moveChapter(app, -1) : null],
        ["Move down", at + 1 < chapters.length ? () => moveChapter(app, 1) : null],
        ["Delete", () => deleteChapter(app)],
        ["Export the study", () => exportGames(app, chapters, [], study)],
      ],
      more,
    );
  });
  const name = h("input", { type: "text", maxlength: 200, "aria-label": "Name of the chapter" });
  const save = h("button", { class: "button primary", type: "submit" }, "Save");
  const form = h("form", { class: "row", hidden: true }, name, save);
  const rename = (/** @type {string} */ title) => {
    name.value = title;
    show(true);
    name.select();
  };
  const show = (/** @type {boolean} */ isNamed) => {
    form.hidden = !isNamed;
    pick.hidden = add.hidden = more.hidden = isNamed;
    if (isNamed) return;
    draw();
    more.focus({ preventScroll: true });
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await renameChapter(app, name.value);
    show(false);
  });
  form.addEventListener("keydown", (event) => event.key === "Escape" && show(false));
  const card = h("div", { class: "row study" }, pick, add, more, form);
  let drawn = "";
  const draw = () => {
    const { analyse } = store.state.games;
    card.hidden = !analyse.study;
    // What is typed is the name of the chapter that was shown.
    if (!form.hidden && drawn !== analyse.id) show(false);
    drawn = analyse.id;
    if (card.hidden) return;
    const all = shownChapters(app);
    // Games of one tournament differ by their players.
    const players = (/** @type {Entry} */ { id, name, white, black }) =>
      (white || black) && all.some((other) => other.id !== id && other.name === name)
        ? `, ${white || "White"} – ${black || "Black"}`
        : "";
    fill(
      pick,
      all.map((entry, index) =>
        h(
          "option",
          { value: entry.id },
          `${analyse.study}: ${chapterTitle(entry, index)}${players(entry)}`,
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
  const study = iconButton("edit", "Make a study of this file, to change its chapters", () =>
    makeStudy(app),
  );
  const card = h("div", { class: "row chapters" }, before, pick, after, study);
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
