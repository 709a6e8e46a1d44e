/**
 * Where pieces might go once it is their side's turn again, which nobody can know yet. The engine
 * says
 * then whether such a move is possible.
 */

import { squareName } from "./squares.js";

/** @import { BoardState } from "./picture.js" */
/** @param {BoardState} picture @returns {string[]} moves of the side that is not to move */
export function premoveTargets({ variant, width, height, cells, white }) {
  const sign = white ? -1 : 1;
  const diagonal = variant === "freeling";
  return cells.flatMap((cell, index) => {
    if (cell * sign <= 0) return [];
    const from = { file: index % width, rank: Math.floor(index / width) };
    const found = [];
    for (let file = 0; file < width; file++) {
      for (let rank = 0; rank < height; rank++) {
        const [across, ahead] = [Math.abs(file - from.file), (rank - from.rank) * sign];
        // A side's own piece straight ahead will not have moved; one diagonally ahead may have been
        // captured.
        const near =
          ahead === 1 && (across === 1 || (across === 0 && cells[rank * width + file] * sign <= 0));
        if (diagonal ? across > 0 && across === Math.abs(ahead) : near)
          found.push(squareName(from) + squareName({ file, rank }));
      }
    }
    return found;
  });
}
