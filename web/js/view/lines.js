/** The engine's lines: scores, depth, speed; hovering or tapping a move plays the line out. */

import { moveAlone, searchAlone } from "../control/analysis.js";
import { goTo, markChanged, shownGame, shownNode } from "../control/app.js";
import { isProven, large, percent, scoreText, whiteChance, winnerBy } from "../model/chance.js";
import { addMove } from "../model/tree.js";
import { lineTexts } from "../rules/apply.js";
import { reasonOf, resultOf } from "../rules/ending.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { isAsking, isProving } from "../state.js";
import { fill, h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { resultText } from "./moves.js";
import { peekBoard, spotOf } from "./peek.js";

/** @import { Info } from "../engine/parse.js" */
/** @import { Node } from "../../types/game" */
/** @import { Analysis } from "../../types/state" */

/** Moves of a line that are shown. */
const LENGTH = 16;

/** @param {App} app */
export function linesView(app) {
  const { store } = app;
  const speed = h("p", { class: "speed" });
  const list = h("ol", { class: "lines" });
  const peek = peekBoard();
  let hovering = false;
  /** Where the last click was. */
  let clicked = "";
  /** The lines as they are shown, which may be older than the engine's. @type {Analysis | null} */
  let shown = null;
  list.addEventListener("pointerover", (event) => {
    const at = spot(event.target);
    const { pointerType } = event;
    // After a click, other lines come to rest under the pointer.
    if (!at || pointerType === "touch" || clicked === spotOf(event)) return;
    hovering = true;
    const game = shownGame(app);
    const line = shown?.lines[at.line];
    if (game && shown && line)
      peek.show(/** @type {Element} */ (event.target), list, {
        fen: shown.fen,
        variant: game.tree.variant,
        moves: line.pv.slice(0, at.shown),
        flipped: game.flipped,
      });
  });
  list.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "touch") return;
    hovering = false;
    peek.hide();
    draw();
  });
  list.addEventListener("focusin", (event) => {
    const at = spot(event.target);
    if (at && /** @type {Element} */ (event.target).matches(":focus-visible"))
      preview(app, shown, at);
  });
  list.addEventListener("keydown", (event) => {
    const next = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[
      event.key
    ];
    const to = next && /** @type {any} */ (event.target)[next];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    to?.focus();
  });
  list.addEventListener("focusout", ({ relatedTarget: to }) => {
    // The buttons below the board step through the line.
    if (!(to instanceof Element && to.closest(".board-bar"))) store.set({ preview: null });
  });
  // A click does not say in every browser what it was made with.
  let pressed = "";
  list.addEventListener("pointerdown", (event) => (pressed = event.pointerType));
  list.addEventListener("click", (event) => {
    const single = event.target instanceof Element && event.target.closest("[data-alone]");
    if (single) return searchAlone(app, moveAlone(app) ? null : single.getAttribute("data-alone"));
    const at = spot(event.target);
    if (!at) return;
    hovering = false;
    clicked = spotOf(event);
    peek.hide();
    // A click made by the keyboard has no count.
    const pointer = event.detail ? pressed : "";
    const again =
      store.state.preview?.shown === at.shown &&
      store.state.preview.moves === shown?.lines[at.line]?.pv;
    if (pointer === "touch" && !again) preview(app, shown, at);
    else keepLine(app, shown, at);
  });
  const draw = () => {
    const { analysing, analysis, review, settings } = store.state;
    const node = shownNode(app);
    const variant = shownGame(app)?.tree.variant ?? "breakthrough";
    const best = analysis?.lines[0];
    const asked = isAsking(store.state);
    if (node?.winner)
      fill(speed, `${resultText(resultOf(node.winner))} ${reasonOf(node.winner, node.reason)}`);
    else if (!analysing) fill(speed, "The engine is off.");
    else if (isProving(store.state)) fill(speed, "The engine is busy with the proof.");
    else if (review) fill(speed, "The engine is busy with the review.");
    else if (asked) fill(speed, "Waiting for your move.");
    else if (!best) fill(speed, app.recorded ? "Not analysed." : "Starting…");
    else
      fill(
        speed,
        h("span", null, "depth ", h("b", null, best.depth)),
        h("span", null, large(best.nodes), " nodes"),
        best.nps > 0 && h("span", null, large(best.nps), "/s"),
        !app.recorded && h("span", null, `table ${Math.round(best.hashfull / 10)}%`),
      );
    const alone = app.recorded ? undefined : moveAlone(app);
    list.hidden = !analysing || Boolean(node?.winner);
    // Nothing comes under the pointer that has chosen one.
    const count = Math.min(settings.lines, node?.legal?.length ?? 1);
    list.style.setProperty("--count", String(count));
    list.classList.toggle("many", count > 3);
    const isShown = !list.hidden && !asked;
    const lines = isShown && analysis && analysis.fen === node?.fen ? analysis.lines : [];
    // What the pointer or the focus is on, or a finger has chosen, stays where it is.
    if (
      (hovering || store.state.preview || list.contains(document.activeElement)) &&
      shown?.key === analysis?.key &&
      lines.length
    )
      return;
    shown = lines.length ? analysis : null;
    fill(list, node ? lines.map((line, index) => lineView(line, index, node, variant, alone)) : []);
  };
  store.on(
    ["analysis", "analysing", "proof", "review", "practice", "rev", "settings", "view", "alone"],
    draw,
  );
  draw();
  return h("div", null, speed, list);
}

