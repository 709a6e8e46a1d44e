/**
 * What the page knows: the shape of the store that `js/state.js` makes. Browsers do not read this
 * file.
 */

import type { Link } from "../js/engine/engine.js";
import type { Info, Progress } from "../js/engine/parse.js";
import type { PlayedGame } from "../js/model/explorer.js";
import type { Puzzle } from "../js/model/puzzles.js";
import type { BoardState } from "../js/rules/picture.js";
import type { PgnGame } from "../js/text/pgn.js";
import type { Game, Node, Sides } from "./game";
import type { PuzzleChoice, PuzzleState } from "./puzzle";

export type ViewName = "play" | "analyse" | "puzzles" | "watch" | "games" | "learn";
/** What the analysis shows below the engine's lines. */
export type PanelName = "moves" | "explorer" | "review" | "board";
export type DialogName = "bring" | "share" | "settings" | "keys";

/** What a person has chosen; kept in this browser. */
export interface Settings {
  theme: "auto" | "light" | "dark";
  coordinates: boolean;
  /** Mark where a piece can go. */
  targets: boolean;
  /** Show moves in motion. */
  motion: boolean;
  /** Arrows of the engine's lines. */
  arrows: boolean;
  sound: boolean;
  /** How many best lines to show. */
  lines: number;
  threads: number;
  /** Megabytes. */
  hash: number;
  /** The board of new games: `8x8`, `freeling`. */
  board: string;
  level: string;
  /** Who the person plays. */
  side: "white" | "black" | "both" | "random";
  /** The engine's time per move in games without clocks. */
  seconds: number;
  /** A side's main time; 0 means no clock. */
  minutes: number;
  /** The main time that a clock has when it is switched on again. */
  lastMinutes: number;
  /** Seconds. */
  increment: number;
  /** Levels of the two engines, White's first. */
  watch: [string, string];
  /** Their time per move. */
  watchSeconds: [number, number];
  /** Per position. */
  reviewSeconds: number;
}

/** The analysis of the position that is shown. */
export interface Analysis {
  /** Which position, of which game. */
  key: string;
  fen: string;
  /** Best first. */
  lines: Info[];
}

export interface Notice {
  text: string;
  kind: "note" | "error";
  action?: { label: string; run: () => void };
}

/** The latest attempt to prove a position; `proven` alone means that there is a proof. */
export interface ProofState {
  key: string;
  status: "running" | "proven" | "open" | "stopped" | "lost";
  progress: Progress | null;
  line: string[];
  /** Why there is no proof, in the engine's words. */
  reason: string;
}

/** Bad moves, asked again. */
export interface Practice {
  game: string;
  /** The nodes that the bad moves led to. */
  nodes: number[];
  /** How many bad moves there are: of many, only the worst are asked. */
  all: number;
  /** Which of them is asked. */
  at: number;
  /** How many were answered well at the first try. */
  found: number;
  status: "ask" | "checking" | "right" | "wrong" | "shown";
  /** The answer. */
  move: string;
  /** What refutes it on the board, while that is shown. */
  reply: string;
  /** Why it is bad, in half a sentence. */
  why: string;
}

/** What follows a lost or imported game: its review, then its worst mistakes as questions. */
export interface Lesson {
  game: string;
  /** Whose mistakes are asked. */
  sides: Sides;
}

/** A file of several games; those that were opened keep the user's changes. */
export interface Collection {
  games: PgnGame[];
  at: number;
  opened: Game[];
}

export type ReviewState = { game: string; done: number; total: number } | null;

/** A line that is played out on the board. */
export interface Preview {
  fen: string;
  variant: Variant;
  moves: string[];
  shown: number;
}

/** A position that is being set up; the brush is what a click puts down. */
export interface Editor {
  picture: BoardState;
  brush: number;
  error: string;
  /** A FEN as it was typed, if it cannot be read. */
  draft?: string;
}

export interface State {
  view: ViewName;
  panel: PanelName;
  link: Link;
  /** One for each view that has a board. */
  games: { play: Game | null; analyse: Game; watch: Game | null };
  /** Goes up with every change of a game. */
  rev: number;
  /** Goes up as opinions on positions come in. */
  known: number;
  /** Goes up as games are saved or deleted, here or in another tab. */
  kept: number;
  settings: Settings;
  analysing: boolean;
  analysis: Analysis | null;
  /** A move that is searched alone, and in which position of which game. */
  alone: { key: string; move: string } | null;
  showThreat: boolean;
  threat: Info | null;
  showValues: boolean;
  values: Record<string, number> | null;
  proof: ProofState | null;
  review: ReviewState;
  practice: Practice | null;
  lesson: Lesson | null;
  /** The puzzles, once their tab has been opened. */
  puzzleList: Puzzle[] | "loading" | null;
  /** Why there are none. */
  puzzleFault: string;
  puzzleChoice: PuzzleChoice;
  /** The one that is shown. */
  puzzles: PuzzleState | null;
  /** Puzzles solved in a row. */
  streak: number;
  thinking: boolean;
  hint: string | null;
  /** To be made as soon as it is the person's turn. */
  premove: string | null;
  /** What was drawn on a position outside the analysis. */
  sketch: { node: Node; shapes: string[] } | null;
  watching: boolean;
  /** Why the match that is watched cannot go on at present. */
  obstacle: string;
  /** The view whose next game is being set up. */
  settingUp: ViewName | null;
  preview: Preview | null;
  /** Whether the next picture is animated. */
  animate: boolean;
  editor: Editor | null;
  dialog: DialogName | null;
  /** Games of an import to choose from. */
  offered: PgnGame[];
  collection: Collection | null;
  /** Finished games of this browser and of imported files, for the explorer. */
  played: PlayedGame[];
  /** An import is being checked. */
  busy: boolean;
  notice: Notice | null;
  /** For screen readers. */
  said: string;
}
