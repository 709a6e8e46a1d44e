/**
 * What is known about the moves of a position: by the rules and proofs, an opening book, the search
 * that runs, and games that were played. Mirror images are one position.
 */

import { parseFen, whiteToMove } from "../rules/picture.js";
import { parseMove, squareName } from "../rules/squares.js";
import { isProven, resultOf } from "./chance.js";
import { lineFrom } from "./tree.js";

/** @import { Result, Theory, Tree } from "../../types/game" */
/** @import { Info, Score } from "../engine/parse.js" */

/** @typedef {{white: number, draws: number, black: number}} Tally games by who won */
/**
 * @typedef {{signature: string, result: Result, moves: Map<string, string>}} PlayedGame a finished
 * game: its moves by position, turned as the keys are
 */
/**
 * @typedef {object} Row a move
 * @property {string} move
 * @property {"won" | "lost" | null} result for the side to move, where it is certain
 * @property {Score | null} book its value by the opening book
 * @property {number} searches how many searches the book has from there on
 * @property {Score | null} engine its value by the search that runs
 * @property {Tally | null} games
 */

/** Plies of a game that are looked at. */
const MAX_PLIES = 60;

/** A move with the files reversed. @param {string} move @param {number} width */
export function mirrored(move, width) {
  const step = parseMove(move);
  if (!step) return move;
  const turn = (/** @type {{file: number, rank: number}} */ { file, rank }) =>
    squareName({ file: width - 1 - file, rank });
  return turn(step.from) + turn(step.to);
}

/**
 * The key of a position, and whether its files are reversed there.
 * @param {string} fen @param {Variant} variant
 */
export function keyOf(fen, variant) {
  const [rows, side] = fen.split(" ");
  const reversed = rows
    .split("/")
    .map((row) => (row.match(/\d+|./g) ?? []).reverse().join(""))
    .join("/");
  // Freeling's explosions look the same in a mirror, too.
  const isMirrored = reversed < rows;
  return { key: `${variant} ${isMirrored ? reversed : rows} ${side}`, isMirrored };
}

/**
 * A game as the explorer needs it; null if it has no result.
 * @param {Tree} tree @param {Result} result @returns {PlayedGame | null}
 */
export function playedGame(tree, result) {
  if (result === "*") return null;
  const line = lineFrom(tree);
  const { width } = parseFen(line[0].fen, tree.variant);
  const moves = new Map();
  for (const [index, node] of line.slice(0, MAX_PLIES).entries()) {
    const next = line[index + 1]?.move;
    if (!next) break;
    const { key, isMirrored } = keyOf(node.fen, tree.variant);
    if (!moves.has(key)) moves.set(key, isMirrored ? mirrored(next, width) : next);
  }
  const signature = `${line[0].fen} ${line.map(({ move }) => move ?? "").join(" ")} ${result}`;
  return { signature, result, moves };
}

/**
 * Who won after each move of a position, each game once.
 * @param {Iterable<PlayedGame>} games @param {string} fen @param {Variant} variant
 * @returns {Map<string, Tally>}
 */
export function talliesOf(games, fen, variant) {
  const { key, isMirrored } = keyOf(fen, variant);
  const { width } = parseFen(fen, variant);
  const seen = new Set();
  /** @type {Map<string, Tally>} */
  const found = new Map();
  for (const { signature, result, moves } of games) {
    const there = moves.get(key);
    if (!there || seen.has(signature)) continue;
    seen.add(signature);
    const move = isMirrored ? mirrored(there, width) : there;
    const tally = found.get(move) ?? { white: 0, draws: 0, black: 0 };
    tally[result === "1-0" ? "white" : result === "0-1" ? "black" : "draws"]++;
    found.set(move, tally);
  }
  return found;
}

/** @param {Score | null} score */
const certain = (score) =>
  score && isProven(score) ? ((score.mate ?? 0) > 0 ? "won" : "lost") : null;

/**
 * Every legal move with what is known about it, the best first; those of which nothing is known
 * last.
 * @param {string[]} legal
 * @param {Theory | undefined} theory
 * @param {Info[]} lines of the search
 * @param {Map<string, Tally>} tallies
 * @returns {Row[]}
 */
export function rowsOf(legal, theory, lines, tallies) {
  const rows = legal.map((move) => {
    const entry = theory?.book.find((one) => one.move === move);
    const book = entry
      ? entry.mate === null
        ? { cp: entry.cp ?? 0 }
        : { mate: entry.mate }
      : null;
    const engine = lines.find(({ pv }) => pv[0] === move)?.score ?? null;
    return {
      move,
      result: resultOf({ theory }, move) ?? certain(engine),
      book,
      searches: entry?.searches ?? 0,
      engine,
      games: tallies.get(move) ?? null,
    };
  });
  return rows.sort((a, b) => rank(b) - rank(a) || count(b.games) - count(a.games));
}

/**
 * A number that is larger for what should be shown first. The engine's value does not count:
 * it changes while one points at a row.
 * @param {Row} row
 */
function rank({ result, book, games }) {
  if (result === "won") return 1e6;
  if (result === "lost") return -1e6;
  if (book) return 1e4 + (book.cp ?? 0);
  return games ? -1e5 : -2e5;
}

/** @param {Tally | null} tally */
export function count(tally) {
  return tally ? tally.white + tally.draws + tally.black : 0;
}

/** White's share of the points. @param {Tally} tally */
export function whiteShare(tally) {
  return (tally.white + tally.draws / 2) / count(tally);
}

/**
 * Who wins by a row's move.
 * @param {"won" | "lost"} result @param {string} fen
 */
export function winnerOf(result, fen) {
  return (result === "won") === whiteToMove(fen) ? "White" : "Black";
}
