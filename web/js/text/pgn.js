/**
 * Games in PGN, read and written with variations, comments and glyphs. Little Golem's text
 * (`1. a2-a3 b7xa6`) is read by the same rules. The engine checks legality later.
 */

import { FREELING_START, fenOf, isBoard, parseFen, startFen } from "../rules/picture.js";
import { normalMove, PASS } from "../rules/squares.js";

/**
 * @typedef {{move: string, nag?: number, comment?: string, variations: Line[]}} Entry variations
 * take the move's place
 */
/** @typedef {Entry[]} Line */
/**
 * @typedef {{headers: Record<string, string>, variant: Variant, fen: string, line: Line, comment:
 * string, result: string}} PgnGame
 */

/** A text that cannot be read; the message is for people. */
export class TextFault extends Error {}

/** Limits of an import. */
export const MAX_TEXT = 2_000_000;
const MAX_GAMES = 500;
const MAX_DEPTH = 100;
/** Comment, rest of the line, brackets, glyph, result, move number, word. */
const TOKEN = new RegExp(
  [
    /\{([^}]*)\}/,
    /;([^\n]*)/,
    /(\()/,
    /(\))/,
    /\$(\d{1,3})/,
    /(1-0|0-1|1\/2-1\/2|½-½|\*)(?=[\s(){;]|$)/,
    /(?:\d+\s*)?\.+/,
    /([^\s{}();]+)/,
  ]
    .map((part) => part.source)
    .join("|"),
  "g",
);
/** Tags at the beginning of a line, one after the other. */
const TAGS = /\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*/gy;
const GLYPHS = /** @type {Record<string, number>} */ ({
  "!": 1,
  "?": 2,
  "!!": 3,
  "??": 4,
  "!?": 5,
  "?!": 6,
});

/** @param {string} text @returns {PgnGame[]} */
export function readPgn(text) {
  /** @type {PgnGame[]} */
  let games = [];
  /** @type {Record<string, string>} */
  let headers = {};
  /** @type {string[]} */
  let body = [];
  let comment = false;
  const finish = () => {
    if (!Object.keys(headers).length && !body.some((line) => line.trim())) return;
    try {
      games = games.concat(readGames(headers, body.join("\n")));
    } catch (fault) {
      throw new TextFault(`Game ${games.length + 1}: ${/** @type {Error} */ (fault).message}`);
    }
    if (games.length > MAX_GAMES)
      throw new TextFault(`The text holds more than ${MAX_GAMES} games.`);
    headers = {};
    body = [];
  };
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    if (!comment && line.startsWith("%")) continue;
    let rest = line;
    for (const [tag, name, value] of comment ? [] : line.matchAll(TAGS)) {
      if (body.some((one) => one.trim())) finish();
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
  const named = (headers.Variant ?? "").toLowerCase();
  const variant = named === "freeling" ? "freeling" : "breakthrough";
  const given = Number(/(\d+)$/.exec(named)?.[1]);
  const side = isBoard(given, given) ? given : 8;
  const start = variant === "freeling" ? FREELING_START : startFen(side, side);
  const fen = headers.FEN ? fenOf(parseFen(headers.FEN, variant)) : start;
  return { headers, variant, fen, line: [], comment: "", result: asResult(headers.Result ?? "*") };
}

/** A draw is written in two ways. @param {string} text */
const asResult = (text) => text.replaceAll("½", "1/2");

/**
 * @param {Record<string, string>} headers of the first game
 * @param {string} body
 * @returns {PgnGame[]}
 */
function readGames(headers, body) {
  let game = emptyGame(headers);
  const games = [game];
  if (isOpen(body)) throw new TextFault("Unclosed comment.");
  /** @type {Line[]} */
  let open = [game.line];
  let over = false;
  for (const [, braces, rest, opened, closed, nag, result, word] of body.matchAll(TOKEN)) {
    const line = open[open.length - 1];
    const last = line.at(-1);
    const note = (braces ?? rest)?.replace(/\s+/g, " ").trim();
    if (note !== undefined) {
      if (!note) continue;
      if (last) last.comment = last.comment ? `${last.comment} ${note}` : note;
      else if (open.length === 1) game.comment = `${game.comment} ${note}`.trim();
    } else if (opened) {
      if (!last) throw new TextFault("A variation begins before the move that it replaces.");
      if (open.length >= MAX_DEPTH) throw new TextFault("Variations are nested too deeply.");
      last.variations.push([]);
      open.push(last.variations[last.variations.length - 1]);
    } else if (closed) {
      if (open.length === 1) throw new TextFault("Unmatched ')'.");
      open.pop();
    } else if (nag) {
      if (last) last.nag = Number(nag);
    } else if (result) {
      over = open.length === 1;
      if (over) game.result = asResult(result);
    } else if (word) {
      // A result ends a game, also where no tags follow.
      if (over) {
        game = emptyGame({});
        games.push(game);
        open = [game.line];
        over = false;
      }
      readWord(word, open[open.length - 1]);
    }
  }
  if (open.length > 1) throw new TextFault("Unclosed variation.");
  return games;
}

/** @param {string} word @param {Line} line */
function readWord(word, line) {
  const glyph = /[!?]{1,2}$/.exec(word)?.[0] ?? "";
  const text = word.slice(0, word.length - glyph.length);
  const last = line.at(-1);
  if (!text && glyph && last) {
    last.nag = GLYPHS[glyph];
    return;
  }
  const move = normalMove(text);
  if (!move) throw new TextFault(`'${word.slice(0, 30)}' is not a move such as a2b3.`);
  line.push({ move, variations: [], ...(glyph && GLYPHS[glyph] ? { nag: GLYPHS[glyph] } : {}) });
}

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
    if (white) words.push(`${number}.`);
    else if (announce) words.push(`${number}...`);
    words.push(entry.move === PASS ? "--" : entry.move);
    if (entry.nag) words.push(`$${entry.nag}`);
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
