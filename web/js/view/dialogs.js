/** Dialogs: bring, share, settings, keys. */

import { pngBlob, svgText } from "../board/export.js";
import { notify, shownGame } from "../control/app.js";
import { damageOf, importText, joinTexts, openChapter } from "../control/import.js";
import { KEYS } from "../control/keys.js";
import { changeSettings } from "../control/library.js";
import { importProof } from "../control/proofs.js";
import { isCertificate } from "../model/certificate.js";
import { movesTo } from "../model/tree.js";
import { decode, excess } from "../text/import.js";
import { pack, wholeLink, writeLink } from "../text/link.js";
import { MAX_TEXT, writePgn } from "../text/pgn.js";
import { pgnOf } from "../text/treepgn.js";
import { button, checkbox, choice, iconButton, number } from "../ui/controls.js";
import { download, fill, h } from "../ui/dom.js";
import { chapterName } from "./chapters.js";
import { movesText } from "./moves.js";
import { boardField } from "./setup.js";
import { shownFen } from "./stage.js";

/** @import { Board } from "../board/board.js" */

const KINDS = /** @type {const} */ ({
  bring: ["Import a game or position", bringBody],
  share: ["Share or save", shareBody],
  settings: ["Settings", settingsBody],
  keys: ["Keys", keyTable],
});

/** @param {App} app @param {Board} board */
export function dialogs(app, board) {
  const { store } = app;
  const title = h("h2", { id: "dialog-title" });
  const body = h("div", { class: "dialog-body" });
  const close = () => dialog.close();
  const dialog = h(
    "dialog",
    { "aria-labelledby": "dialog-title" },
    h("div", { class: "dialog-head" }, title, iconButton("close", "Close", close)),
    body,
  );
  dialog.addEventListener("close", () => store.set({ dialog: null, offered: [] }));
  // A selection that begins inside may end outside.
  let pressed = /** @type {EventTarget | null} */ (null);
  dialog.addEventListener("pointerdown", (event) => (pressed = event.target));
  dialog.addEventListener(
    "click",
    (event) => event.target === dialog && pressed === dialog && close(),
  );
  const draw = () => {
    const name = store.state.dialog;
    if (!name) return dialog.open ? dialog.close() : undefined;
    const [text, make] = KINDS[name];
    title.textContent = text;
    fill(body, make(app, board));
    if (!dialog.open) dialog.showModal();
  };
  store.on(["dialog"], draw);
  return dialog;
}

/**
 * Games, positions, and proofs of boards.
 * @param {App} app @param {File[]} files
 */
async function importFiles(app, files) {
  /** @type {[string, string][]} */
  const texts = [];
  /** @type {string[]} */
  const said = [];
  for (const file of files) {
    const start = new Uint8Array(await file.slice(0, 100).arrayBuffer());
    const isProof = isCertificate(start);
    const error = isProof
      ? await importProof(app, new Uint8Array(await file.arrayBuffer()))
      : excess(file.size);
    if (error) said.push(files.length > 1 ? `${file.name}: ${error}` : error);
    else if (!isProof) texts.push([file.name, decode(await file.arrayBuffer())]);
  }
  const names = texts.map(([name]) => name).join(", ");
  const text = texts.length > 1 ? joinTexts(app, texts, said) : (texts[0]?.[1] ?? "");
  const isRead = text || texts.length === 1;
  return isRead ? importText(app, text, names, said) : said.join(" ");
}

/**
 * Files that are dropped anywhere on the page are imported.
 * @param {App} app
 */
export function takeDrops(app) {
  const hasFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => hasFile(event) && event.preventDefault());
  document.addEventListener("drop", async (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    const error = await importFiles(app, files);
    if (error) notify(app, error, "error");
    // Of several games, one is chosen there.
    else if (app.store.state.offered.length) app.store.set({ dialog: "bring" });
  });
}

/** Games of a list that are looked at before they are opened. */
const MAX_CHECKED = 500;

