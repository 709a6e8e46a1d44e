/** Names of squares and moves: files a to z, then aa to af; ranks from 1. */

/** @typedef {{file: number, rank: number}} Square counted from 0 */
/** @typedef {{from: Square, to: Square}} Step */

/** The normal form of a pass. */
export const PASS = "pass";

/** @param {number} file @returns {string} */
export function fileName(file) {
  const letter = String.fromCharCode(97 + (file % 26));
  return file < 26 ? letter : `a${letter}`;
}

/** @param {Square} square @returns {string} */
export function squareName({ file, rank }) {
  return fileName(file) + (rank + 1);
}

/** @param {string} text @returns {Square | null} */
export function parseSquare(text) {
  const found = /^(a?[a-z])([1-9]\d?)$/.exec(text);
  if (!found) return null;
  const letters = found[1];
  const last = letters.charCodeAt(letters.length - 1) - 97;
  return { file: letters.length > 1 ? last + 26 : last, rank: Number(found[2]) - 1 };
}

/**
 * The two squares of a move such as `a2b3`; null for a pass and for anything else.
 * @param {string | null | undefined} move
 * @returns {Step | null}
 */
export function parseMove(move) {
  const found = /^(a?[a-z][1-9]\d?)(a?[a-z][1-9]\d?)$/.exec(move ?? "");
  const from = found && parseSquare(found[1]);
  const to = found && parseSquare(found[2]);
  return from && to ? { from, to } : null;
}

/**
 * A move in any common notation (`a2-b3`, `a2xb3`, `b2c3*`) as `a2b3`, a pass as `pass`.
 * @param {string} text
 * @returns {string | null} null if it is not a move
 */
export function normalMove(text) {
  const lower = text.trim().toLowerCase();
  if (lower === "pass" || lower === "0000" || lower === "--") return PASS;
  const found = /^(a?[a-z][1-9]\d?)[-x:]?(a?[a-z][1-9]\d?)[*+#!?]*$/.exec(lower);
  return found ? found[1] + found[2] : null;
}

/** @param {Square} a @param {Square} b */
export function sameSquare(a, b) {
  return a.file === b.file && a.rank === b.rank;
}
