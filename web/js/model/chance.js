/** Scores as people read them. */

import { whiteToMove } from "../rules/picture.js";
import { parseSquare } from "../rules/squares.js";

/** @import { Node } from "../../types/game" */
/** @import { Score } from "../engine/parse.js" */
/** @import { BoardState } from "../rules/picture.js" */

/** Centipawns that mean odds of ten to one, as `protocol.md` defines. */
export const SCALE = 400;

/** The expected result of the side to move, 0 to 1. @param {Score} score */
export function chanceOf(score) {
  if (score.mate !== undefined) return score.mate > 0 ? 1 : 0;
  if (score.wdl)
    return (score.wdl[0] + score.wdl[1] / 2) / (score.wdl[0] + score.wdl[1] + score.wdl[2]);
  return 1 / (1 + 10 ** (-(score.cp ?? 0) / SCALE));
}

/** White's expected result. @param {Score} score @param {string} fen */
export function whiteChance(score, fen) {
  const chance = chanceOf(score);
  return whiteToMove(fen) ? chance : 1 - chance;
}

/** A proven score. @param {Score} score */
export function isProven(score) {
  return score.mate !== undefined && !score.bound;
}

/**
 * A score from White's view: `+0.35`, or `W 5` where White wins within five moves.
 * @param {Score} score
 * @param {string} fen
 */
export function scoreText(score, fen) {
  const white = whiteToMove(fen);
  if (score.mate !== undefined) {
    const winner = score.mate > 0 === white ? "White" : "Black";
    return `${winner} in ${Math.abs(score.mate)}`;
  }
  const value = ((score.cp ?? 0) * (white ? 1 : -1)) / 100;
  return (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(2);
}

/**
 * A score as PGN's `[%eval ...]` has it: pawns from White's view, or `#3`.
 * @param {Score} score
 * @param {string} fen
 */
export function evalText(score, fen) {
  const sign = whiteToMove(fen) ? 1 : -1;
  if (score.mate !== undefined) return `#${score.mate * sign}`;
  return (((score.cp ?? 0) * sign) / 100).toFixed(2);
}

/**
 * Who wins by a line's first move beyond doubt: by its score, or because of what is proven about
 * the position, though the line's own score is an estimate.
 * @param {Node} node
 * @param {{score: Score | null, pv: string[]}} line
 * @returns {"white" | "black" | null}
 */
export function winnerBy(node, { score, pv }) {
  if (score && isProven(score)) return whiteChance(score, node.fen) ? "white" : "black";
  const winner = provenWinner(node);
  const [mover, other] = whiteToMove(node.fen)
    ? /** @type {const} */ (["white", "black"])
    : /** @type {const} */ (["black", "white"]);
  const result = resultOf(node, pv[0]);
  if (result) return result === "won" ? mover : other;
  return winner && (winner !== mover || node.proof?.move === pv[0]) ? winner : null;
}

/**
 * What the engine knows of a move without searching, for its mover.
 * @param {Pick<Node, "theory">} node @param {string} move
 */
export function resultOf({ theory }, move) {
  const mate = theory?.book.find((one) => one.move === move)?.mate;
  return theory?.results[move] ?? (mate ? (mate > 0 ? "won" : "lost") : undefined);
}

/** The same, short enough for an arrow. @param {Score} score @param {string} fen */
export function shortScore(score, fen) {
  if (score.mate === undefined) return percent(whiteChance(score, fen));
  return `${whiteChance(score, fen) ? "W" : "B"} in ${Math.abs(score.mate)}`;
}

/**
 * What pieces are worth to their own side, as short texts by square.
 * @param {Record<string, number>} values centipawns from White's view
 * @param {BoardState} picture
 */
export function valueLabels(values, { cells, width }) {
  const text = (/** @type {string} */ name, /** @type {number} */ cp) => {
    const square = parseSquare(name);
    const tenths =
      Math.round(cp / 10) * (square && cells[square.rank * width + square.file] < 0 ? -1 : 1);
    return (tenths < 0 ? "−" : "") + Math.abs(tenths / 10).toFixed(1);
  };
  return Object.fromEntries(Object.entries(values).map(([name, cp]) => [name, text(name, cp)]));
}

/** @param {number} share */
export function percent(share) {
  return `${Math.round(share * 100)}%`;
}

/**
 * What is known about a node, from White's view: its end, a proof, or an opinion.
 * @param {Node} node
 * @returns {{chance: number, sure: boolean} | null}
 */
export function knownOf(node) {
  const winner = node.winner ?? node.proof?.winner;
  if (winner) return { chance: { white: 1, draw: 0.5, black: 0 }[winner], sure: true };
  if (!node.opinion) return null;
  return { chance: whiteChance(node.opinion.score, node.fen), sure: isProven(node.opinion.score) };
}

/**
 * Who wins a position beyond doubt: by a proof, or by a search that has seen the end. A game that
 * is over needs no proof.
 * @param {Node} node
 * @param {{score: Score}} [seen] by a review
 * @returns {"white" | "black" | null}
 */
export function provenWinner(node, seen) {
  if (node.winner) return null;
  if (node.proof) return node.proof.winner;
  const score = [node.opinion?.score, seen?.score].find((one) => one && isProven(one));
  return score ? (whiteChance(score, node.fen) ? "white" : "black") : null;
}

/** 12,345,678 as `12.3 M`. @param {number} count */
export function large(count) {
  if (count >= 1e9) return `${(count / 1e9).toFixed(2)} G`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`;
  if (count >= 1e4) return `${Math.round(count / 1e3)} k`;
  return String(count);
}
