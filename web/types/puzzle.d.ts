/** A puzzle as it is being solved. Browsers do not read this file. */

import type { Puzzle } from "../js/model/puzzles.js";
import type { Game } from "./game";

export type PuzzleMode = "rated" | "theme" | "streak" | "daily" | "mistakes";

export interface PuzzleState {
  mode: PuzzleMode;
  puzzle: Puzzle;
  /** The position before, the opponent's move, and all that was tried. */
  game: Game;
  /** The node whose move is asked. */
  asked: number;
  status: "ask" | "checking" | "wrong" | "right" | "shown";
  /** The answer that was wrong, and the move that refutes it. */
  move: string;
  reply: string;
  /** Whether there was a wrong move, or the solution was shown. */
  failed: boolean;
  /** What the result did to the rating. */
  gain: number | null;
}

/** Which puzzles are wanted; the theme matters only where puzzles are chosen by it. */
export interface PuzzleChoice {
  mode: PuzzleMode;
  board: string;
  theme: string;
}