/** @param {App} app */
function bringBody(app) {
  const { store } = app;
  const text = h("textarea", {
    class: "bring",
    rows: 8,
    maxlength: MAX_TEXT,
    spellcheck: "false",
    "aria-label": "Text of a game or position",
    placeholder: "A FEN, a PGN, moves such as 1. a2-a3 b7xa6,\nor a link such as board#8,a2b3b7b6",
  });
  const report = h("p", { class: "error", role: "alert" });
  const offered = h("ul", { class: "games" });
  const file = h("input", {
    type: "file",
    multiple: true,
    class: "hidden",
    accept: ".pgn,.txt,.fen,.epd,.proof,text/plain",
    tabindex: -1,
    "aria-hidden": "true",
  });
  /** Reads what was given last. @type {(() => Promise<string | null>) | null} */
  let read = null;
  const take = async (/** @type {() => Promise<string | null>} */ work) => {
    read = work;
    report.textContent = "";
    report.textContent = (await work()) ?? "";
  };
  const tooLong = (/** @type {number} */ size) => (report.textContent = excess(size));
  text.addEventListener("paste", (event) => {
    // A text of many megabytes would freeze the field itself.
    if (tooLong(event.clipboardData?.getData("text").length ?? 0)) event.preventDefault();
  });
  file.addEventListener("change", async () => {
    const chosen = [...(file.files ?? [])];
    // The same file can be chosen again.
    file.value = "";
    if (!chosen.length) return;
    // A long one would freeze the field.
    const isShown = chosen.length === 1 && chosen[0].size < 20_000;
    const shown = isShown ? decode(await chosen[0].arrayBuffer()) : "";
    text.value = shown.includes("\0") ? "" : shown;
    await take(() => importFiles(app, chosen));
  });
  const go = button(
    "bring",
    "Import",
    () => take((!text.value && read) || (() => importText(app, text.value))),
    "primary",
  );
  const drawOffered = () => {
    go.disabled = store.state.busy;
    const games = store.state.offered;
    offered.hidden = !games.length;
    fill(
      offered,
      games.map((game, index) => {
        const damage = index < MAX_CHECKED ? damageOf(game) : "";
        const open = h(
          "button",
          {
            class: "open",
            onclick: async () =>
              (report.textContent = (await openChapter(app, games, index)) ?? ""),
          },
          h("b", null, chapterName(game, index)),
          h("span", { class: "muted" }, movesText(game.line.length)),
          damage && h("span", { class: "error" }, `Damaged: ${damage}`),
        );
        return h("li", null, open, h("span", { class: "outcome" }, game.result));
      }),
    );
  };
  const waits = h("p", { class: "about", role: "status" });
  const drawWaits = () => {
    const isWaiting = store.state.busy && store.state.link.status === "lost";
    waits.hidden = !isWaiting;
    waits.textContent = isWaiting
      ? "The engine, which checks the moves, cannot be reached. The import goes on once it can."
      : "";
  };
  let { board } = store.state.settings;
  const leave = store.on(["offered", "busy", "dialog", "link", "settings"], () => {
    if (store.state.dialog !== "bring") return leave();
    // Games that are offered may belong to the board that is chosen now.
    const isOther = board !== store.state.settings.board;
    board = store.state.settings.board;
    if (isOther && read && store.state.offered.length) take(read);
    drawOffered();
    drawWaits();
  });
  drawOffered();
  drawWaits();
  return [
    h(
      "p",
      { class: "about" },
      "FEN, PGN with variations and comments, Little Golem’s text, trmph links and " +
        "links to this page. Moves without a position are played on the board chosen " +
        "here. A file can also be the proof of a board, such as 6x6.proof.",
    ),
    boardField(app, false),
    text,
    report,
    waits,
    h(
      "div",
      { class: "row" },
      go,
      button(null, "Open a file", () => file.click()),
      file,
    ),
    offered,
  ];
}

