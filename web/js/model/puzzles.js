/** Puzzles: reading their file, and choosing one. `docs/puzzles.md` says what they are. */

import { FenError, parseFen } from "../rules/picture.js";
import { parseMove } from "../rules/squares.js";

/**
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} fen the position before the opponent's last move
 * @property {string[]} moves that move, then the solution, the solver's moves and replies in turns
 * @property {number} rating
 * @property {number} deviation of the rating
 * @property {string[]} themes
 * @property {string} board `8x8`
 * @property {string} [played] of one's own: the bad move, and what it is called
 */

/** A file that does not hold puzzles; the message is for people. */
export class PuzzleError extends Error {}

const FIELDS = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Themes,Board";

/** Themes in words, in the order in which they are offered. @type {Record<string, string>} */
export const THEMES = {
  race: "Race",
  sacrifice: "Sacrifice",
  doubleThreat: "Double threat",
  blocking: "Blocking",
  quietMove: "Quiet move",
  onlyDefence: "Only defence",
  zugzwang: "Zugzwang",
  oneMove: "One move",
  short: "Two moves",
  long: "Three moves",
  veryLong: "Four moves or more",
};

/** @param {string} text of the file @returns {Puzzle[]} */
export function readPuzzles(text) {
  const [head, ...lines] = text.trimEnd().split(/\r?\n/);
  if (head !== FIELDS) throw new PuzzleError("This is not a puzzle file.");
  return lines.map((line, index) => {
    const refusal = (/** @type {string} */ what) =>
      new PuzzleError(`The puzzle file is damaged: line ${index + 2}: ${what}.`);
    const fields = line.split(",");
    if (fields.length !== 7) throw refusal("it does not have seven fields");
    const [id, fen, moves, rating, deviation, themes, board] = fields;
    const puzzle = {
      id,
      fen,
      moves: moves.split(" "),
      rating: Number(rating),
      deviation: Number(deviation),
      themes: themes.split(" "),
      board,
    };
    if (!/^[A-Za-z0-9]{1,12}$/.test(id)) throw refusal("its name cannot be read");
    if (!/^-?\d{1,4},\d{1,4}$/.test(`${rating},${deviation}`))
      throw refusal("its rating cannot be read");
    if (puzzle.moves.length % 2 || !puzzle.moves.every(parseMove))
      throw refusal("its moves cannot be read");
    try {
      const { width, height } = parseFen(fen);
      if (board !== `${width}x${height}`) throw refusal(`its board is not ${width}x${height}`);
    } catch (error) {
      throw error instanceof FenError ? refusal("its position cannot be read") : error;
    }
    return puzzle;
  });
}

/**
 * One near a rating that has not been tried, the nearest few being equally likely.
 * @param {Puzzle[]} puzzles
 * @param {number} rating
 * @param {(id: string) => boolean} isDone
 * @param {() => number} [random] from 0 to 1
 * @returns {Puzzle | null} one that was tried if there is no other; null if there is none at all
 */
export function chooseNear(puzzles, rating, isDone, random = Math.random) {
  const open = puzzles.filter(({ id }) => !isDone(id));
  const near = [...(open.length ? open : puzzles)].sort(
    (a, b) => Math.abs(a.rating - rating) - Math.abs(b.rating - rating),
  );
  return near[Math.floor(random() * Math.min(near.length, 12))] ?? null;
}

/**
 * The puzzle of a day, the same for all who have the same puzzles.
 * @param {Puzzle[]} puzzles
 * @param {string} day as `2026-01-31`
 * @returns {Puzzle | null}
 */
export function chooseDaily(puzzles, day) {
  // Neither for beginners nor beyond most people, and on the board that most play.
  const fair = puzzles.filter(
    ({ rating, board }) => board === "8x8" && rating >= 500 && rating <= 1800,
  );
  const from = fair.length ? fair : puzzles;
  // The smallest of their hashes (FNV-1a) with the day: a file with some puzzles more gives most
  // days the same one.
  const mixed = (/** @type {string} */ text) =>
    [...text].reduce((hash, letter) => {
      const next = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
      return (next ^ (next >>> 15)) >>> 0;
    }, 0x811c9dc5);
  const keyed = from.map((puzzle) => ({ puzzle, key: mixed(`${day} ${puzzle.id}`) }));
  return keyed.reduce((best, one) => (one.key < best.key ? one : best), keyed[0])?.puzzle ?? null;
}

/** The rating to ask for in a streak that has lasted so long. @param {number} length */
export function streakRating(length) {
  return Math.round(150 + 90 * length);
}

/** A day as `2026-01-31`, by this clock. @param {Date} date */
export function dayOf(date) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
