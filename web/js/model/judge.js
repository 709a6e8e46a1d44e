/**
 * What a review says about the moves of a game. The definitions are those of `scripts/analyse.py`,
 * the numbers are in `data/judgement.json`.
 */

import { whiteToMove } from "../rules/picture.js";
import { chanceOf, whiteChance } from "./chance.js";
import { lineFrom } from "./tree.js";

/** @import { Score } from "../engine/parse.js" */
/** @import { Winner } from "../rules/ending.js" */
/** @typedef {"best" | "good" | "inaccuracy" | "mistake" | "blunder"} Mark */
/**
 * @typedef {{inaccuracy: number, mistake: number, blunder: number, accuracy: {factor: number,
 * decay: number, offset: number}, total: {floor: number, window: number[], weight: number[]}}}
 * Numbers
 */
/** @typedef {{score: Score, best: string | null}} Seen a position as the engine saw it */
/**
 * @typedef {object} Verdict a played move from its mover's view
 * @property {string} move
 * @property {string | null} best
 * @property {number} loss
 * @property {Mark} mark
 * @property {number} accuracy in per cent
 * @property {number | null} missed a proven win within this many moves that was certainly given
 *   away
 */

/** @param {number} loss @param {Numbers} numbers @returns {Mark} */
export function markOf(loss, numbers) {
  if (loss >= numbers.blunder) return "blunder";
  if (loss >= numbers.mistake) return "mistake";
  return loss >= numbers.inaccuracy ? "inaccuracy" : "good";
}

/** @param {number} loss @param {Numbers} numbers */
export function accuracyOf(loss, { accuracy: { factor, decay, offset } }) {
  return Math.min(100, Math.max(0, factor * Math.exp(-decay * loss) - offset));
}

/**
 * Judges one move.
 * @param {string} move
 * @param {Seen} before
 * @param {Seen | null} after null if the game is over
 * @param {number} final the mover's result if the game is over: 1, 0.5 or 0
 * @param {Numbers} numbers
 * @returns {Verdict}
 */
export function judge(move, before, after, final, numbers) {
  const chance = chanceOf(before.score);
  const left = after ? 1 - chanceOf(after.score) : final;
  // The next position was searched deeper into this line; a best move loses nothing by that.
  const loss = move === before.best ? 0 : Math.max(0, chance - left);
  // Not confirmed is not lost.
  const givenAway = after ? (after.score.mate ?? 0) > 0 : final < 1;
  const { mate = 0 } = before.score;
  return {
    move,
    best: before.best,
    loss,
    mark: move === before.best ? "best" : markOf(loss, numbers),
    accuracy: accuracyOf(loss, numbers),
    missed: move !== before.best && givenAway && mate > 0 ? mate : null,
  };
}

/**
 * The accuracy of a side's moves together: the average of their mean, weighted by how open the game
 * was when they were played, and their harmonic mean, in which no move counts less than the floor,
 * so that one blunder does not decide alone. Otherwise the moves of a game that is decided, which
 * can lose
 * nothing more, would make any play look accurate. After lichess's published method
 * (lichess.org/page/accuracy).
 * @param {{accuracy: number, weight: number}[]} moves
 * @param {number} floor
 * @returns {number | null}
 */
function totalAccuracy(moves, floor) {
  if (!moves.length) return null;
  const weights = moves.reduce((sum, { weight }) => sum + weight, 0);
  const mean = moves.reduce((sum, { accuracy, weight }) => sum + accuracy * weight, 0) / weights;
  const harmonic =
    moves.length / moves.reduce((sum, { accuracy }) => sum + 1 / Math.max(accuracy, floor), 0);
  return (mean + harmonic) / 2;
}

/**
 * How open a game is around each of its moves: how much the chances vary near it, in per cent.
 * @param {number[]} chances White's, before the first move and after every move
 * @param {Numbers} numbers
 * @returns {number[]} by move
 */
