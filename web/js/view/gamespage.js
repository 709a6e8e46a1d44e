/** Games and studies that this browser keeps: to find, name, file, open, export and delete. */

import { thumbnail } from "../board/thumbnail.js";
import { notify } from "../control/app.js";
import { inOrder } from "../control/chapters.js";
import {
  deleteFile,
  gamesInFiles,
  listFiles,
  loadFile,
  plain,
  saveFile,
} from "../control/files.js";
import { openChapter, openCollection, openToAnalyse } from "../control/import.js";
import {
  analysisOf,
  changeGame,
  deleteGames,
  entryOf,
  hold,
  listGames,
  loadGame,
} from "../control/library.js";
import { begin } from "../control/play.js";
import { copyToAnalyse, withName } from "../model/game.js";
import { parseFen } from "../rules/picture.js";
import { readSome } from "../text/import.js";
import { button, iconButton, toggle } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { chapterName, exportGames } from "./chapters.js";
import { movesText, resultText } from "./moves.js";

/** @import { FileEntry, FileGame } from "../control/files.js" */
/** @import { Entry } from "../control/library.js" */
/** @import { PgnGame } from "../text/pgn.js" */

/** Games that are shown at once. */
const PAGE = 50;

/** @param {App} app */
export function gamesPage(app) {
  const list = h("ul", { class: "games" });
  /** @type {Set<string>} */
  const chosen = new Set();
  /** Studies and tags that the list is limited to. @type {Set<string>} */
  const filters = new Set();
  let editing = "";
  let count = PAGE;
  let drawn = "";
  /** The games of imported files, once they are searched. @type {FileGame[]} */
  let inFiles = [];
  /** Whether they have been read, or are being read. */
  let areRead = false;
  /** Whether any are kept. */
  let hasFiles = false;
  const look = async () => {
    areRead = false;
    if (app.store.state.view !== "games") return;
    hasFiles = (await listFiles().catch(() => [])).length > 0;
    draw();
    await readFiles();
  };
  /** Once, when something is searched for. */
  const readFiles = async () => {
    if (areRead || !search.value.trim()) return;
    areRead = true;
    inFiles = await gamesInFiles(app.store.state.settings.board);
    draw();
  };
  const draw = () => {
    if (app.store.state.view !== "games") return;
    const kept = listGames();
    const ids = new Set(kept.map(({ id }) => id));
    // A game and its analysis are one entry.
    const all = kept.filter(({ source }) => !source || !ids.has(source));
    const analysed = new Set(kept.flatMap(({ source }) => source ?? []));
    save.disabled = !all.length && !hasFiles;
    search.hidden = all.length < 2 && !hasFiles && !search.value;
    const labels = [...new Set(all.flatMap(labelsOf))].sort();
    for (const label of filters) if (!labels.includes(label)) filters.delete(label);
    const words = plain(search.value.trim()).split(/\s+/);
    // Of a study the chapters stand in their order.
    const isStudy = [...filters].some((label) => label.startsWith("Study: "));
    const found = (isStudy ? inOrder(all) : all).filter((entry) => {
      const text = plain(describe(entry));
      const own = labelsOf(entry);
      return (
        words.every((word) => text.includes(word)) && [...filters].every((one) => own.includes(one))
      );
    });
    const others = search.value.trim() && !filters.size ? inFiles : [];
    const more = others.filter(({ text }) => words.every((word) => text.includes(word)));
    // What is hidden is not chosen: it would be deleted unseen.
    for (const id of chosen) if (!found.some((entry) => entry.id === id)) chosen.delete(id);
    const text = JSON.stringify([
      ...[found, words, labels, [...chosen], [...filters], [...analysed], editing, count],
      more.map(({ file, at }) => [file.id, at]),
    ]);
    if (text === drawn) return;
    drawn = text;
    const at = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.key;
    fill(
      tags,
      labels.map((label) => {
        const one = toggle(null, label, () => {
          if (!filters.delete(label)) filters.add(label);
          draw();
        });
        one.setAttribute("aria-pressed", String(filters.has(label)));
        return one;
      }),
    );
    tags.hidden = !labels.length;
    drawMany();
    const rows = found
      .slice(0, count)
      .map((entry) =>
        entry.id === editing
          ? editForm(app, entry, close)
          : row(app, entry, { chosen, draw, edit, isAnalysed: analysed.has(entry.id) }),
      );
    const space = Math.max(0, count - found.length);
    rows.push(...more.slice(0, space).map((one) => fileRow(app, one)));
    const hidden = found.length + more.length - rows.length;
    if (hidden)
      rows.push(
        h(
          "li",
          { class: "more" },
          button(null, `Show more (${hidden})`, () => {
            count += PAGE;
            draw();
          }),
        ),
      );
    fill(
      list,
      rows.length
        ? rows
        : h(
            "li",
            { class: "empty" },
            all.length
              ? "No games match."
              : "No games yet. Games that you play, analyse or watch are kept here, in this browser.",
          ),
    );
    // The keyboard stays where it was.
    if (at)
      /** @type {HTMLElement | null} */ (
        list.querySelector(`[data-key="${CSS.escape(at)}"]`) ?? list.querySelector("button")
      )?.focus();
  };
  const edit = (/** @type {string} */ id) => {
    editing = id;
    draw();
    list.querySelector("input")?.focus();
  };
  const close = () => {
    editing = "";
    draw();
  };
  const save = button("download", "Export all", async () =>
    exportGames(app, listGames(), await gamesInFiles(app.store.state.settings.board)),
  );
  const search = h("input", {
    type: "search",
    class: "search",
    placeholder: "Search games",
    "aria-label": "Search games",
    oninput: () => {
      draw();
      readFiles();
    },
  });
  const tags = h("div", {
    class: "row wrap tags",
    role: "group",
    "aria-label": "Studies and tags",
  });
  const many = h("div", {
    class: "row wrap many-bar",
    role: "group",
    "aria-label": "Chosen games",
  });
  const drawMany = () => {
    many.hidden = !chosen.size;
    const games = () => listGames().filter(({ id }) => chosen.has(id));
    fill(
      many,
      h("b", null, `${chosen.size} chosen`),
      button("download", "Export", () => exportGames(app, games())),
      button("trash", "Delete", () => {
        const undo = deleteGames(app, [...chosen]);
        notify(app, `${chosen.size} deleted.`, "note", { label: "Undo", run: undo });
        chosen.clear();
        draw();
      }),
      button(null, "Choose none", () => {
        chosen.clear();
        draw();
      }),
    );
  };
  app.store.on(["view", "kept"], draw);
  app.store.on(["view", "kept"], look);
  draw();
  look();
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
    tags,
    many,
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

/** What was read of each file, so that it is opened where it was left. @type {Map<string, PgnGame[]>} */
const opened = new Map();

/** @param {App} app @param {FileEntry} file */
async function openFile(app, file) {
  const { board } = app.store.state.settings;
  const key = `${file.id} ${board}`;
  const text = opened.has(key) ? "" : await loadFile(file.id);
  if (text === undefined) return notify(app, "The file can no longer be read.", "error");
  const games = opened.get(key) ?? readSome(text, board).games;
  opened.set(key, games);
  await openCollection(app, games, file.name);
}

/** A game of an imported file. @param {App} app @param {FileGame} found */
function fileRow(app, { file, games, at }) {
  const game = games[at];
  const open = async () => {
    const error = await openChapter(app, games, at, file.name);
    if (error) notify(app, error, "error");
  };
  return h(
    "li",
    null,
    h(
      "button",
      { class: "open", onclick: open },
      h("b", null, chapterName(game, at)),
      h("span", { class: "muted" }, `${file.name} · ${movesText(game.line.length)}`),
    ),
    h("span", { class: "outcome" }, game.result === "*" ? "" : resultText(game.result)),
  );
}

/** What a game is filed under. @param {Entry} entry @returns {string[]} */
function labelsOf({ study, tags }) {
  return [...(study ? [`Study: ${study}`] : []), ...(tags ?? [])];
}

/** How a game ended, as its player sees it. @param {Entry} entry */
function outcomeOf({ mode, result, person }) {
  if (result === "*") return mode === "play" ? "unfinished" : "";
  if (!person || !/^[01]-[01]$/.test(result)) return resultText(result);
  return (result === "1-0") === (person === "white") ? "You won" : "You lost";
}

/** Who played. @param {Entry} entry */
function playersOf({ white, black, person }) {
  if (!white && !black) return "";
  const name = (/** @type {"white" | "black"} */ side, /** @type {string} */ given) =>
    person === side
      ? "You"
      : (given !== "Player" && given) || (side === "white" ? "White" : "Black");
  return `${name("white", white)} – ${name("black", black)}`;
}

/** What a game is called. @param {Entry} entry */
function titleOf(entry) {
  return entry.name || playersOf(entry) || "Analysis";
}

/** @param {Entry} entry */
function dateOf({ changed }) {
  return new Date(changed).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** What a game is found by. @param {Entry} entry */
function describe(entry) {
  const { white, black, mode, board, result } = entry;
  const words = [titleOf(entry), white, black, KINDS[mode], board, result, outcomeOf(entry)];
  return [...words, dateOf(entry), ...labelsOf(entry)].join(" ");
}

const KINDS = { play: "Played", analyse: "Analysed", watch: "Watched" };

/**
 * @param {App} app @param {Entry} entry
 * @param {{chosen: Set<string>, draw: () => void, edit: (id: string) => void, isAnalysed: boolean}}
 *   how
 */
function row(app, entry, { chosen, draw, edit, isAnalysed }) {
  const title = titleOf(entry);
  const players = entry.name && playersOf(entry) ? `${playersOf(entry)} · ` : "";
  const kind = `${KINDS[entry.mode] ?? ""}${isAnalysed ? " and analysed" : ""}`;
  const open = h(
    "button",
    { class: "open", "data-key": `open-${entry.id}`, onclick: () => openEntry(app, entry) },
    h("b", null, title),
    h(
      "span",
      { class: "muted" },
      `${players}${kind} · ${entry.board} · ${movesText(entry.plies)} · ${dateOf(entry)}`,
    ),
    labelsOf(entry).length > 0 &&
      h(
        "span",
        { class: "labels" },
        labelsOf(entry).map((label) => h("span", { class: "label" }, label)),
      ),
  );
  const pick = h("input", {
    type: "checkbox",
    "aria-label": `Choose ${title}`,
    checked: chosen.has(entry.id),
    "data-key": `choose-${entry.id}`,
    onchange: () => {
      if (pick.checked) chosen.add(entry.id);
      else chosen.delete(entry.id);
      draw();
    },
  });
  const change = iconButton("edit", `Name and tags of ${title}`, () => edit(entry.id));
  const remove = iconButton("trash", `Delete ${title}`, () => {
    notify(app, "Deleted.", "note", { label: "Undo", run: deleteGames(app, [entry.id]) });
  });
  change.dataset.key = `edit-${entry.id}`;
  remove.dataset.key = `delete-${entry.id}`;
  const outcome = outcomeOf(entry);
  return h(
    "li",
    null,
    pick,
    picture(entry),
    open,
    h("span", { class: `outcome${outcome === "You won" ? " good" : ""}` }, outcome),
    change,
    remove,
  );
}

/** The game's last position. @param {Entry} entry */
function picture({ id, fen, variant, flipped }) {
  // Version 0.2 did not keep it in the list.
  const game = fen ? null : loadGame(id);
  const last = fen ?? (game && entryOf(game).fen);
  if (!last) return null;
  return h(
    "span",
    { class: "small-board" },
    thumbnail(parseFen(last, variant ?? game?.tree.variant), flipped ?? game?.flipped),
  );
}

/**
 * What a game is called and filed under, to be changed.
 * @param {App} app @param {Entry} entry @param {() => void} close
 */
function editForm(app, entry, close) {
  const field = (/** @type {string} */ label, /** @type {string} */ value, about = "") => {
    const input = h("input", { type: "text", value, maxlength: 200, placeholder: about });
    return { input, box: h("label", { class: "field" }, h("span", null, label), input) };
  };
  const name = field("Name", entry.name ?? "", titleOf({ ...entry, name: "" }));
  const tags = field("Tags", (entry.tags ?? []).join(", "), "openings, club");
  const study = field("Chapter of the study", entry.study ?? "", "none");
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const words = tags.input.value.split(",").map((tag) => tag.trim());
    const done = await changeGame(app, entry.id, (game) => {
      game.headers = withName(game, name.input.value);
      game.tags = [...new Set(words)].filter((tag) => tag);
      game.study = study.input.value.trim() || undefined;
    });
    if (!done) notify(app, "Another tab has this game open.", "error");
    close();
  };
  return h(
    "li",
    { class: "edit" },
    h(
      "form",
      { onsubmit: save },
      name.box,
      tags.box,
      study.box,
      h(
        "div",
        { class: "row" },
        h("button", { class: "button primary", type: "submit" }, "Save"),
        h("button", { class: "button", type: "button", onclick: close }, "Cancel"),
      ),
    ),
  );
}

/** @param {App} app @param {Entry} entry */
async function openEntry(app, entry) {
  const game = loadGame(entry.id);
  if (!game) return notify(app, "The game can no longer be read.", "error");
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
  } else openToAnalyse(app, game.mode === "analyse" ? (mine ?? game) : await analysisOf(game));
}
