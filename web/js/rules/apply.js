/**
 * The picture after a move that is known to be legal. Only the engine knows which moves are legal.
 *
 * Freeling's explosions are played out here step by step, so that lines can be shown without
 * asking; the tests compare with the engine's own boards.
 */

import { PASS, parseMove, squareName } from "./squares.js";

/** @import { BoardState } from "./picture.js" */
/** @import { Square } from "./squares.js" */
/**
 * @typedef {"lands" | "joins" | "captures" | "lost"} Effect what becomes of a piece that is shot
 */
/** @typedef {{to: Square, effect: Effect}} Shot */
/**
 * One explosion of a chain.
 * @typedef {object} Explosion
 * @property {Square} at
 * @property {Shot[]} shots
 * @property {number[]} cells the board after it
 */
/**
 * @typedef {{picture: BoardState, moved: number[], chain: Explosion[]}} Played `moved` is the board
 * before the chain
 */

/**
 * @param {BoardState} before
 * @param {string} move
 * @returns {Played}
 */
export function play(before, move) {
  const freeling = before.variant === "freeling";
  const cells = before.cells.slice();
  const step = move === PASS ? null : parseMove(move);
  let taken = false;
  if (step) {
    const from = step.from.rank * before.width + step.from.file;
    const to = step.to.rank * before.width + step.to.file;
    taken = Math.sign(cells[to]) === -Math.sign(cells[from]);
    cells[to] = taken || !freeling ? cells[from] : cells[to] + cells[from];
    cells[from] = 0;
  }
  const moved = cells.slice();
  const pieces = count(cells);
  const chain = freeling && step ? explode(cells, before.white ? 1 : -1, step.to) : [];
  const fewer = count(cells) < pieces;
  const clock = freeling && !fewer ? before.clock + 1 : 0;
  const number = before.number + (before.white ? 0 : 1);
  return { picture: { ...before, cells, white: !before.white, clock, number }, moved, chain };
}

/**
 * A move as people read it: with an x where it captures. Freeling's captures happen by explosions
 * too, so there all moves are written alike.
 * @param {BoardState} before
 * @param {string} move
 */
export function moveText(before, move) {
  const step = before.variant === "freeling" ? null : parseMove(move);
  return step && before.cells[step.to.rank * before.width + step.to.file]
    ? `${squareName(step.from)}x${squareName(step.to)}`
    : move;
}

/**
 * A line of moves as people read them.
 * @param {BoardState} before @param {string[]} moves
 */
export function lineTexts(before, moves) {
  let picture = before;
  return moves.map((move) => {
    const text = moveText(picture, move);
    picture = play(picture, move).picture;
    return text;
  });
}

/** @param {number[]} cells */
function count(cells) {
  return cells.reduce((sum, cell) => sum + Math.abs(cell), 0);
}

const FILES = 5;
const RANKS = 9;

/** How many pieces a square of Freeling's board holds. @param {number} file */
export function capacity(file) {
  return file === 0 || file === FILES - 1 ? 1 : 2;
}

/**
 * Runs a chain to its end. The order of explosions does not matter; this one takes the square
 * that became overfull first.
 * @param {number[]} cells changed in place
 * @param {number} mover 1 or -1
 * @param {Square} first where the moved stack stands
 * @returns {Explosion[]}
 */
function explode(cells, mover, first) {
  const goal = mover > 0 ? RANKS - 1 : 0;
  /** @param {Square} square */
  const index = ({ file, rank }) => rank * FILES + file;
  /** @param {Square} square */
  const overfull = (square) => cells[index(square)] * mover > capacity(square.file);
  /** @type {Explosion[]} */
  const chain = [];
  const waiting = [first];
  for (let at = waiting.shift(); at; at = waiting.shift()) {
    if (at.rank === goal) {
      if (overfull(at)) cells[index(at)] = mover * capacity(at.file);
      continue;
    }
    if (!overfull(at)) continue;
    const shots = targets(at, mover).map((to) => ({
      to,
      effect: shoot(cells, index(to), mover, to.rank === goal),
    }));
    cells[index(at)] -= mover * shots.length;
    for (const { to } of shots)
      if (to.rank === goal && overfull(to)) cells[index(to)] = mover * capacity(to.file);
    chain.push({ at, shots, cells: cells.slice() });
    waiting.push(at, ...shots.map((shot) => shot.to));
  }
  return chain;
}

/** @param {Square} at @param {number} mover @returns {Square[]} */
function targets({ file, rank }, mover) {
  const sides = [file - 1, file + 1].filter((side) => side >= 0 && side < FILES);
  return [{ file, rank: rank + mover }, ...sides.map((side) => ({ file: side, rank }))];
}

/**
 * @param {number[]} cells @param {number} at @param {number} mover @param {boolean} onGoal
 * @returns {Effect}
 */
function shoot(cells, at, mover, onGoal) {
  const there = cells[at] * mover;
  if (there < 0 && onGoal) return "lost";
  cells[at] = there < 0 ? mover : cells[at] + mover;
  if (there < 0) return "captures";
  return there > 0 ? "joins" : "lands";
}

/** A chain in words, one sentence per explosion. @param {Explosion[]} chain @returns {string[]} */
export function chainWords(chain) {
  return chain.map(({ at, shots }) => {
    const words = shots.map(({ to, effect }) => {
      const name = squareName(to);
      return {
        lands: name,
        joins: name,
        captures: `${name}, capturing`,
        lost: `${name}, where it is lost`,
      }[effect];
    });
    return `${squareName(at)} explodes: to ${words.join("; to ")}.`;
  });
}
