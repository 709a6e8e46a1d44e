/** Arrows and circles in the comments of a PGN, as lichess and others write them: `[%cal Ga2b3] [%csl Gc4]`. */

import { parseMove, parseSquare } from "../rules/squares.js";

/**
 * Takes the shapes out of a comment.
 * @param {string} comment
 * @returns {{text: string, shapes: string[]}}
 */
export function readShapes(comment) {
  /** @type {string[]} */
  const shapes = [];
  const text = comment.replace(/\[%(cal|csl) ([^\]]{0,2000})\]/g, (_, kind, list) => {
    for (const item of String(list).split(",")) {
      const name = item.trim().slice(1).toLowerCase();
      const shape = kind === "csl" ? (parseSquare(name) ? name + name : "") : parseMove(name) ? name : "";
      if (shape && shapes.length < 50) shapes.push(shape);
    }
    return "";
  });
  return { text: text.replace(/\s+/g, " ").trim(), shapes };
}

/**
 * @param {string} text
 * @param {string[]} shapes
 */
export function writeShapes(text, shapes) {
  const isCircle = (/** @type {string} */ shape) => shape.slice(0, shape.length / 2) === shape.slice(shape.length / 2);
  const arrows = shapes.filter((shape) => !isCircle(shape)).map((shape) => `G${shape}`);
  const circles = shapes.filter(isCircle).map((shape) => `G${shape.slice(shape.length / 2)}`);
  return [text, arrows.length && `[%cal ${arrows.join(",")}]`, circles.length && `[%csl ${circles.join(",")}]`].filter(Boolean).join(" ");
}
