/**
 * What the comments of a PGN hold besides words, as lichess and others write it: arrows and circles
 * `[%cal Ga2b3] [%csl Gc4]`, the mover's clock `[%clk 0:04:59.5]`, and commands that mean nothing
 * to
 * the board, such as `[%eval 0.35]`, which are kept as they are.
 */

import { parseMove, parseSquare } from "../rules/squares.js";

/**
 * @typedef {{text: string, shapes: string[], clock?: number, commands?: string[]}} Note `clock` in
 * milliseconds; a shape is `a2b3`, or `Ra2b3` in another colour than green
 */

/** @param {string} comment @returns {Note} */
export function readNote(comment) {
  /** @type {Note} */
  const note = { text: "", shapes: [] };
  /** @type {string[]} */
  const commands = [];
  const text = comment.replace(/\[%(\w{1,20})\s([^\]]{0,2000})\]/g, (whole, kind, given) => {
    if (kind === "cal" || kind === "csl") {
      for (const item of String(given).split(",")) readShape(item.trim(), kind, note.shapes);
      return "";
    }
    const time = kind === "clk" ? clockOf(given) : null;
    if (time === null) commands.push(whole);
    else note.clock = time;
    return "";
  });
  note.text = text.replace(/\s+/g, " ").trim();
  if (commands.length) note.commands = commands;
  return note;
}

/** The evaluation of another program: `0.35` or `#-3`. @param {string[]} [commands] */
export function evalIn(commands = []) {
  const pattern = /^\[%eval\s+(#?[-+]?\d{1,5}(?:\.\d{1,5})?)/;
  return commands.map((command) => pattern.exec(command)?.[1]).find((found) => found) ?? null;
}

/** @param {string} item @param {string} kind @param {string[]} shapes */
function readShape(item, kind, shapes) {
  const colour = /^[RBY]/.exec(item.toUpperCase())?.[0] ?? "";
  const name = item.slice(1).toLowerCase();
  const shape = kind === "csl" ? (parseSquare(name) ? name + name : "") : name;
  if (parseMove(shape) && shapes.length < 50) shapes.push(colour + shape);
}

/** `1:02:03.4` or `1:23` in milliseconds. @param {string} text */
function clockOf(text) {
  const time = /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d\d(?:\.\d{1,3})?)\s*$/.exec(text);
  if (!time) return null;
  const [hours, minutes, seconds] = time.slice(1).map((part) => Number(part ?? 0));
  return Math.round((hours * 3600 + minutes * 60 + seconds) * 1000);
}

/** @param {Partial<Note> & {comment?: string}} node */
export function writeNote({ comment = "", shapes = [], clock, commands = [] }) {
  /** @type {string[][]} */
  const [arrows, circles] = [[], []];
  for (const shape of shapes) {
    const colour = /^[A-Z]/.exec(shape)?.[0] ?? "G";
    const move = shape.replace(/^[A-Z]/, "");
    const end = move.slice(move.length / 2);
    if (move === end + end) circles.push(colour + end);
    else arrows.push(colour + move);
  }
  return [
    comment,
    ...commands,
    arrows.length && `[%cal ${arrows.join(",")}]`,
    circles.length && `[%csl ${circles.join(",")}]`,
    clock !== undefined && `[%clk ${clockText(clock)}]`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** @param {number} time in milliseconds */
function clockText(time) {
  const milliseconds = Math.round(time);
  const seconds = Math.floor(milliseconds / 1000);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const part = String(milliseconds % 1000)
    .padStart(3, "0")
    .replace(/0+$/, "");
  return `${hours}:${two(minutes)}:${two(seconds % 60)}${part && `.${part}`}`;
}
