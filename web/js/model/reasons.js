/** Why a move is bad, in a beginner's words; only what is certain. */

import { lineTexts, play } from "../rules/apply.js";
import { sideName } from "../rules/ending.js";
import { parseMove } from "../rules/squares.js";
import { chanceOf, isProven, percent } from "./chance.js";

/** @import { BoardState } from "../rules/picture.js" */
/** @import { Square } from "../rules/squares.js" */
/** @import { Seen } from "./judge.js" */

/** Up to so many moves a win by force can be seen by people. */
const SOON = 6;

/**
 * @param {BoardState} picture before the move
 * @param {string} move
 * @param {Seen | null | undefined} after the position after it, as the engine saw it
 * @param {Seen | null} [before] the position before it
 * @returns {string} half a sentence, empty where nothing is known
 */
export function whyBad(picture, move, after, before) {
  const reply = after?.best;
  if (!after || !reply) return "";
  const [, text] = lineTexts(picture, [move, reply]);
  const enemy = sideName(!picture.white);
  const { score } = after;
  const answered = `${text} answers it`;
  const step = parseMove(reply);
  if (picture.variant === "breakthrough" && step && reachesEnd(picture, !picture.white, step.to))
    return `${text} reaches the far side`;
  const mate = isProven(score) ? (score.mate ?? 0) : 0;
  const lost = before && isProven(before.score) ? -(before.score.mate ?? 0) : 0;
  if (mate > 0 && lost > mate)
    return `${enemy} wins in ${moves(mate)} instead of ${lost}: ${answered}`;
  if (mate > 0 && mate <= SOON)
    return `${enemy} wins in ${moves(mate)}, whatever you do: ${answered}`;
  if (picture.variant === "breakthrough" && takesForNothing(picture, move, reply))
    return `${text} takes a piece for nothing`;
  // A quiet answer tells a beginner nothing: what it is worth does.
  const [had, has] = [before ? chanceOf(before.score) : 0, 1 - chanceOf(score)];
  if (had - has < 0.01) return answered;
  return `${answered}, and ${sideName(picture.white)}’s chance falls from ${percent(had)} to ${percent(has)}`;
}

/** @param {number} count */
const moves = (count) => `${count} ${count === 1 ? "move" : "moves"}`;

/** @param {BoardState} picture @param {boolean} white @param {Square} square */
const reachesEnd = ({ height }, white, { rank }) => rank === (white ? height - 1 : 0);

/**
 * Whether the answer to a move takes a piece, and nothing can take back.
 * @param {BoardState} picture @param {string} move @param {string} reply
 */
function takesForNothing(picture, move, reply) {
  const count = (/** @type {BoardState} */ { cells }) =>
    cells.reduce((sum, cell) => sum + Math.abs(cell), 0);
  const moved = play(picture, move).picture;
  const then = play(moved, reply).picture;
  const step = parseMove(reply);
  if (!step || count(moved) < count(picture) || count(then) === count(moved)) return false;
  const { file, rank } = step.to;
  const side = picture.white ? 1 : -1;
  // Pieces capture diagonally forward.
  return [file - 1, file + 1].every(
    (from) =>
      from < 0 ||
      from >= picture.width ||
      (then.cells[(rank - side) * picture.width + from] ?? 0) * side <= 0,
  );
}