/** @param {App} app @param {Board} board */
function shareBody(app, board) {
  const game = shownGame(app);
  const fen = shownFen(app);
  if (!fen) return [h("p", null, "There is no game to share here.")];
  const name = `petard-${new Date(game?.created ?? Date.now()).toISOString().slice(0, 10)}`;
  const file = (
    /** @type {string} */ label,
    /** @type {string} */ kind,
    /** @type {() => BlobPart | Promise<Blob>} */ make,
    type = "",
  ) =>
    button("download", label, async () =>
      download(`${name}.${kind}`, new Blob([await make()], { type })),
    );
  const pictures = [
    file("Picture, SVG", "svg", () => svgText(board.root), "image/svg+xml"),
    file("Picture, PNG", "png", () => pngBlob(board.root), "image/png"),
  ];
  const position = copyField(app, "Position (FEN)", fen);
  if (!game) return [position, h("div", { class: "row wrap" }, pictures)];
  const pgn = writePgn(pgnOf(game, app.numbers));
  const { tree, at } = game;
  const hash = writeLink("analyse", tree.variant, tree.nodes[0].fen, movesTo(tree, at));
  const page = hostedPage() ?? location.href.split("#")[0];
  const wholeGame = h("div");
  pack(pgn).then((packed) =>
    fill(wholeGame, copyField(app, "Link to the whole game", page + wholeLink(packed))),
  );
  return [
    position,
    copyField(app, "Link to this position", page + hash),
    wholeGame,
    h("p", { class: "about" }, whoCanOpen(page)),
    copyField(app, "Game (PGN)", pgn, 6),
    h(
      "div",
      { class: "row wrap" },
      file("PGN", "pgn", () => pgn, "application/x-chess-pgn"),
      pictures,
    ),
  ];
}

/** The address under which others can open this page, where the host has named one. */
function hostedPage() {
  const named = document.querySelector('meta[name="petard-address"]')?.getAttribute("content");
  return named || null;
}

/** @param {string} page */
function whoCanOpen(page) {
  const { hostname, protocol } = new URL(page);
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname) || protocol === "file:";
  return isLocal
    ? "These links open on this computer only, while petard serve runs. To share a game with " +
        "others, send them its PGN."
    : "Anyone can open these links. The game is in the address itself and is not stored anywhere.";
}

/** @param {App} app @param {string} label @param {string} value @param {number} [rows] */
function copyField(app, label, value, rows) {
  const field = rows
    ? h("textarea", { rows, readonly: true, "aria-label": label, value })
    : h("input", { type: "text", readonly: true, "aria-label": label, value });
  field.addEventListener("focus", () => field.select());
  const copy = iconButton("copy", `Copy: ${label}`, async () => {
    try {
      await navigator.clipboard.writeText(value);
      notify(app, "Copied.");
    } catch {
      field.focus();
      notify(app, "Press Ctrl+C to copy.");
    }
  });
  return h(
    "div",
    { class: "copy" },
    h("span", { class: "label" }, label),
    h("div", { class: "row top" }, field, copy),
  );
}

const SWITCHES = /** @type {const} */ ([
  ["coordinates", "Coordinates"],
  ["targets", "Show legal moves"],
  ["motion", "Animate moves"],
  ["sound", "Sound"],
]);

/** @param {App} app */
function settingsBody(app) {
  const { settings } = app.store.state;
  const { options, name } = app.engine;
  /** @param {string} option @param {number} fallback */
  const most = (option, fallback) => options.get(option)?.max ?? fallback;
  return [
    choice(
      "Colours",
      [
        ["auto", "System"],
        ["light", "Light"],
        ["dark", "Dark"],
      ],
      settings.theme,
      (theme) => changeSettings(app, { theme }),
    ),
    ...SWITCHES.map(([key, label]) =>
      checkbox(label, settings[key], (on) => changeSettings(app, { [key]: on })),
    ),
    h(
      "div",
      { class: "pair" },
      number("Threads", { value: settings.threads, min: 1, max: most("Threads", 512) }, (value) =>
        changeSettings(app, { threads: value }),
      ),
      number(
        "Memory",
        { value: settings.hash, min: 1, max: most("Hash", 4096), unit: "MB" },
        (value) => changeSettings(app, { hash: value }),
      ),
    ),
    h(
      "p",
      { class: "about" },
      `${name || "The engine"} uses these for analysis and for play at full strength.`,
    ),
  ];
}

/** The keys of the page. */
export function keyTable() {
  return h(
    "table",
    { class: "keys" },
    h(
      "tbody",
      null,
      KEYS.map(([names, text]) =>
        h(
          "tr",
          null,
          h(
            "td",
            null,
            names.map((name) => h("kbd", null, name)),
          ),
          h("td", null, text),
        ),
      ),
    ),
  );
}