function opennessOf(chances, { total: { window: sizes, weight: weights } }) {
  const size = Math.min(sizes[1], Math.max(sizes[0], Math.floor(chances.length / 10)));
  return chances.slice(1).map((_, move) => {
    const from = Math.max(0, Math.min(move + 2 - size, chances.length - size));
    const window = chances.slice(from, from + size);
    const mean = window.reduce((sum, chance) => sum + chance, 0) / window.length;
    const variance = window.reduce((sum, chance) => sum + (chance - mean) ** 2, 0) / window.length;
    return Math.min(weights[1], Math.max(weights[0], 100 * Math.sqrt(variance)));
  });
}

/**
 * What a finished game was worth to a side: 1, 0.5 or 0.
 * @param {Winner | null | undefined} winner
 * @param {boolean} white
 */
export function resultFor(winner, white) {
  return winner === "draw" ? 0.5 : winner === (white ? "white" : "black") ? 1 : 0;
}

/** Whether a review counts a move as bad. @param {Pick<Verdict, "mark" | "missed">} verdict */
export function isBad({ mark, missed }) {
  return missed !== null || mark === "mistake" || mark === "blunder" || mark === "inaccuracy";
}

/** From here on a move cost much though the chances, of a lost game, hardly say so. */
const MIN_COST = 100;

/**
 * What a move cost by the score itself, in centipawns: a loss that is proven is worse the sooner it
 * comes.
 * @param {string} move @param {Seen} before @param {Seen | null} after null if the game is over
 */
export function costOf(move, before, after) {
  const standing = (/** @type {Score} */ { cp = 0, mate }) =>
    mate === undefined
      ? Math.max(-2500, Math.min(2500, cp))
      : Math.sign(mate) * (5000 - 100 * Math.min(Math.abs(mate), 20));
  if (!after || move === before.best) return 0;
  return standing(before.score) + standing(after.score);
}

/** Whether a move hastened the loss of a game that was lost. @param {number} cost */
export function isHasty(cost) {
  return cost >= MIN_COST;
}

/**
 * What a bad move is called in a sentence, by its mark in the list of moves.
 * @param {Pick<Verdict, "mark" | "missed">} [verdict]
 */
export function markWords({ mark, missed } = { mark: "mistake", missed: null }) {
  const words = { inaccuracy: "an inaccuracy", mistake: "a mistake", blunder: "a blunder" };
  const word = words[/** @type {keyof typeof words} */ (mark)] ?? "a mistake";
  return missed === null ? word : `${word} and gave a win away`;
}

/** Totals for a side. @param {(Verdict & {weight: number})[]} verdicts @param {Numbers} numbers */
export function sumUp(verdicts, numbers) {
  /** @param {Mark} mark */
  const count = (mark) => verdicts.filter((verdict) => verdict.mark === mark).length;
  return {
    accuracy: totalAccuracy(verdicts, numbers.total.floor),
    inaccuracy: count("inaccuracy"),
    mistake: count("mistake"),
    blunder: count("blunder"),
    missed: verdicts.filter((verdict) => verdict.missed !== null).length,
  };
}

/**
 * The verdicts on a game's main line, by the node that a move leads to; only where both positions
 * were looked at.
 * @param {Game} game
 * @param {Numbers} numbers
 * @returns {Map<number, Verdict & {white: boolean, weight: number}>} `weight` in the total accuracy
 */
export function verdictsOf(game, numbers) {
  const line = lineFrom(game.tree);
  const seen = game.review ?? {};
  let chance = 0.5;
  const chances = line.map((node) => {
    if (node.winner) chance = resultFor(node.winner, true);
    else if (seen[node.id]) chance = whiteChance(seen[node.id].score, node.fen);
    return chance;
  });
  const weights = opennessOf(chances, numbers);
  /** @type {Map<number, Verdict & {white: boolean, weight: number}>} */
  const verdicts = new Map();
  for (let index = 1; index < line.length; index++) {
    const [before, node] = [line[index - 1], line[index]];
    const white = whiteToMove(before.fen);
    if (!seen[before.id] || !node.move || !(node.winner || seen[node.id])) continue;
    const after = node.winner ? null : seen[node.id];
    const final = resultFor(node.winner, white);
    const verdict = judge(node.move, seen[before.id], after, final, numbers);
    verdicts.set(node.id, { ...verdict, white, weight: weights[index - 1] });
  }
  return verdicts;
}
