/** What the page knows, all in one store. */

import { createStore } from "./store.js";
import { createGame, startOf } from "./model/game.js";

/** @typedef {import("./model/game.js").Game} Game */
/** @typedef {import("./model/game.js").Mode} Mode */
/** @typedef {import("./engine/engine.js").Link} Link */
/** @typedef {import("./engine/parse.js").Info} Info */
/** @typedef {import("./engine/parse.js").Progress} Progress */
/** @typedef {"play" | "analyse" | "watch" | "games" | "learn"} ViewName */
/**
 * What a person has chosen; kept in this browser.
 * @typedef {object} Settings
 * @property {"auto" | "light" | "dark"} theme
 * @property {boolean} coordinates
 * @property {boolean} targets mark where a man can go
 * @property {boolean} motion show moves in motion
 * @property {boolean} arrows of the engine's lines
 * @property {boolean} sound
 * @property {number} lines how many best lines to tell
 * @property {number} threads
 * @property {number} hash megabytes
 * @property {string} board the board of new games: `8x8`, `freeling`
 * @property {string} level
 * @property {"white" | "black" | "both" | "random"} side who the person plays
 * @property {number} seconds the engine's time a move in games without clocks
 * @property {number} minutes 0 is no clock
 * @property {number} increment seconds
 * @property {[string, string]} watch levels of the two engines
 * @property {[number, number]} watchSeconds what they think for
 * @property {number} reviewSeconds a position
 */
/**
 * The analysis of the position that is shown.
 * @typedef {object} Analysis
 * @property {string} key which position, of which game
 * @property {string} fen of it
 * @property {Info[]} lines best first
 */
/** @typedef {{text: string, kind: "note" | "fault", action?: {label: string, run: () => void}}} Notice */
/**
 * The latest attempt to prove a position; `proven` alone means that there is a proof.
 * @typedef {{key: string, status: "running" | "proven" | "open" | "stopped" | "lost", progress: Progress | null, line: string[]}} ProofState
 */
/** @typedef {{game: string, white: boolean, nodes: number[], at: number, found: number, status: "ask" | "checking" | "right" | "wrong" | "shown", move: string}} Practice one's own mistakes once more: the moves that were bad, and how it goes with the one of them that is asked */
/** @typedef {{games: import("./text/pgn.js").PgnGame[], at: number, opened: Game[]}} Collection a file of several games; those that were opened keep what one does with them */
/** @typedef {{game: string, done: number, total: number} | null} ReviewState */
/** @typedef {{fen: string, variant: import("./rules/picture.js").Variant, moves: string[], shown: number}} Preview a line that is played out on the board */
/** @typedef {{picture: import("./rules/picture.js").Picture, brush: number, fault: string}} Editor a position that is being set up; the brush is what a click puts down */
/** @typedef {"bring" | "share" | "settings" | "keys"} DialogName */
/**
 * @typedef {object} State
 * @property {ViewName} view
 * @property {Link} link
 * @property {{play: Game | null, analyse: Game, watch: Game | null}} games one for each view that has a board
 * @property {number} rev goes up with every change of a game
 * @property {number} known goes up as opinions on positions come in
 * @property {number} kept goes up as games are written down or deleted, here or in another tab
 * @property {Settings} settings
 * @property {boolean} analysing
 * @property {Analysis | null} analysis
 * @property {boolean} showThreat
 * @property {Info | null} threat
 * @property {boolean} showValues
 * @property {Record<string, number> | null} values
 * @property {ProofState | null} proof
 * @property {ReviewState} review
 * @property {Practice | null} practice
 * @property {boolean} thinking
 * @property {string | null} hint
 * @property {string | null} premove to be made as soon as it is the person's turn
 * @property {boolean} watching
 * @property {ViewName | null} settingUp the view whose next game is being set up
 * @property {Preview | null} preview
 * @property {boolean} animate whether the next picture shows how it came
 * @property {Editor | null} editor
 * @property {DialogName | null} dialog
 * @property {import("./text/pgn.js").PgnGame[]} offered games of an import to choose from
 * @property {Collection | null} collection
 * @property {boolean} busy an import is being checked
 * @property {Notice | null} notice
 * @property {string} said for screen readers
 */

/** @type {Settings} */
export const DEFAULTS = {
  theme: "auto",
  coordinates: true,
  targets: true,
  motion: true,
  arrows: true,
  sound: false,
  lines: 2,
  threads: Math.max(1, (globalThis.navigator?.hardwareConcurrency ?? 2) - 1),
  hash: 64,
  board: "8x8",
  level: "3",
  side: "white",
  seconds: 1,
  minutes: 0,
  increment: 5,
  watch: ["6", "full"],
  watchSeconds: [1, 1],
  reviewSeconds: 0.5,
};

/** @param {Settings} settings */
export function createState(settings) {
  const { variant, fen } = startOf("8x8");
  /** @type {State} */
  const state = {
    view: "play",
    link: { status: "connecting", attempt: 0, reason: "" },
    games: { play: null, analyse: createGame("analyse", variant, fen), watch: null },
    rev: 0,
    known: 0,
    kept: 0,
    settings,
    analysing: true,
    analysis: null,
    showThreat: false,
    threat: null,
    showValues: false,
    values: null,
    proof: null,
    review: null,
    practice: null,
    thinking: false,
    hint: null,
    premove: null,
    watching: false,
    settingUp: null,
    preview: null,
    animate: false,
    editor: null,
    dialog: null,
    offered: [],
    collection: null,
    busy: false,
    notice: null,
    said: "",
  };
  return createStore(state);
}

/** @param {State} state */
export function isProving({ proof }) {
  return proof?.status === "running";
}

/** Whether the reader is to find a move, so that the engine must not give it away. @param {State} state */
export function isAsking({ practice }) {
  return practice !== null && practice.status !== "right" && practice.status !== "shown";
}
