/** Why what was tried on the board is no move, in one sentence. */

import { squareName } from "./squares.js";

/** @import { BoardState } from "./picture.js" */
/** @import { Square } from "./squares.js" */

/**
 * @param {BoardState} picture
 * @param {boolean} white whether White's pieces are the ones that may move
 * @param {Square} square what was clicked: not a piece that can move, nor where the picked one can go
 * @param {Square | null} from the piece that is picked
 * @returns {string} empty where nothing is to be said
 */
export function refusalOf({ variant, width, cells }, white, square, from) {
  const side = white ? 1 : -1;
  /** Above 0 for a piece of the side that may move. @param {Square} at */
  const stack = ({ file, rank }) => (cells[rank * width + file] ?? 0) * side;
  const isFreeling = variant === "freeling";
  if (stack(square) > 0) {
    if (isFreeling) return `The piece on ${squareName(square)} cannot move now.`;
    return stack({ ...square, rank: square.rank + side }) > 0
      ? "That piece cannot move: your own pieces stand in front."
      : "That piece cannot move: it captures only diagonally.";
  }
  if (!from)
    return stack(square) < 0
      ? `That piece is ${white ? "Black’s: pick one of White’s" : "White’s: pick one of Black’s"}.`
      : "";
  if (isFreeling) return `The piece on ${squareName(from)} cannot move there.`;
  const isAhead = square.file === from.file && square.rank === from.rank + side;
  return isAhead
    ? "A piece captures only diagonally, never straight ahead."
    : "A piece moves one step forward, straight or diagonally.";
}
