/**
 * The tree of a game's moves: the main line, variations, comments, and what is known about each
 * position.
 */

import { moveText, play } from "../rules/apply.js";
import { fenOf, parseFen } from "../rules/picture.js";

/** @import { Node, Tree } from "../../types/game" */
/** @import { GamePosition } from "../engine/engine.js" */

/** A game that can hold no more moves; the message is for people. */
export class TreeFull extends Error {}

/** The largest tree that is kept. */
export const MAX_NODES = 5000;

/** @param {Variant} variant @param {string} fen @returns {Tree} */
export function createTree(variant, fen) {
  return { variant, nodes: [{ id: 0, parent: null, children: [], move: null, fen, ply: 0 }] };
}

/** @param {Tree} tree @param {number} id @returns {Node} the root if there is no such node */
export function nodeOf(tree, id) {
  return tree.nodes[id] ?? tree.nodes[0];
}

/** @param {Tree} tree @param {number} id @returns {Node[]} from the root to the node */
export function pathTo(tree, id) {
  const path = [];
  for (
    let at = /** @type {Node | null} */ (nodeOf(tree, id));
    at;
    at = at.parent === null ? null : nodeOf(tree, at.parent)
  )
    path.push(at);
  return path.reverse();
}

/** @param {Tree} tree @param {number} id @returns {string[]} the moves that lead to a node */
export function movesTo(tree, id) {
  return pathTo(tree, id).flatMap((node) => node.move ?? []);
}

/** @param {Tree} tree @param {number} id @returns {GamePosition} */
export function gamePositionOf(tree, id) {
  return { variant: tree.variant, fen: tree.nodes[0].fen, moves: movesTo(tree, id) };
}

/**
 * The main line from a node on.
 * @param {Tree} tree
 * @param {number} [id]
 * @returns {Node[]} the node first
 */
export function lineFrom(tree, id = 0) {
  const line = [nodeOf(tree, id)];
  for (let at = line[0]; at.children.length; line.push(at)) at = nodeOf(tree, at.children[0]);
  return line;
}

/** The main line that goes through a node. @param {Tree} tree @param {number} id */
export function lineThrough(tree, id) {
  return [...pathTo(tree, id).slice(0, -1), ...lineFrom(tree, id)];
}

/** @param {Tree} tree @param {number} id @param {string} move @returns {Node | undefined} */
export function childBy(tree, id, move) {
  return nodeOf(tree, id)
    .children.map((child) => nodeOf(tree, child))
    .find((node) => node.move === move);
}

/**
 * Adds a legal move, or finds it if it is there.
 * @param {Tree} tree
 * @param {number} id
 * @param {string} move
 * @returns {Node}
 */
export function addMove(tree, id, move) {
  const there = childBy(tree, id, move);
  if (there) return there;
  if (tree.nodes.length >= MAX_NODES)
    throw new TreeFull(`A game holds at most ${MAX_NODES} positions.`);
  const parent = nodeOf(tree, id);
  const { picture } = play(parseFen(parent.fen, tree.variant), move);
  /** @type {Node} */
  const node = {
    id: tree.nodes.length,
    parent: parent.id,
    children: [],
    move,
    fen: fenOf(picture),
    ply: parent.ply + 1,
  };
  tree.nodes.push(node);
  parent.children = [...parent.children, node.id];
  return node;
}

/**
 * Deletes a move with all that follows.
 * @param {Tree} tree
 * @param {number} id
 * @returns {number} the node before it
 */
export function removeNode(tree, id) {
  const node = nodeOf(tree, id);
  if (node.parent === null) return 0;
  const parent = nodeOf(tree, node.parent);
  parent.children = parent.children.filter((child) => child !== id);
  return parent.id;
}

/** Makes a variation the main line, all the way up. @param {Tree} tree @param {number} id */
export function makeMainLine(tree, id) {
  while (promote(tree, id));
}

/**
 * Lets the innermost variation that a node is in take the place of the line that it branches off.
 * @param {Tree} tree @param {number} id
 * @returns {boolean} whether there was one
 */
export function promote(tree, id) {
  const first = pathTo(tree, id).findLast((node) => !isFirst(tree, node));
  if (!first) return false;
  const parent = nodeOf(tree, first.parent ?? 0);
  parent.children = [first.id, ...parent.children.filter((child) => child !== first.id)];
  return true;
}

/** Whether a node goes on with the line of the node before. @param {Tree} tree @param {Node} node */
function isFirst(tree, node) {
  return node.parent === null || nodeOf(tree, node.parent).children[0] === node.id;
}

/** Whether a node is on the main line. @param {Tree} tree @param {number} id */
export function onMainLine(tree, id) {
  return pathTo(tree, id).every((node) => isFirst(tree, node));
}

/** Whether a node has not been deleted. @param {Tree} tree @param {number} id */
export function isReachable(tree, id) {
  return pathTo(tree, id).every(
    (node) => node.parent === null || nodeOf(tree, node.parent).children.includes(node.id),
  );
}

/**
 * What people change of a node; lists are replaced, never altered.
 * @typedef {Pick<Node, "children" | "comment" | "nags" | "shapes">} Marks
 */

/** @param {Tree} tree @returns {Marks[]} of every node, by its number */
export function markedNodes(tree) {
  return tree.nodes.map(({ children, comment, nags, shapes }) => ({
    children,
    comment,
    nags,
    shapes,
  }));
}

/** @param {Node} node @param {Marks} marks */
export function setMarks(node, { children, comment, nags, shapes }) {
  Object.assign(node, { children, comment, nags, shapes });
}

/** The ends of all lines. @param {Tree} tree @returns {number[]} */
export function leaves(tree) {
  /** @type {number[]} */
  const found = [];
  const open = [0];
  while (open.length) {
    const node = nodeOf(tree, /** @type {number} */ (open.pop()));
    if (node.children.length) open.push(...node.children);
    else found.push(node.id);
  }
  return found;
}

/** A move that is made at a node, as people read it. @param {Tree} tree @param {number} id @param {string} move */
export function moveTextAt(tree, id, move) {
  return moveText(parseFen(nodeOf(tree, id).fen, tree.variant), move);
}

/** The number before a move, such as `3.` or `3...`. @param {Tree} tree @param {Node} node */
export function numberOf(tree, node) {
  const before = node.parent === null ? node : nodeOf(tree, node.parent);
  const picture = before.fen.split(" ");
  return `${picture.at(-1)}${picture[1] === "w" ? "." : "..."}`;
}
