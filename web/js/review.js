/**
 * The review alone, for files without an engine: all that is shown was found out before.
 * `scripts/analyse.py --html` puts this module, what it imports, and what it shows into one file.
 */

import { goTo, markChanged, shownGame, shownNode } from "./control/app.js";
import { listenToKeys } from "./control/keys.js";
import { changeSettings, readSettings } from "./control/library.js";
import { createGame } from "./model/game.js";
import { lineFrom } from "./model/tree.js";
import { whiteToMove } from "./rules/picture.js";
import { createState } from "./state.js";
import { readPgn } from "./text/pgn.js";
import { gameOf } from "./text/treepgn.js";
import { iconButton, toggle } from "./ui/controls.js";
import { fill, h, tableHead } from "./ui/dom.js";
import { logo } from "./ui/icons.js";
import { keepTheme, notices, themeButton } from "./view/frame.js";
import { linesView } from "./view/lines.js";
import { moveList } from "./view/moves.js";
import { reviewCard } from "./view/reviewcard.js";
import { stage } from "./view/stage.js";

/** @import { Node } from "../types/game" */
/** @import { Info } from "./engine/parse.js" */
/** @import { Numbers, Seen, Verdict } from "./model/judge.js" */
/** @import { Reason } from "./engine/questions.js" */
/** @import { Winner } from "./rules/ending.js" */
/** @typedef {Info & {proven?: "won" | "lost"}} RecordedLine zeros are left out; `proven` without a distance */
/** @typedef {Verdict & {white: boolean, weight: number}} RecordedVerdict */
/**
 * @typedef {object} Found by one engine
 * @property {string} engine
 * @property {{best: string | null, lines: RecordedLine[]}[]} places the last positions of the item; of a
 *   game, all
 * @property {RecordedVerdict[]} verdicts on the moves of a game
 * @property {string} note
 */
/**
 * @typedef {object} Item a game, or a position with the moves that lead to it
 * @property {string} title
 * @property {string} pgn
 * @property {boolean} isGame
 * @property {{winner: Winner, reason: Reason | null} | null} end by the rules
 * @property {string} reason why a game ended
 * @property {Found[]} found
 */
/**
 * @typedef {object} Table
 * @property {string} title
 * @property {string[]} head
 * @property {(string | number)[][]} rows
 * @property {boolean} opens whether a row leads to the item of the same number
 */
/** @typedef {{numbers: Numbers, items: Item[], tables: Table[], about: string}} Review */

/** The analysed positions of a game: those at its end. @param {Game} game @param {Found} found */
function placesOf(game, found) {
  const line = lineFrom(game.tree);
  const from = line.length - found.places.length;
  return found.places.map((place, index) => ({ place, node: line[from + index] }));
}

/** @param {Node} node @param {RecordedLine[]} lines */
function noteLines(node, [main]) {
  if (!main?.score) return;
  node.opinion = { score: main.score };
  if (!main.proven) return;
  const white = whiteToMove(node.fen) === (main.proven === "won");
  const move = main.proven === "won" ? main.pv[0] : null;
  node.proof = { winner: white ? "white" : "black", move };
}

/** @param {Item} item @param {Found} found @returns {Game} */
export function recordedGame(item, found) {
  const [read] = readPgn(item.pgn);
  const { game } = read ? gameOf(read) : { game: createGame("analyse", "breakthrough", "") };
  const line = lineFrom(game.tree);
  const last = line[line.length - 1];
  /** @type {Record<number, Seen>} */
  const seen = {};
  game.reason = item.reason;
  if (item.end) Object.assign(last, item.end);
  for (const node of game.tree.nodes)
    node.legal = node.children.flatMap((id) => game.tree.nodes[id].move ?? []);
  for (const { place, node } of placesOf(game, found)) {
    const main = place.lines[0];
    noteLines(node, place.lines);
    if (main?.score) seen[node.id] = { score: main.score, best: place.best };
    const moves = place.lines.flatMap(({ pv }) => pv.slice(0, 1));
    node.legal = [...new Set([...(node.legal ?? []), ...moves])];
  }
  if (found.verdicts.length) game.review = seen;
  if (item.isGame)
    game.verdicts = new Map(
      found.verdicts.map((verdict, index) => [line[index + 1]?.id ?? -1, verdict]),
    );
  if (!item.isGame) game.at = last.id;
  return game;
}

/** Keeps the lines in step with the position. @param {App} app @param {() => Found} found */
function keepLines(app, found) {
  const draw = () => {
    const game = shownGame(app);
    const node = shownNode(app);
    if (!game || !node) return;
    const key = `${game.id} ${node.id}`;
    if (app.store.state.analysis?.key === key) return;
    const there = placesOf(game, found()).find((one) => one.node === node);
    app.store.set({ analysis: { key, fen: node.fen, lines: there?.place.lines ?? [] } });
  };
  app.store.on(["rev", "games"], draw);
  draw();
}

/** @param {string} label @param {string[]} names @param {(index: number) => void} choose */
function picker(label, names, choose) {
  const options = names.map((name, index) => h("option", { value: index }, name));
  const pick = h(
    "select",
    { "aria-label": label, onchange: () => choose(Number(pick.value)) },
    options,
  );
  return pick;
}

