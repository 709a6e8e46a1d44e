/** What the page knows, all in one store. `types/state.d.ts` says what each part means. */

import { createGame, startOf } from "./model/game.js";
import { createStore } from "./store.js";

/** @import { Settings, State, ViewName } from "../types/state" */

/** @type {ViewName[]} */
export const VIEWS = ["play", "analyse", "puzzles", "watch", "games", "learn"];

/** @type {Settings} */
export const DEFAULTS = {
  theme: "auto",
  coordinates: true,
  targets: true,
  motion: true,
  arrows: true,
  sound: true,
  lines: 2,
  threads: Math.max(1, (globalThis.navigator?.hardwareConcurrency ?? 2) - 1),
  hash: 64,
  board: "8x8",
  level: "1",
  side: "white",
  seconds: 1,
  minutes: 0,
  lastMinutes: 5,
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
    panel: "moves",
    link: { status: "connecting", attempt: 0, reason: "" },
    games: { play: null, analyse: createGame("analyse", variant, fen), watch: null },
    rev: 0,
    known: 0,
    kept: 0,
    settings,
    analysing: true,
    analysis: null,
    alone: null,
    showThreat: false,
    threat: null,
    showValues: false,
    values: null,
    proof: null,
    review: null,
    practice: null,
    lesson: null,
    puzzleList: null,
    puzzleFault: "",
    puzzleChoice: { mode: "rated", board: "8x8", theme: "sacrifice" },
    puzzles: null,
    streak: 0,
    thinking: false,
    hint: null,
    premove: null,
    sketch: null,
    watching: false,
    obstacle: "",
    settingUp: null,
    preview: null,
    animate: false,
    editor: null,
    dialog: null,
    offered: [],
    collection: null,
    played: [],
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

/**
 * Whether the user is to find a move, so that the engine must not give it away.
 * @param {State} state
 */
export function isAsking({ practice, games }) {
  return (
    practice?.game === games.analyse.id &&
    practice.status !== "right" &&
    practice.status !== "shown"
  );
}
