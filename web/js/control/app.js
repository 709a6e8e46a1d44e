/** What all controllers share: the store, the engine, and the game that is shown. */

import { ConnectionLost, PositionRefused } from "../engine/engine.js";
import { factsOf } from "../engine/questions.js";
import { gamePositionOf, lineThrough, moveTextAt, nodeOf } from "../model/tree.js";
import { reasonOf, resultOf } from "../rules/ending.js";

/** @import { Node } from "../../types/game" */
/** @import { State, Notice } from "../../types/state" */

/** The game that the view shows, if any. @param {App} app @returns {Game | null} */
export function shownGame({ store: { state } }) {
  const { view, games, editor, settingUp } = state;
  if (view === settingUp || (view === "analyse" && editor)) return null;
  if (view === "puzzles") return state.puzzles?.game ?? null;
  return view === "games" || view === "learn" ? null : games[view];
}

/** @param {App} app @returns {Node | null} */
export function shownNode(app) {
  const game = shownGame(app);
  return game && nodeOf(game.tree, game.at);
}

/**
 * Reports that a game has changed.
 * @param {App} app
 * @param {Game} [game]
 * @param {Partial<State>} [more]
 */
export function markChanged({ store }, game, more = {}) {
  if (game) game.changed = Math.max(Date.now(), game.changed + 1);
  store.set({ rev: store.state.rev + 1, ...more });
}

/** Back to the game from the settings of the next one. @param {App} app */
export function cancelSetup(app) {
  markChanged(app, undefined, { settingUp: null });
}

/** @param {App} app */
export function flip(app) {
  const { view, games } = app.store.state;
  const game = view === "analyse" ? games.analyse : shownGame(app);
  if (!game) return;
  game.flipped = !game.flipped;
  markChanged(app, game);
}

/**
 * @param {App} app
 * @param {string} text
 * @param {"note" | "error"} [kind]
 * @param {Notice["action"]} [action]
 */
export function notify({ store }, text, kind = "note", action) {
  store.set({ notice: { text, kind, action } });
}

/** Threads and memory as chosen. @param {App} app */
export function resources({ store }) {
  const { threads, hash } = store.state.settings;
  return { Threads: threads, Hash: hash };
}

/** What a screen reader says. @param {App} app @param {string} text */
export function announce({ store }, text) {
  store.set({ said: text });
}

/**
 * Work that is restarted if the connection is lost meanwhile.
 * @template T
 * @param {() => Promise<T>} work
 */
export async function persist(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
  }
}

/**
 * Asks the engine for the legal moves and the outcome of a node.
 * @param {App} app
 * @param {Game} game
 * @param {number} id
 */
export async function loadFacts(app, game, id) {
  const node = nodeOf(game.tree, id);
  if (node.legal || app.recorded) return node;
  try {
    const facts = await persist(() => factsOf(app.engine, gamePositionOf(game.tree, id)));
    node.legal = facts.moves;
    // Two may have asked; what has been found out since stays.
    node.theory ??= facts.theory;
    node.fen = facts.fen || node.fen;
    if (facts.winner) Object.assign(node, { winner: facts.winner, reason: facts.reason });
    markChanged(app);
  } catch (error) {
    if (!(error instanceof PositionRefused)) throw error;
    notify(app, `The engine refuses this position: ${error.message}`, "error");
    node.legal = [];
  }
  return node;
}

/**
 * Notes the end of a game if its last position is one.
 * @param {App} app
 * @param {Game} game
 * @param {Node} node
 * @returns {boolean} whether it has just ended
 */
export function noteEnd(app, game, node) {
  if (!node.winner || game.result !== "*") return false;
  game.result = resultOf(node.winner);
  game.reason = reasonOf(node.winner, node.reason);
  announce(app, game.reason);
  markChanged(app, game, { animate: true });
  return true;
}

/** Shows a node of the game. @param {App} app @param {number} id @param {boolean} [animate] */
export function goTo(app, id, animate = false) {
  const game = shownGame(app);
  if (!game) return;
  game.at = nodeOf(game.tree, id).id;
  markChanged(app, undefined, { animate, preview: null, hint: null });
  loadFacts(app, game, game.at);
}

/** Removes the user's own arrows and circles. @param {App} app */
export function clearShapes(app) {
  const game = shownGame(app);
  const node = shownNode(app);
  if (!game || !node?.shapes?.length) return;
  node.shapes = undefined;
  markChanged(app, game);
}

/**
 * The other moves that were tried instead of the one shown, in their order: the main line first.
 * @param {App} app @param {1 | -1} step
 * @returns {number | null} the node of the next of them
 */
export function variationFrom(app, step) {
  const game = shownGame(app);
  const node = shownNode(app);
  if (!game || !node || node.parent === null) return null;
  const { children } = nodeOf(game.tree, node.parent);
  return children[children.indexOf(node.id) + step] ?? null;
}

/**
 * Walks along the line shown.
 * @param {App} app
 * @param {"first" | "back" | "forward" | "last"} where
 */
export function walk(app, where) {
  const game = shownGame(app);
  const { preview, practice } = app.store.state;
  if (!game) return;
  if (preview && !practice && (where === "back" || where === "forward")) {
    const shown = Math.min(preview.shown + (where === "back" ? -1 : 1), preview.moves.length);
    return app.store.set({ preview: shown ? { ...preview, shown } : null });
  }
  if (preview && where === "back") return app.store.set({ preview: null });
  const line = lineThrough(game.tree, game.at);
  const here = line.findIndex((node) => node.id === game.at);
  const to = { first: 0, back: here - 1, forward: here + 1, last: line.length - 1 }[where];
  const node = line[to];
  if (!node || node.id === game.at) return;
  goTo(app, node.id, where === "forward");
  if (node.move) announce(app, moveTextAt(game.tree, node.parent ?? 0, node.move));
}
