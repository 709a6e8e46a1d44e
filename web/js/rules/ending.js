/** How a game ended, in words. That it has ended, and who won, the engine says. */

/** @import { Picture } from "./picture.js" */
/** @typedef {"white" | "black" | "draw"} Winner */

/** @param {Winner} winner @returns {"1-0" | "0-1" | "1/2-1/2"} */
export function resultOf(winner) {
  return winner === "white" ? "1-0" : winner === "black" ? "0-1" : "1/2-1/2";
}

/** @param {string | null | undefined} result @returns {Winner | null} */
export function winnerOf(result) {
  return result === "1-0" ? "white" : result === "0-1" ? "black" : result === "1/2-1/2" ? "draw" : null;
}

/** @param {boolean} white */
export function sideName(white) {
  return white ? "White" : "Black";
}

/**
 * @param {Picture} picture the last position
 * @param {Winner} winner
 * @returns {string}
 */
export function reasonOf(picture, winner) {
  if (winner === "draw") return "The same position for the third time: a draw.";
  const white = winner === "white";
  const sign = white ? 1 : -1;
  const goal = white ? picture.height - 1 : 0;
  const there = picture.cells.slice(goal * picture.width, (goal + 1) * picture.width).some((cell) => cell * sign > 0);
  if (there) return `${sideName(white)} wins: a man stands on the last rank.`;
  if (!picture.cells.some((cell) => cell * sign < 0)) return `${sideName(white)} wins: ${sideName(!white)} has no men left.`;
  return `${sideName(white)} wins: ${sideName(!white)} cannot move.`;
}
