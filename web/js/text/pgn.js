/**
 * Games in PGN, read and written with variations, comments and glyphs. Little Golem's text
 * (`1. a2-a3 b7xa6`) is read by the same rules. The engine checks legality later.
 */

import { FREELING_START, fenOf, isBoard, parseFen, startFen } from "../rules/picture.js";
import { normalMove, PASS } from "../rules/squares.js";

/**
 * @typedef {{move: string, nags?: number[], before?: string, comment?: string, variations: Line[]}}
 * Entry variations take the move's place; only the first move of a line has a comment before it
 */
/** @typedef {Entry[]} Line */
/**
 * @typedef {{headers: Record<string, string>, variant: Variant, fen: string, line: Line, comment:
 * string, result: string}} PgnGame
 */

/** A text that cannot be read; the message is for people. */
export class ParseError extends Error {}

/** Limits of an import. */
export const MAX_TEXT = 5_000_000;
const MAX_GAMES = 10_000;
const TOO_MANY = `The text holds more than ${MAX_GAMES} games.`;
const MAX_DEPTH = 100;
/** Comment, rest of the line, brackets, glyph, result, move number, word. */
const TOKEN = new RegExp(
  [
    /\{([^}]*)\}/,
    /;([^\n]*)/,
    /(\()/,
    /(\))/,
    /\$(\d{1,3})/,
    /(1[-–]0|0[-–]1|1\/2(?:[-–]1\/2)?|½(?:[-–]½)?|\*)(?=[\s(){;]|$)/,
    /(\d+(?:\s*\.)+|\.+|\d+(?=\s|$))/,
    /([^\s{}();$]+)/,
  ]
    .map((part) => part.source)
    .join("|"),
  "g",
);
/** Tags at the beginning of a line, one after the other. */
const TAGS = /\s*\[(\w+)\s+"((?:[^"\\]|\\.|"(?!\s*\]))*)"\s*\]\s*/gy;
const GLYPHS = /** @type {Record<string, number>} */ ({
  "!": 1,
  "?": 2,
  "!!": 3,
  "??": 4,
  "!?": 5,
  "?!": 6,
  "=": 10,
  "∞": 13,
  "⩲": 14,
  "⩱": 15,
  "±": 16,
  "∓": 17,
  "+-": 18,
  "+−": 18,
  "-+": 19,
  "−+": 19,
});
/** How a game ended, as some sites write it among the moves. */
const ENDED = /^(resigns?|resigned|timeouts?|swap)\.?$/i;

/**
 * @param {string} text
 * @param {string[]} [errors] takes what is wrong with games that are left out; without it, the
 *   first
 *   of them is thrown
 * @returns {PgnGame[]}
 */
export function readPgn(text, errors) {
  /** @type {PgnGame[]} */
  let games = [];
  /** @type {Record<string, string>} */
  let headers = {};
  /** @type {string[]} */
  let body = [];
  let comment = false;
  let count = 0;
  const finish = () => {
    if (!Object.keys(headers).length && !body.some((line) => line.trim())) return;
    count++;
    try {
      const found = readGames(headers, body.join("\n"));
      count += found.length - 1;
      games = games.concat(found);
    } catch (fault) {
      const message = `Game ${count}: ${/** @type {Error} */ (fault).message}`;
      if (!errors) throw new ParseError(message);
      errors.push(message);
    }
    if (games.length > MAX_GAMES) throw new ParseError(TOO_MANY);
    headers = {};
    body = [];
  };
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    if (!comment && /^[%#]/.test(line)) continue;
    let rest = line;
    for (const [tag, name, value] of comment ? [] : line.matchAll(TAGS)) {
      if (body.some((one) => one.trim()) || name in headers) finish();
      headers[name] = value.replace(/\\(.)/g, "$1");
      rest = rest.slice(tag.length);
    }
    body.push(rest);
    comment = isOpen((comment ? "{" : "") + rest);
  }
  finish();
  return games;
}

/** Whether a comment in braces goes on at the end of a text. @param {string} text */
function isOpen(text) {
  return [...text.matchAll(/\{[^}]*(\}?)|;.*/g)].at(-1)?.[1] === "";
}

/**
 * A game as its tags say, without moves.
 * @param {Record<string, string>} headers
 * @returns {PgnGame}
 */
function emptyGame(headers) {
  const tag = (/** @type {string} */ name) =>
    Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const named = (tag("variant") ?? "").toLowerCase();
  const variant = named.includes("freeling") ? "freeling" : "breakthrough";
  const size = /(\d+)(?:\s*x\s*(\d+))?$/.exec(named.includes("mini") ? "5" : named);
  const [width, height] = [Number(size?.[1] ?? 8), Number(size?.[2] ?? size?.[1] ?? 8)];
  if (variant === "breakthrough" && !isBoard(width, height))
    throw new ParseError(`A board of ${width} by ${height} is not supported.`);
  const start = variant === "freeling" ? FREELING_START : startFen(width, height);
  const given = tag("fen");
  const fen = given ? fenOf(parseFen(given, variant)) : start;
  return { headers, variant, fen, line: [], comment: "", result: asResult(tag("result") ?? "*") };
}

/** A result in its standard form. @param {string} text */
function asResult(text) {
  const plain = text.replaceAll("½", "1/2").replaceAll("–", "-").trim();
  return plain === "1/2" ? "1/2-1/2" : plain;
}

/**
 * @param {Record<string, string>} headers of the first game
 * @param {string} body
 * @returns {PgnGame[]}
 */
