/** What undoes and redoes the changes of the analysed game's tree, whoever made them. */

import { isReachable, markedNodes, nodeOf, pathTo, setMarks } from "../model/tree.js";
import { announce, goTo, markChanged, notify } from "./app.js";

/** @import { Marks } from "../model/tree.js" */
/**
 * @typedef {object} Change
 * @property {{id: number, before: Marks, after: Marks}[]} nodes that it has changed
 * @property {number} from the node that was shown before
 * @property {number} to the node that was shown after
 * @property {boolean} isOpen whether what is typed next belongs to it
 */
/** @typedef {{seen: Marks[], at: number, past: Change[], future: Change[]}} History */

/** Changes that can be undone. */
const MAX_CHANGES = 200;

/** By game, as long as the page has it. @type {WeakMap<Game, History>} */
const histories = new WeakMap();

/** Records the changes of the analysed game as they come. @param {App} app */
export function keepHistory(app) {
  const check = () => record(app.store.state.games.analyse);
  app.store.on(["rev", "games"], check);
  check();
}

/** Compares a game's tree with what was seen last. @param {Game} game @returns {History} */
function record(game) {
  const marks = markedNodes(game.tree);
  const known = histories.get(game);
  if (!known) {
    const history = { seen: marks, at: game.at, past: [], future: [] };
    histories.set(game, history);
    return history;
  }
  const { seen, past } = known;
  const nodes = marks.flatMap((after, id) => {
    // A node that is new had nothing.
    const before = seen[id] ?? { children: [] };
    return isSame(before, after) ? [] : [{ id, before, after }];
  });
  const from = known.at;
  Object.assign(known, { seen: marks, at: game.at });
  if (!nodes.length) return known;
  known.future = [];
  delete game.untouched;
  delete game.packed;
  const last = past.at(-1);
  const [only] = nodes;
  const isTyped =
    nodes.length === 1 && isSame({ ...only.before, comment: only.after.comment }, only.after);
  if (isTyped && last?.isOpen && last.nodes[0].id === only.id) last.nodes[0].after = only.after;
  else past.push({ nodes, from, to: game.at, isOpen: isTyped });
  if (past.length > MAX_CHANGES) past.shift();
  return known;
}

/** @param {Marks} one @param {Marks} other */
function isSame(one, other) {
  const keys = /** @type {(keyof Marks)[]} */ (["children", "comment", "nags", "shapes"]);
  return keys.every((key) => one[key] === other[key] || (!one[key]?.length && !other[key]?.length));
}

/** What is typed from now on is a change of its own. @param {App} app */
export function endTyping(app) {
  const last = record(app.store.state.games.analyse).past.at(-1);
  if (last) last.isOpen = false;
}

/** @param {App} app */
export const undo = (app) => step(app, "past");

/** @param {App} app */
export const redo = (app) => step(app, "future");

/** @param {App} app @param {"past" | "future"} way */
function step(app, way) {
  const game = app.store.state.games.analyse;
  const history = record(game);
  const isUndo = way === "past";
  const change = history[way].pop();
  if (!change)
    return notify(app, isUndo ? "There is nothing to undo." : "There is nothing to redo.");
  change.isOpen = false;
  history[isUndo ? "future" : "past"].push(change);
  for (const { id, before, after } of change.nodes)
    setMarks(nodeOf(game.tree, id), isUndo ? before : after);
  // Moves that were added since a link led elsewhere may be gone.
  const there = isUndo ? change.from : change.to;
  const at = pathTo(game.tree, there).findLast(({ id }) => isReachable(game.tree, id))?.id ?? 0;
  game.at = at;
  Object.assign(history, { seen: markedNodes(game.tree), at });
  markChanged(app, game);
  goTo(app, at);
  announce(app, isUndo ? "Undone." : "Done again.");
}

/**
 * Says what was done to the tree, and offers to undo it.
 * @param {App} app @param {string} text
 * @param {() => void} restore what undoes it where other changes have come since
 */
export function offerUndo(app, text, restore) {
  const { past } = record(app.store.state.games.analyse);
  const change = past.at(-1);
  const run = () => (past.at(-1) === change ? undo(app) : restore());
  notify(app, text, "note", { label: "Undo", run });
}
