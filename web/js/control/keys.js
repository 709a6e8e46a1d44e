/** Keys that work everywhere but in text fields. */

import { shownGame, touch, walk } from "./app.js";
import { premove, takeBack } from "./play.js";

/** @import { App } from "./app.js" */
/** @type {[string[], string][]} */
export const KEYS = [
  [["←", "→"], "One move back or forward; also J and K"],
  [["Home", "End"], "First and last position"],
  [["Tab"], "To the board; there the arrow keys move from square to square"],
  [["Enter"], "On the board: pick a man, then the square it goes to"],
  [["Esc"], "Deselect the man; cancel the planned move; close a dialog"],
  [["M"], "Type a move, such as b2b3, and Enter"],
  [["F"], "Flip the board"],
  [["U"], "Take back"],
  [["E"], "Switch the engine on or off"],
  [["T"], "Show the threat"],
  [["?"], "These keys"],
  [["Right button"], "In the analysis: drag to draw an arrow, click to draw a circle. On a touchscreen, hold a square, then drag; with the keyboard, mark both ends with Shift and Enter"],
];

/** @param {App} app */
export function listenToKeys(app) {
  const { store } = app;
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input:not([type=checkbox]), textarea, select") || document.querySelector("dialog[open]")) return;
    const run = actionOf(app, event.key.length === 1 ? event.key.toLowerCase() : event.key);
    if (!run) return;
    event.preventDefault();
    run();
  });

  /** @param {App} app_ @param {string} key @returns {(() => void) | undefined} */
  function actionOf(app_, key) {
    const game = shownGame(app_);
    const { state } = store;
    /** @type {Record<string, () => void>} */
    const always = { "?": () => store.set({ dialog: "keys" }) };
    /** @type {Record<string, () => void>} */
    const onBoard = {
      ArrowLeft: () => walk(app_, "back"),
      ArrowRight: () => walk(app_, "forward"),
      j: () => walk(app_, "back"),
      k: () => walk(app_, "forward"),
      Home: () => walk(app_, "first"),
      End: () => walk(app_, "last"),
      f: () => {
        if (game) game.flipped = !game.flipped;
        touch(app_, game ?? undefined);
      },
      m: () => [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("input.entry"))].find((field) => field.offsetParent)?.focus(),
      Escape: () => premove(app_, null),
      u: () => state.view === "play" && takeBack(app_),
      e: () => state.view === "analyse" && store.set({ analysing: !state.analysing }),
      t: () => store.set({ showThreat: !state.showThreat }),
    };
    return always[key] ?? (game ? onBoard[key] : undefined);
  }
}