function readGames(headers, body) {
  let game = emptyGame(headers);
  const games = [game];
  if (isOpen(body)) throw new ParseError("Unclosed comment.");
  /** @type {Line[]} */
  let open = [game.line];
  let over = false;
  // A comment at the beginning of a variation, before its first move.
  let pending = "";
  for (const [, braces, rest, opened, closed, nag, result, number, word] of body.matchAll(TOKEN)) {
    const line = open[open.length - 1];
    const last = line.at(-1);
    const note = (braces ?? rest)?.replace(/\s+/g, " ").trim();
    if (note !== undefined) {
      if (!note) continue;
      if (last) last.comment = joined(last.comment, note);
      else if (open.length === 1) game.comment = joined(game.comment, note);
      else pending = joined(pending, note);
    } else if (opened) {
      if (!last) throw new ParseError("A variation begins before the move that it replaces.");
      if (open.length >= MAX_DEPTH) throw new ParseError("Variations are nested too deeply.");
      last.variations.push([]);
      open.push(last.variations[last.variations.length - 1]);
    } else if (closed) {
      if (open.length === 1) throw new ParseError("Unmatched ')'.");
      open.pop();
      pending = "";
    } else if (nag) {
      if (last) addNag(last, Number(nag));
    } else if (result) {
      over = open.length === 1;
      if (over) game.result = asResult(result);
    } else if (number) {
      // A list of games may have neither tags nor results.
      if (open.length === 1 && last && /^1\s*\.?$/.test(number)) over = true;
    } else if (word) {
      // A result ends a game, also where no tags follow.
      if (over) {
        game = emptyGame({});
        if (games.push(game) > MAX_GAMES) throw new ParseError(TOO_MANY);
        open = [game.line];
        over = false;
      }
      const moves = open[open.length - 1];
      readWord(word, moves);
      if (pending && moves.length === 1) moves[0].before = pending;
      pending = "";
    }
  }
  if (open.length > 1) throw new ParseError("Unclosed variation.");
  return games;
}

/** @param {string} word @param {Line} line */
function readWord(word, line) {
  const ahead = line.at(-1);
  if (ENDED.test(word)) return;
  if (GLYPHS[word] && ahead) return addNag(ahead, GLYPHS[word]);
  const glyph = /[!?]{1,2}$/.exec(word)?.[0] ?? "";
  const text = word.slice(0, word.length - glyph.length);
  const move = normalMove(text) ?? shortMove(text);
  if (!move) throw new ParseError(`'${word.slice(0, 30)}' is not a move such as a2b3.`);
  line.push({ move, variations: [], ...(glyph && GLYPHS[glyph] ? { nags: [GLYPHS[glyph]] } : {}) });
}

/**
 * A move without its first square (`a3`, `bxa3`, `ba3`, `Pbxa3`, `c1=Q#`), as some chess programs
 * write it; the position tells what it stands for.
 * @param {string} text
 */
function shortMove(text) {
  const found = /^P?([a-z]?\d{0,2}x?[a-z][1-9]\d?)(?:=[A-Za-z])?[+#*]*$/.exec(text);
  return found?.[1] ?? null;
}

/** @param {Entry} entry @param {number | undefined} nag */
function addNag(entry, nag) {
  if (nag && !entry.nags?.includes(nag)) entry.nags = [...(entry.nags ?? []), nag];
}

/** @param {string | undefined} text @param {string} more */
const joined = (text, more) => (text ? `${text} ${more}` : more);

/** @param {PgnGame} game @returns {string} */
export function writePgn(game) {
  const [rows, side, half, number] = game.fen.split(" ");
  // Other programs know a FEN of six fields.
  const tags = {
    Event: "?",
    Site: "?",
    Date: "????.??.??",
    Round: "?",
    White: "?",
    Black: "?",
    ...game.headers,
    Result: game.result,
    Variant: game.variant,
    SetUp: "1",
    FEN: `${rows} ${side} - - ${half} ${number}`,
  };
  const head = Object.entries(tags)
    .map(
      ([name, value]) =>
        `[${name} "${value.replace(/[\r\n]+/g, " ").replace(/[\\"]/g, "\\$&")}"]\n`,
    )
    .join("");
  /** @type {string[]} */
  const words = [];
  if (game.comment) words.push(braced(game.comment));
  writeLine(game.line, Number(number), side === "w", words);
  words.push(game.result);
  return `${head}\n${wrap(words)}\n`;
}

/** @param {Line} line @param {number} number @param {boolean} white @param {string[]} words */
function writeLine(line, number, white, words) {
  let announce = true;
  for (const entry of line) {
    if (entry.before) words.push(braced(entry.before));
    if (white) words.push(`${number}.`);
    else if (announce || entry.before) words.push(`${number}...`);
    words.push(entry.move === PASS ? "--" : entry.move);
    for (const nag of entry.nags ?? []) words.push(`$${nag}`);
    if (entry.comment) words.push(braced(entry.comment));
    for (const variation of entry.variations) {
      const inner = /** @type {string[]} */ ([]);
      writeLine(variation, number, white, inner);
      if (!inner.length) continue;
      inner[0] = `(${inner[0]}`;
      inner[inner.length - 1] += ")";
      words.push(...inner);
    }
    announce = Boolean(entry.comment || entry.variations.length);
    number += white ? 0 : 1;
    white = !white;
  }
}

/** @param {string} text */
function braced(text) {
  return `{${text.replace(/[{}]/g, (brace) => (brace === "{" ? "(" : ")")).replace(/\s+/g, " ")}}`;
}

/** @param {string[]} words */
function wrap(words) {
  const lines = [];
  let line = "";
  for (const word of words) {
    if (line && line.length + 1 + word.length > 80) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line].join("\n");
}
