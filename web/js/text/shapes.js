/**
 * What the comments of a PGN hold besides words, as lichess and others write it: arrows and circles
 * `[%cal Ga2b3] [%csl Gc4]`, and the mover's clock `[%clk 0:04:59.5]`.
 */

import { parseMove, parseSquare } from "../rules/squares.js";

/** @typedef {{text: string, shapes: string[], clock?: number}} Note `clock` in milliseconds */

/** @param {string} comment @returns {Note} */
export function readNote(comment) {
  /** @type {Note} */
  const note = { text: "", shapes: [] };
  const text = comment.replace(/\[%(cal|csl|clk) ([^\]]{0,2000})\]/g, (_, kind, given) => {
    if (kind === "clk") {
      const time = /^\s*(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,3})?)\s*$/.exec(given);
      if (time)
        note.clock = Math.round(
          (Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3])) * 1000,
        );
      return "";
    }
    for (const item of String(given).split(",")) {
      const name = item.trim().slice(1).toLowerCase();
      const shape =
        kind === "csl" ? (parseSquare(name) ? name + name : "") : parseMove(name) ? name : "";
      if (shape && note.shapes.length < 50) note.shapes.push(shape);
    }
    return "";
  });
  note.text = text.replace(/\s+/g, " ").trim();
  return note;
}

/** @param {{comment?: string, shapes?: string[], clock?: number}} node */
export function writeNote({ comment = "", shapes = [], clock }) {
  /** @type {string[][]} */
  const [arrows, circles] = [[], []];
  for (const shape of shapes) {
    const end = shape.slice(shape.length / 2);
    if (shape === end + end) circles.push(`G${end}`);
    else arrows.push(`G${shape}`);
  }
  return [
    comment,
    arrows.length && `[%cal ${arrows.join(",")}]`,
    circles.length && `[%csl ${circles.join(",")}]`,
    clock !== undefined && `[%clk ${clockText(clock)}]`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** @param {number} milliseconds */
function clockText(milliseconds) {
  const tenths = Math.round(milliseconds / 100);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60];
  const fraction = tenths % 10 ? `.${tenths % 10}` : "";
  return `${hours}:${two(minutes)}:${two(Math.floor(tenths / 10) % 60)}${fraction}`;
}
