/** A game and the tree of its moves, as stored. Browsers do not read this file. */

import type { Score } from "../js/engine/parse.js";
import type { Reason } from "../js/engine/questions.js";
import type { Seen, Verdict } from "../js/model/judge.js";
import type { Winner } from "../js/rules/ending.js";

/** What a search thought of a position, from the view of its side to move. */
export interface Opinion {
  score: Score;
}

export interface Proof {
  winner: "white" | "black";
  /** The next move of the proof's line, if there is one. */
  move: string | null;
  /** Whether it is known by a proof that was loaded, and by nothing else. */
  isLoaded?: boolean;
}

/** What the engine knows about a position's moves without searching. */
export interface Theory {
  /** For the side to move, by the rules or a proof. */
  results: Record<string, "won" | "lost">;
  /** By the opening book, best first: `cp` or, if it is proven, `mate`. */
  book: { move: string; cp: number | null; mate: number | null; searches: number }[];
}

export interface Node {
  id: number;
  parent: number | null;
  /** The first one is the main line's. */
  children: number[];
  /** The move that led here. */
  move: string | null;
  fen: string;
  /** From the start. */
  ply: number;
  comment?: string;
  /** Before the move, where a variation begins with it; commands of other programs included. */
  before?: string;
  /** The user's own arrows (`a2b3`, green) and circles (`Ra2a2`, red; also B and Y). */
  shapes?: string[];
  /** Commands of other programs in a PGN's comments, such as `[%eval 0.35]`. */
  commands?: string[];
  /**
   * PGN's numeric annotation glyphs: 1 good, 2 mistake, 3 brilliant, 4 blunder, 5 interesting,
   * 6 dubious, and any other.
   */
  nags?: number[];
  /** What the mover had left after the move, in milliseconds. */
  clock?: number;
  /** As the engine said. */
  legal?: string[];
  /** As the engine said. */
  theory?: Theory;
  /** As the engine said. */
  winner?: Winner | null;
  reason?: Reason | null;
  opinion?: Opinion;
  proof?: Proof;
}

export interface Tree {
  variant: Variant;
  /** By number; deleted nodes are no longer reachable from the first one. */
  nodes: Node[];
}

/** Whose moves are looked at. */
export type Sides = "white" | "black" | "both";
export type Mode = "play" | "analyse" | "watch";
export type Result = "1-0" | "0-1" | "1/2-1/2" | "*";

export interface Player {
  kind: "person" | "engine";
  level?: string;
  seconds?: number;
}

/** In milliseconds. */
export interface Control {
  main: number;
  increment: number;
}

export interface Game {
  id: string;
  mode: Mode;
  tree: Tree;
  /** The node that is shown. */
  at: number;
  /** PGN's tags. */
  headers: Record<string, string>;
  result: Result;
  /** How it ended, a sentence. */
  reason: string;
  players: { white: Player; black: Player };
  control: Control | null;
  /** What is left, in milliseconds. */
  clocks: { white: number; black: number } | null;
  flipped: boolean;
  /** The start of the game that this one goes on with, if that is another position. */
  origin?: string;
  /** The game that this one is the analysis of. */
  source?: string;
  /** The packed PGN of the link that it came by, until it is changed. */
  packed?: string;
  /** Whether it came as a text, a file or a link, and its review is still to be offered. */
  offersReview?: boolean;
  /** Whose mistakes are to be learned from, where neither player is the person. */
  learner?: Sides;
  /** Whether it is as the imported file has it, so that it need not be kept beside that. */
  untouched?: boolean;
  /** The study that this game is a chapter of. */
  study?: string;
  tags?: string[];
  /** What a review made elsewhere says about the moves, by the node that a move leads to. */
  verdicts?: Map<number, Verdict & { white: boolean; weight: number }>;
  /** Positions as a review saw them, by node. */
  review?: Record<number, Seen>;
  created: number;
  changed: number;
}
