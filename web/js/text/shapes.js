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
  let clock = "";
  // In quotes, a bracket ends no command.
  const pattern = /\[%(\w{1,20})\s((?:[^\]"]|"[^"]{0,500}"){0,2000})\]/g;
  const text = comment.replace(pattern, (whole, kind, given) => {
    const time = kind === "clk" ? clockOf(given) : null;
    if (kind === "cal" || kind === "csl") {
      const odd = given
        .split(",")
        .filter((/** @type {string} */ item) => !readShape(item.trim(), kind, note.shapes));
      if (odd.length) commands.push(`[%${kind} ${odd}]`);
    } else if (time === null) commands.push(whole);
    else {
      // Of several times, the last one counts.
      if (clock) commands.push(clock);
      clock = whole;
      note.clock = time;
    }
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

/**
 * Whether an item is a shape, which is added then.
 * @param {string} item @param {string} kind @param {string[]} shapes
 */
function readShape(item, kind, shapes) {
  const [colour, name] = [item.charAt(0).toUpperCase(), item.slice(1).toLowerCase()];
  const shape = kind === "cal" ? name : parseSquare(name) && name + name;
  return /[GRBY]/.test(colour) && parseMove(shape) && shapes.push(colour.replace("G", "") + shape);
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
  // Minutes and seconds, without zeros after the point.
  const rest = new Date(milliseconds)
    .toISOString()
    .slice(14, 23)
    .replace(/\.?0+$/, "");
  return `${Math.floor(milliseconds / 3_600_000)}:${rest}`;
}
