/** Keys that work everywhere but in text fields. */

import { playBest } from "./analysis.js";
import { cancelSetup, clearShapes, flip, goTo, shownGame, variationFrom, walk } from "./app.js";
import { redo, undo } from "./history.js";
import { premove, takeBack } from "./play.js";

/** @type {[string[], string][]} */
export const KEYS = [
  [["←", "→"], "One move back or forward; also J and K"],
  [["↑", "↓"], "Switch between variations"],
  [["Home", "End"], "First and last position"],
  [["Tab"], "To the board; there the arrow keys move from square to square"],
  [["Enter"], "On the board: pick a piece, then the square it goes to"],
  [["Esc"], "Deselect the piece; cancel the planned move or the new game; close a dialog"],
  [["M"], "Type a move, such as b2b3, and Enter"],
  [["F"], "Flip the board"],
  [["U"], "Take back a move of the game; in the analysis, undo the last change; also Ctrl+Z"],
  [["Ctrl+Y"], "In the analysis: redo what was undone; also Ctrl+Shift+Z"],
  [["E"], "Switch the engine on or off"],
  [["Space"], "In the analysis: play the best move that the engine knows"],
  [["C"], "In the analysis: comment on the position"],
  [["X"], "In the analysis: remove your arrows and circles"],
  [["T"], "Show the threat"],
  [["?"], "Show shortcuts"],
  [
    ["Right button"],
    "In the analysis, on a move: promote or delete its variation. On the board: drag to draw an " +
      "arrow, click to draw a circle. On a touchscreen, in the analysis: hold a square, then " +
      "drag. With the keyboard, mark both ends with Shift and Enter",
  ],
];

/**
 * The key by its letter, or by its place where the layout has no Latin letters.
 * @param {KeyboardEvent} event
 */
function keyOf({ key, code }) {
  if (key.length !== 1) return key;
  const place = /^Key([A-Z])$/.exec(code)?.[1];
  return (key > "~" && place ? place : key).toLowerCase();
}

/** @param {App} app */
export function listenToKeys(app) {
  const { store } = app;
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || document.querySelector("dialog[open]")) return;
    const { settingUp, view } = store.state;
    const leaves = event.key === "Escape" && settingUp === view;
    // An empty field for moves has no use for the keys that walk.
    const isWalk =
      target.matches("input.entry") &&
      !(/** @type {any} */ (target).value) &&
      /^(Arrow|Home|End)/.test(event.key);
    // The board and whatever has made something of the key come first.
    if (event.defaultPrevented) return;
    const takesKeys = target.matches("input:not([type=checkbox]), textarea, select");
    if (!leaves && !isWalk && takesKeys) return;
    // A button is pressed by it, but not the move that is shown already.
    if (event.key === " " && target.matches("button:not([aria-current]), a, summary, input"))
      return;
    const run = leaves
      ? () => cancelSetup(app)
      : event.ctrlKey || event.metaKey
        ? undoOf(keyOf(event), event.shiftKey)
        : actionOf(keyOf(event));
    if (!run) return;
    event.preventDefault();
    run();
  });

  /**
   * With Ctrl, or with Cmd on a Mac.
   * @param {string} key @param {boolean} withShift
   * @returns {(() => void) | undefined}
   */
  function undoOf(key, withShift) {
    if (store.state.view !== "analyse" || !shownGame(app) || app.recorded) return undefined;
    if (key === "y" || (key === "z" && withShift)) return () => redo(app);
    return key === "z" ? () => undo(app) : undefined;
  }

  /** @param {string} key @returns {(() => void) | undefined} */
  function actionOf(key) {
    if (key === "?") return () => store.set({ dialog: "keys" });
    if (key === "f") return () => flip(app);
    const { view, analysing, showThreat } = store.state;
    if (key === "Escape")
      document.querySelector(".stage .board")?.dispatchEvent(new KeyboardEvent("keydown", { key }));
    if (!shownGame(app)) return undefined;
    if (key === "ArrowUp" || key === "ArrowDown") {
      const to = view === "analyse" ? variationFrom(app, key === "ArrowUp" ? -1 : 1) : null;
      return to === null ? undefined : () => goTo(app, to, true);
    }
    /** @type {Record<string, () => void>} */
    const onBoard = {
      ArrowLeft: () => walk(app, "back"),
      ArrowRight: () => walk(app, "forward"),
      j: () => walk(app, "back"),
      k: () => walk(app, "forward"),
      Home: () => walk(app, "first"),
      End: () => walk(app, "last"),
      m: () => /** @type {HTMLElement | null} */ (document.querySelector("input.entry"))?.focus(),
      Escape: () => premove(app, null),
      u: () => {
        if (view === "play") takeBack(app);
        else if (view === "analyse" && !app.recorded) undo(app);
      },
      e: () => view === "analyse" && store.set({ analysing: !analysing }),
      t: () => store.set({ showThreat: !showThreat }),
    };
    /** @type {Record<string, () => void>} */
    const onTree = {
      " ": () => playBest(app),
      c: () => document.querySelector(".move-tools")?.dispatchEvent(new Event("comment")),
      x: () => clearShapes(app),
    };
    return onBoard[key] ?? (view === "analyse" && !app.recorded ? onTree[key] : undefined);
  }
}
