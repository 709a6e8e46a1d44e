/** Every move of the position with all that is known about it; a click plays it. */

import { shownGame, shownNode } from "../control/app.js";
import { isSolved } from "../control/oracle.js";
import { percent, scoreText, whiteChance } from "../model/chance.js";
import { count, rowsOf, talliesOf, whiteShare, winnerOf } from "../model/explorer.js";
import { moveText } from "../rules/apply.js";
import { parseFen } from "../rules/picture.js";
import { isAsking } from "../state.js";
import { fill, h, tableHead } from "../ui/dom.js";
import { peekBoard, spotOf } from "./peek.js";
import { makeMoveHere } from "./stage.js";

/** @import { BoardState } from "../rules/picture.js" */
/** @import { Row, Tally } from "../model/explorer.js" */
/** @import { Score } from "../engine/parse.js" */

const HEADS = ["Move", "Result or book", "Searches", "Engine", "Games"];

/** @param {App} app */
export function explorerCard(app) {
  const { store } = app;
  const body = h("tbody", null);
  const table = h("table", { class: "explorer" }, tableHead(HEADS), body);
  const summary = h("p", { class: "about" });
  const box = h("div", { class: "explorer-box" }, table);
  let isUnfolded = false;
  const unfold = (/** @type {MouseEvent} */ event) => {
    // The moves come to rest under the pointer.
    clicked = spotOf(event);
    isUnfolded = !isUnfolded;
    draw();
  };
  const words = h("span");
  const fold = h("button", { class: "link", hidden: true, onclick: unfold }, words);
  const card = h("div", { class: "explorer-card" }, box, summary, h("div", null, fold));
  let hovering = false;
  const moveAt = (/** @type {EventTarget | null} */ target) =>
    target instanceof Element ? target.closest("[data-move]")?.getAttribute("data-move") : null;
  const peek = peekBoard();
  /** The position after a move. @param {string | null | undefined} move */
  const after = (move) => {
    const game = shownGame(app);
    const node = shownNode(app);
    if (!game || !node || !move) return null;
    const { tree, flipped } = game;
    return { fen: node.fen, variant: tree.variant, moves: [move], flipped };
  };
  /** Where the last click was. */
  let clicked = "";
  body.addEventListener("pointerover", (event) => {
    const { pointerType } = event;
    // After a click, other moves come to rest under the pointer.
    if (pointerType === "touch" || clicked === spotOf(event)) return;
    hovering = true;
    const target = /** @type {Element} */ (event.target);
    const line = after(moveAt(target));
    if (line) peek.show(target.closest("tr") ?? target, table, line);
  });
  body.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "touch") return;
    hovering = false;
    peek.hide();
    draw();
  });
  body.addEventListener("focusin", (event) => {
    const line = after(moveAt(event.target));
    if (line && /** @type {Element} */ (event.target).matches(":focus-visible"))
      store.set({ preview: { ...line, shown: 1 } });
  });
  body.addEventListener("focusout", () => store.set({ preview: null }));
  body.addEventListener("click", (event) => {
    const move = moveAt(event.target);
    if (!move) return;
    hovering = false;
    clicked = spotOf(event);
    peek.hide();
    store.set({ preview: null });
    makeMoveHere(app, move);
  });
  /** The position whose moves are shown. */
  let shown = "";
  const draw = () => {
    const { analysis, played, view, panel } = store.state;
    const game = shownGame(app);
    const node = shownNode(app);
    if (view !== "analyse" || panel !== "explorer" || !game || !node?.legal) return;
    box.hidden = !node.legal.length || isAsking(store.state);
    if (box.hidden) {
      fold.hidden = true;
      summary.textContent = node.legal.length ? "Waiting for your move." : "The game is over.";
      summary.hidden = false;
      return;
    }
    // What the pointer or the focus is on stays where it is.
    const isHeld = hovering || body.contains(document.activeElement);
    if (isHeld && shown === node.fen) return;
    shown = node.fen;
    const { variant } = game.tree;
    const lines = analysis?.fen === node.fen ? analysis.lines : [];
    const tallies = talliesOf(played, node.fen, variant);
    const rows = rowsOf(node.legal, node.theory, lines, tallies);
    const picture = parseFen(node.fen, variant);
    fill(
      body,
      rows.map((row) => rowView(row, node.fen, picture, isSolved(node))),
    );
    // A list of moves alone is for those who ask for it.
    const isBare =
      !isSolved(node) && rows.every(({ result, book, games }) => !result && !book && !games);
    box.hidden = isBare && !isUnfolded;
    fold.hidden = !isBare;
    words.textContent = isUnfolded ? "Hide the moves" : `Show all ${rows.length} moves`;
    fold.setAttribute("aria-expanded", String(isUnfolded));
    summary.textContent = isBare
      ? "Not in the opening book, and in none of your games."
      : node.theory?.book.length
        ? "The book’s value is White’s chance; Searches is the number behind it. Mirror images share both."
        : "";
    summary.hidden = !summary.textContent;
  };
  store.on(["analysis", "played", "rev", "view", "games", "practice", "panel"], draw);
  draw();
  return card;
}

/**
 * @param {Row} row @param {string} fen
 * @param {BoardState} picture the position of the FEN
 * @param {boolean} isOpen whether a move without a result stands out among the others
 */
function rowView({ move, result, book, searches, engine, games }, fen, picture, isOpen) {
  const winner = result && winnerOf(result, fen);
  return h(
    "tr",
    { "data-move": move },
    h("th", { scope: "row" }, h("button", { class: "pv" }, moveText(picture, move))),
    h(
      "td",
      null,
      winner
        ? h("span", { class: "score proven", title: "Proven" }, `${winner} wins`)
        : book
          ? scoreView(book, fen)
          : isOpen && h("span", { class: "muted" }, "not known"),
    ),
    h("td", { class: "figure" }, searches || ""),
    h("td", null, !winner && engine ? percent(whiteChance(engine, fen)) : ""),
    h("td", null, games && gamesView(games)),
  );
}

/** @param {Score} score @param {string} fen */
function scoreView(score, fen) {
  const chance = whiteChance(score, fen);
  return h(
    "span",
    { class: `score ${chance >= 0.5 ? "white" : "black"}` },
    percent(chance),
    h("small", null, scoreText(score, fen)),
  );
}

/** How many games there are, and how they ended. @param {Tally} tally */
function gamesView(tally) {
  const share = whiteShare(tally);
  const { white, draws, black } = tally;
  const bar = h("span", null);
  bar.style.width = `${(100 * share).toFixed(1)}%`;
  const words = `White won ${white}, Black ${black}${draws ? `, drawn ${draws}` : ""}`;
  return h(
    "span",
    { class: "tally", title: words },
    h("span", { class: "figure" }, count(tally)),
    h("span", { class: "share", role: "img", "aria-label": words }, bar),
  );
}