/** @param {Table} table @param {(item: number) => void} open */
function tableCard({ title, head, rows, opens }, open) {
  const body = h("tbody");
  const count = h("span", { class: "muted" });
  const field = h("input", {
    type: "text",
    placeholder: "Filter",
    "aria-label": `Filter: ${title}`,
    oninput: () => draw(),
  });
  const cellOf = (/** @type {string | number} */ cell) =>
    h("td", { class: typeof cell === "number" ? "figure" : "" }, cell);
  const draw = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    const found = rows.flatMap((row, index) => {
      const text = row.join(" ").toLowerCase();
      if (!words.every((word) => text.includes(word))) return [];
      const [first, ...rest] = row;
      const begin = opens
        ? h("td", null, h("button", { class: "link", onclick: () => open(index) }, first))
        : cellOf(first);
      return h("tr", null, begin, rest.map(cellOf));
    });
    fill(body, found);
    count.textContent = `${found.length} of ${rows.length}`;
  };
  draw();
  return h(
    "details",
    { class: "card fold recorded-table", open: true },
    h("summary", null, title),
    opens && h("div", { class: "row" }, field, count),
    h("div", { class: "wide-table" }, h("table", null, tableHead(head), body)),
  );
}

/**
 * @param {App} app @param {Review} review
 * @returns {{side: HTMLElement, open: (item: number) => void}}
 */
function panel(app, { items }) {
  const { store } = app;
  let item = 0;
  let engine = 0;
  const found = () => items[item].found[engine] ?? items[item].found[0];
  const note = h("p", { class: "about" });
  const show = (at = /** @type {number | null} */ (null)) => {
    const game = recordedGame(items[item], found());
    if (at !== null) game.at = at;
    game.flipped = store.state.games.analyse.flipped;
    which.value = String(item);
    before.disabled = item === 0;
    after.disabled = item === items.length - 1;
    note.textContent = found().note;
    note.hidden = !found().note;
    store.set({ analysis: null, preview: null });
    markChanged(app, undefined, { games: { ...store.state.games, analyse: game } });
    goTo(app, game.at);
  };
  const open = (/** @type {number} */ to) => {
    item = Math.max(0, Math.min(items.length - 1, to));
    show();
  };
  const which = picker(
    "Game or position",
    items.map(({ title }) => title),
    open,
  );
  const before = iconButton("back", "Previous game", () => open(item - 1));
  const after = iconButton("forward", "Next game", () => open(item + 1));
  const engines = picker(
    "Engine",
    items[0].found.map((one) => one.engine),
    (to) => {
      engine = to;
      // Another opinion of the same position, unless it is one that the user has added.
      const { at, tree } = store.state.games.analyse;
      const isKept = at < recordedGame(items[item], found()).tree.nodes.length && at in tree.nodes;
      show(isKept ? at : null);
    },
  );
  const arrows = toggle(null, "Arrows", () =>
    changeSettings(app, { arrows: !store.state.settings.arrows }),
  );
  const press = () => arrows.setAttribute("aria-pressed", String(store.state.settings.arrows));
  store.on(["settings"], press);
  press();
  open(0);
  keepLines(app, found);
  const side = h(
    "div",
    { class: "panel" },
    h(
      "section",
      { class: "card engine-card" },
      items.length > 1 && h("div", { class: "row chapters" }, before, which, after),
      h(
        "div",
        { class: "row head" },
        items[0].found.length > 1 ? engines : h("b", null, found().engine),
        h("span", { class: "gap" }),
        arrows,
      ),
      linesView(app),
      note,
    ),
    h("section", { class: "card tree-card" }, moveList(app)),
    reviewCard(app),
  );
  return { side, open };
}

const BLANK = { depth: 0, nodes: 0, nps: 0, hashfull: 0 };

/** Fills in what is left out where it says nothing. @param {Review} review */
function completed(review) {
  let most = 1;
  for (const { lines } of review.items.flatMap(({ found }) => found.flatMap((one) => one.places))) {
    most = Math.max(most, lines.length);
    for (const [index, line] of lines.entries())
      lines[index] = Object.assign({ ...BLANK }, line, { multipv: index + 1 });
  }
  return most;
}

/** @param {Review} review @param {HTMLElement} body with a heading and, maybe, more to read */
function show(review, body) {
  const store = createState({ ...readSettings(), lines: completed(review) });
  store.set({ view: "analyse" });
  keepTheme(store);
  /** @type {App} */
  const app = {
    store,
    // Nothing asks it.
    engine: /** @type {any} */ (null),
    open: /** @type {any} */ (null),
    numbers: review.numbers,
    recorded: true,
  };
  const { side, open } = panel(app, review);
  const table = h("div", { class: "table" }, stage(app).column, h("div", { class: "side" }, side));
  const openHere = (/** @type {number} */ item) => {
    open(item);
    table.scrollIntoView({ block: "start" });
  };
  const said = h("div", { class: "hidden", role: "status", "aria-live": "polite" });
  store.on(["said"], () => {
    said.textContent = store.state.said;
  });
  body.querySelector("header")?.prepend(h("span", { class: "brand" }, logo()));
  body.querySelector("header .tools")?.append(themeButton(app, ""));
  const tables = review.tables.map((one) => ({ card: tableCard(one, openHere), above: one.opens }));
  const cards = (/** @type {boolean} */ above) =>
    tables.filter((one) => one.above === above).map(({ card }) => card);
  body
    .querySelector("main")
    ?.append(
      h("div", { class: "recorded-tables" }, cards(true)),
      table,
      h(
        "div",
        { class: "recorded-tables" },
        cards(false),
        h("p", { class: "muted" }, review.about),
      ),
    );
  body.append(notices(app), said);
  listenToKeys(app);
}

const data = globalThis.document?.getElementById("review");
if (data) show(JSON.parse(data.textContent ?? ""), document.body);
