/** All games that this browser keeps. */

import { notify } from "../control/app.js";
import { deleteFile, listFiles, loadFile, saveFile } from "../control/files.js";
import { importText, openToAnalyse } from "../control/import.js";
import { deleteGame, hold, listGames, loadGame } from "../control/library.js";
import { begin } from "../control/play.js";
import { copyToAnalyse } from "../model/game.js";
import { writePgn } from "../text/pgn.js";
import { pgnOf } from "../text/treepgn.js";
import { button, iconButton } from "../ui/controls.js";
import { download, fill, h } from "../ui/dom.js";
import { resultText } from "./moves.js";

/** @import { FileEntry } from "../control/files.js" */
/** @import { Entry } from "../control/library.js" */
/** @param {App} app */
export function gamesPage(app) {
  const list = h("ul", { class: "games" });
  let drawn = "";
  const draw = () => {
    if (app.store.state.view !== "games") return;
    const all = listGames();
    save.disabled = !all.length;
    search.hidden = all.length < 2;
    const wanted = search.value.trim().toLowerCase();
    const games = all.filter((entry) => describe(entry).toLowerCase().includes(wanted));
    const text = JSON.stringify([games, wanted]);
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
            all.length
              ? "No game has these words."
              : "No games yet. Games that you play, analyse or watch are kept here, in this browser.",
          ),
    );
    // The keyboard stays where it was.
    if (at)
      /** @type {HTMLElement | null} */ (
        list.querySelector(`[data-key="${CSS.escape(at)}"]`) ?? list.querySelector("button")
      )?.focus();
  };
  const save = button("download", "Export all", () => exportAll(app));
  const search = h("input", {
    type: "search",
    class: "search",
    placeholder: "Search games",
    "aria-label": "Search games",
    oninput: () => draw(),
  });
  app.store.on(["view", "kept"], draw);
  draw();
  return h(
    "div",
    { class: "page" },
    h("h1", null, "Games"),
    h(
      "div",
      { class: "row wrap" },
      button("bring", "Import games", () => app.store.set({ dialog: "bring" })),
      save,
      search,
    ),
    filesList(app),
    list,
  );
}

/** Imported files of several games. @param {App} app */
function filesList(app) {
  const list = h("ul", { class: "games" });
  const box = h("section", { hidden: true }, h("h2", null, "Files"), list);
  const draw = async () => {
    if (app.store.state.view !== "games") return;
    const files = await listFiles().catch(() => []);
    box.hidden = !files.length;
    fill(
      list,
      files.map((file) => {
        const when = new Date(file.added).toLocaleDateString(undefined, { dateStyle: "medium" });
        const open = h(
          "button",
          { class: "open", onclick: () => openFile(app, file) },
          h("b", null, file.name),
          h("span", { class: "muted" }, `${file.games} games · ${when}`),
        );
        const remove = iconButton("trash", `Delete ${file.name}`, async () => {
          const text = await loadFile(file.id);
          await deleteFile(file.id);
          await draw();
          const run = () => text && saveFile(file.name, text, file.games).then(draw);
          notify(app, "Deleted.", "note", { label: "Undo", run });
        });
        return h("li", null, open, remove);
      }),
    );
  };
  app.store.on(["view", "kept"], draw);
  draw();
  return box;
}

/** Offers the games of a kept file. @param {App} app @param {FileEntry} file */
async function openFile(app, file) {
  const text = await loadFile(file.id);
  if (!text) return notify(app, "The file can no longer be read.", "fault");
  app.store.set({ dialog: "bring" });
  await importText(app, text, file.name);
}

/** All kept games as one PGN file. @param {App} app */
function exportAll(app) {
  const games = listGames().flatMap(({ id }) => loadGame(id) ?? []);
  const text = games.map((game) => writePgn(pgnOf(game, app.numbers))).join("\n");
  download("petard-games.pgn", new Blob([text], { type: "application/x-chess-pgn" }));
}

/** What a game is found by. @param {Entry} entry */
function describe(entry) {
  return `${entry.white} ${entry.black} ${KINDS[entry.mode] ?? ""} ${entry.board} ${entry.result}`;
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