/**
 * @param {Info} line @param {number} index @param {Node} node @param {Variant} variant
 * @param {string | null} [alone] the move that is searched, if not all are; not given where none
 *   can be
 */
function lineView(line, index, node, variant, alone) {
  const { score } = line;
  const { fen } = node;
  if (!score) return null;
  const winner = winnerBy(node, line);
  // A proof of the position says who wins, not how soon.
  const proof = isProven(score)
    ? scoreText(score, fen)
    : winner && `${winner === "white" ? "White" : "Black"} wins`;
  const chance = whiteChance(score, fen);
  const texts = lineTexts(parseFen(fen, variant), line.pv.slice(0, LENGTH));
  let number = Number(fen.split(" ").at(-1));
  let white = whiteToMove(fen);
  const moves = texts.map((text, at) => {
    const label = white ? `${number}.` : at === 0 ? `${number}…` : "";
    if (!white) number++;
    white = !white;
    return h(
      "button",
      { class: "pv", "data-line": index, "data-shown": at + 1, tabindex: at === 0 ? 0 : -1 },
      label && h("small", null, label),
      text,
    );
  });
  const look = `score ${proof ? "proven" : chance >= 0.5 ? "white" : "black"}`;
  return h(
    "li",
    null,
    h(
      "span",
      {
        class: look,
        title: proof
          ? `Proven: ${proof}`
          : `White’s chance ${percent(chance)}, score ${scoreText(score, fen)}`,
      },
      proof ?? percent(chance),
      !proof && h("small", null, scoreText(score, fen)),
    ),
    h("span", { class: "pv-moves" }, moves),
    alone === undefined
      ? null
      : h(
          "button",
          {
            class: "alone",
            "data-alone": line.pv[0],
            "aria-pressed": String(alone === line.pv[0]),
            title: alone ? "Search all moves again" : `Search ${texts[0]} alone`,
            "aria-label": alone ? "Search all moves again" : `Search ${texts[0]} alone`,
          },
          icon("target"),
        ),
  );
}

/** @typedef {{line: number, shown: number}} Spot a line, and how many of its moves */

/** @param {EventTarget | null} target @returns {Spot | null} */
function spot(target) {
  const button = target instanceof Element ? target.closest("[data-shown]") : null;
  return (
    button && {
      line: Number(button.getAttribute("data-line")),
      shown: Number(button.getAttribute("data-shown")),
    }
  );
}

/** @param {App} app @param {Analysis | null} analysis @param {Spot} spot */
function preview(app, analysis, { line, shown }) {
  const game = shownGame(app);
  const info = analysis?.lines[line];
  if (analysis && game && info)
    app.store.set({
      preview: {
        fen: analysis.fen,
        variant: game.tree.variant,
        moves: info.pv,
        shown: Math.min(shown, info.pv.length),
      },
    });
}

/**
 * Adds a line's moves to the tree and goes to the last.
 * @param {App} app
 * @param {Analysis | null} analysis
 * @param {Spot} spot
 */
function keepLine(app, analysis, { line, shown }) {
  const game = shownGame(app);
  const moves = analysis?.lines[line]?.pv.slice(0, shown);
  if (!game || !moves || analysis?.fen !== shownNode(app)?.fen) return;
  let at = game.at;
  for (const move of moves) at = addMove(game.tree, at, move).id;
  markChanged(app, game, { preview: null });
  goTo(app, at);
}
