/** The clocks of a game. They start with the first move, so that nobody loses time reading. */

import { lineFrom } from "../model/tree.js";
import { whiteToMove } from "../rules/picture.js";

/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;
let since = 0;
/** @type {"white" | "black" | null} */
let running = null;

/**
 * Milliseconds that a side has left at this moment.
 * @param {Game} game
 * @param {"white" | "black"} side
 */
export function timeLeft(game, side) {
  if (!game.clocks) return 0;
  return game.clocks[side] - (running === side ? performance.now() - since : 0);
}

/**
 * Lets the clock of the side to move run.
 * @param {App} app
 * @param {Game} game
 * @param {() => void} flag
 */
export function startClock(app, game, flag) {
  stopClock();
  const line = lineFrom(game.tree);
  running = whiteToMove(line[line.length - 1].fen) ? "white" : "black";
  since = performance.now();
  let before = since;
  timer = setInterval(() => {
    const now = performance.now();
    if (app.store.state.games.play !== game) return stopClock();
    // Nobody loses time while the connection is lost.
    if (["lost", "connecting"].includes(app.store.state.link.status)) since += now - before;
    before = now;
    if (isFlagged(game)) flag();
    app.store.set({ known: app.store.state.known + 1 });
  }, 100);
}

export function stopClock() {
  clearInterval(timer);
  running = null;
}

/**
 * Ends a side's move: its time is taken off and the increment added.
 * @param {Game} game
 * @param {boolean} white
 */
export function press(game, white) {
  const side = white ? "white" : "black";
  if (!game.clocks || !game.control) return;
  game.clocks[side] =
    Math.max(0, timeLeft(game, side)) + (running === side ? game.control.increment : 0);
  stopClock();
}

/** Stores the time left, before the page closes. @param {Game} game */
export function settleClock(game) {
  if (!game.clocks || !running) return;
  game.clocks[running] = Math.max(0, timeLeft(game, running));
  since = performance.now();
}

/** The side that has no time left. @param {Game} game @returns {"white" | "black" | null} */
export function isFlagged(game) {
  if (!game.clocks || !running) return null;
  return timeLeft(game, running) <= 0 ? running : null;
}

/** The clocks as limits of `go`. @param {Game} game */
export function clockLimits(game) {
  const increment = game.control?.increment ?? 0;
  const [white, black] = [timeLeft(game, "white"), timeLeft(game, "black")].map((left) =>
    Math.max(1, Math.round(left)),
  );
  return `wtime ${white} btime ${black} winc ${increment} binc ${increment}`;
}
