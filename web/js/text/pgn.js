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
 * string, result: string, damage?: string}} PgnGame `damage` is what is wrong with its text, where
 * the rest could be read
 */

/** A text that cannot be read; the message is for people. */
export class ParseError extends Error {}

export const MAX_TEXT = 5_000_000;
/** Longer lists would hold the page up. */
export const MAX_GAMES = 10_000;
const MAX_DEPTH = 100;
/** Comment, rest of the line, brackets, glyph, result, move number, word. */
const TOKEN = new RegExp(
  [
    /\{([^}]*)(\}?)/,
    /;([^\n]*)/,
    /(\()/,
    /(\))/,
    /\$(\d{1,6})(?!\d)/,
    /(1[-–—−‑]0|0[-–—−‑]1|1\/2(?:[-–—−‑]1\/2)?|½(?:[-–—−‑]½)?|\*)(?=[\s(){;]|$)/,
    /((?!0000)\d+(?:(?:\s*\.)+|(?=[\s(){};]|$))|\.+)/,
    /(\$?[^\s{}();$]+)/,
  ]
    .map((part) => part.source)
    .join("|"),
  "g",
);
/** Tags at the beginning of a line, one after the other. */
const TAGS = /\s*\[\s*([\p{L}\p{N}_+#=:-]+)\s+"((?:[^"\\]|\\.|"(?!\s*\]))*)"\s*\]\s*/guy;
/** `board#8,a2b3b7b6` or `board#8x6,a2a3a5a4`, alone or at the end of an address. */
export const TRMPH = /^\s*\S*#(\d{1,2})(?:x(\d{1,2}))?,([a-z0-9,]*)\s*$/i;
const GLYPHS = Object.fromEntries(
  Object.entries({
    1: "!",
    2: "?",
    3: "!! ‼",
    4: "?? ⁇",
    5: "!? ⁉",
    6: "?! ⁈",
    7: "□",
    10: "=",
    13: "∞",
    14: "⩲ += +/=",
    15: "⩱ =+ =/+",
    16: "± +/-",
    17: "∓ -/+",
    18: "+- +− +–",
    19: "-+ −+ –+",
    22: "⨀",
    32: "⟳",
    36: "↑",
    40: "→",
    132: "⇆",
    140: "∆",
    142: "⌓",
  }).flatMap(([nag, signs]) => signs.split(" ").map((sign) => [sign, Number(nag)])),
);
const SIGN = new RegExp(`(?:${Object.keys(GLYPHS).join("|").replace(/[?+]/g, "\\$&")})$`);
const ENDED = /^(resigns?|resigned|timeouts?|swap)\.?$/i;

/**
 * Throws what is wrong with one of several, or keeps it where it is left out.
 * @param {string[] | undefined} errors @param {string} place @param {unknown} error
 */
export function fail(errors, place, error) {
  const message = `${place}: ${/** @type {Error} */ (error).message}`;
  if (!errors) throw new ParseError(message);
  errors.push(message);
}

/**
 * Whether there are as many games as can be listed. Of more, the user learns first.
 * @param {PgnGame[]} games @param {string[] | undefined} errors takes one for each that is left out
 */
export function isFull(games, errors) {
  if (games.length < MAX_GAMES) return false;
  const message = `At most ${MAX_GAMES} games of a text are read.`;
  if (!errors) throw new ParseError(message);
  errors.push(errors[0] ?? "");
  errors[0] = message;
  return true;
}

/**
 * @param {string} text
 * @param {string[]} [errors] takes what is wrong with games that are left out; without it, the
 *   first of them is thrown
 * @returns {PgnGame[]}
 */
export function readPgn(text, errors) {
  /** @type {PgnGame[]} */
  const games = [];
  // A tag may have the name of anything that objects have.
  /** @type {() => Record<string, string>} */
  const none = () => Object.create(null);
  let headers = none();
  /** @type {string[]} */
  let body = [];
  let comment = false;
  const isTagged = () => Object.keys(headers).length > 0;
  const finish = () => {
    const given = body.join("\n");
    body = [];
    // Without tags, comments, numbers and signs alone are no game; a result is one.
    const isGame = isTagged() || RESULT.test(given.replace(COMMENT, ""));
    for (const part of parts(given, isTagged())) {
      const number = games.length + (errors?.length ?? 0) + 1;
      try {
        const game = readGame(headers, part, Boolean(errors));
        // A link says at least which board it is of.
        if (isGame || game.line.length || game.headers.Variant) {
          if (!isFull(games, errors)) games.push(game);
        } else if (game.damage) throw new ParseError(`${game.damage}.`);
      } catch (error) {
        fail(errors, `Game ${number}`, error);
      }
      headers = none();
    }
  };
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    // No comment goes on into the next game.
    if (comment && errors && /^\[Event "/.test(line) && !body.at(-1)?.trim()) {
      comment = false;
      finish();
    }
    let rest = line;
    if (!comment && /^[%#]/.test(line) && !TRMPH.test(line)) {
      // Among the moves of a game with tags, nothing but `%` is left out.
      const last = (isTagged() && body.at(-1)?.trim().split(/\s+/).at(-1)) || "*";
      if (line[0] === "%" || last === "*" || asResult(last) !== "*" || ENDED.test(last)) continue;
      rest = `;${line}`;
    }
    for (const [tag, name, value] of comment ? [] : line.matchAll(TAGS)) {
      if (!isTagged() || body.some((one) => one.trim()) || (name in headers && body.length))
        finish();
      headers[name] = value.replace(/\\(["\\])/g, "$1");
      rest = rest.slice(tag.length);
    }
    if (rest.trim() || rest === line) body.push(rest);
    comment = isOpen((comment ? "{" : "") + rest);
  }
  finish();
  return games;
}

const COMMENT = /\{[^}]*(\}?)|;.*/g;
const RESULT = /\*|[012½][-–—−‑][01½]/;

/** Whether a comment in braces goes on at the end of a text. @param {string} text */
function isOpen(text) {
  return [...text.matchAll(COMMENT)].at(-1)?.[1] === "";
}

/**
 * The games between tags: each ends with its result, with a link, where moves are numbered from 1
 * again, or where they are after an empty line and a variation is not closed, or, without tags
 * and numbers, with its line.
 * @param {string} body @param {boolean} isNumbered or has tags
 */
function* parts(body, isNumbered) {
  let [start, end, depth, hasMoves, isOver] = [0, 0, 0, false, false];
  for (const found of body.matchAll(TOKEN)) {
    const { index, 4: opened, 5: closed, 7: result, 8: number, 9: word } = found;
    const isMove = word && !ENDED.test(word) && signsOf(word).text;
    const isLink = Boolean(isMove) && !depth && TRMPH.test(word);
    const isFirst = /^1\s*\.?$/.test(number) && (!depth || body.slice(index - 2, index) === "\n\n");
    const isLine = isMove && !depth && !isNumbered && body.slice(end, index).includes("\n");
    end = index + found[0].length;
    if (isOver ? !depth && (isMove || number) : hasMoves && (isFirst || isLink || isLine)) {
      yield body.slice(start, index);
      [start, depth, hasMoves, isOver, isNumbered] = [index, 0, false, false, false];
    }
    if (number) isNumbered = true;
    if (opened) depth++;
    else if (closed) depth--;
    else if (isMove) [hasMoves, isOver] = [true, isLink];
    else if (result && !depth) isOver = true;
  }
  yield body.slice(start);
}

/** @param {Record<string, string>} headers @returns {PgnGame} */
function emptyGame(headers) {
  const tag = (/** @type {string} */ name) =>
    Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const named = (tag("variant") ?? "").trim().toLowerCase();
  const variant = named.includes("freeling") ? "freeling" : "breakthrough";
  const found = /(\d+)(?:\s*x\s*(\d+)|\)?$)/.exec(named.includes("mini") ? "5" : named);
  const [, files = "8", ranks = files] = found ?? [];
  const [width, height] = [Number(files), Number(ranks)];
  if (variant === "breakthrough" && !isBoard(width, height))
    throw new ParseError(`A board of ${width} by ${height} is not supported.`);
  const start = variant === "freeling" ? FREELING_START : startFen(width, height);
  const given = tag("fen");
  const fen = given ? fenOf(parseFen(given, variant)) : start;
  const result = asResult(tag("result") ?? "");
  return { headers: { ...headers }, variant, fen, line: [], comment: "", result };
}

/** A result in its standard form; `*` for anything else. @param {string} text */
function asResult(text) {
  const plain = text
    .replaceAll("½", "1/2")
    .replace(/[–—−‑]/g, "-")
    .replace(/\s/g, "")
    .replace(/^1\/2$/, "1/2-1/2");
  return /^(1-0|0-1|1\/2-1\/2)$/.test(plain) ? plain : "*";
}

/**
 * @param {Record<string, string>} headers
 * @param {string} body
 * @param {boolean} isLenient whether a comment that is not closed ends with the text
 * @returns {PgnGame}
 */
function readGame(headers, body, isLenient) {
  const link = TRMPH.exec(body);
  if (link) {
    const [, width, height = width, given] = link;
    const moves = given.match(/(?:a?[a-z]\d{1,2}){2}|[^,]/gi) ?? [];
    if (moves.some((move) => move.length < 4))
      throw new ParseError("The moves of the link cannot be read.");
    const game = readGame({ ...headers, Variant: `${width}x${height}` }, moves.join(" "), false);
    // Who has arrived has won.
    const [far, result] = moves.length % 2 ? [height, "1-0"] : ["1", "0-1"];
    if (/\D(\d+),*$/.exec(given)?.[1] === far) game.result = result;
    return game;
  }
  const game = emptyGame(headers);
  /** @type {Line[]} */
  const open = [game.line];
  // Comments at the beginning of a variation, and glyphs of any line, before the first move.
  let pending = "";
  /** @type {number[]} */
  let ahead = [];
  /** The first move without its first square. @type {string | undefined} */
  let short;
  for (const [, braces, end, rest, opened, closed, nag, result, , word] of body.matchAll(TOKEN)) {
    const line = open[open.length - 1];
    const last = line.at(-1);
    const note = (braces ?? rest)?.replace(/\s+/g, " ").trim();
    if (note !== undefined) {
      if (end === "") game.damage = "the last comment is not closed";
      if (end === "" && !isLenient) throw new ParseError("Unclosed comment.");
      if (!note) continue;
      if (last) last.comment = joined(last.comment, note);
      else if (open.length === 1) game.comment = joined(game.comment, note);
      else pending = joined(pending, note);
    } else if (opened) {
      if (!last) throw new ParseError("A variation begins before the move that it replaces.");
      if (open.length > MAX_DEPTH) throw new ParseError("Variations are nested too deeply.");
      last.variations.push([]);
      open.push(last.variations[last.variations.length - 1]);
    } else if (closed) {
      if (open.length === 1) throw new ParseError("Unmatched ')'.");
      open.pop();
      // In brackets without a move, they are about the move before.
      const before = open[open.length - 1].at(-1);
      if (before && pending) before.comment = joined(before.comment, pending);
      if (before) addNags(before, ahead);
      pending = "";
      ahead = [];
    } else if (result) {
      if (open.length === 1 && game.result === "*") game.result = asResult(result);
    } else if (nag || (word && !ENDED.test(word))) {
      const { text, nags } = nag ? { text: "", nags: [Number(nag)] } : signsOf(word);
      for (const one of nags) ahead.push(one);
      if (text) {
        line.push(readMove(text, short));
        if (!normalMove(text)) short ??= text;
        if (pending) line[line.length - 1].before = pending;
        pending = "";
      }
      const about = line.at(-1);
      if (!about) continue;
      addNags(about, ahead);
      ahead = [];
    }
  }
  if (!game.damage && open.length > 1) throw new ParseError("Unclosed variation.");
  return game;
}

/** A word without the signs at its end. @param {string} word */
function signsOf(word) {
  // At the end of a word, it may be the piece that a pawn becomes.
  if (word === "N") return { text: "", nags: [146] };
  /** @type {number[]} */
  const nags = [];
  let text = word;
  // A word may be long, a sign is not.
  const last = () => SIGN.exec(text.slice(-3))?.[0];
  for (let sign = last(); sign; sign = last()) {
    nags.push(GLYPHS[sign]);
    text = text.slice(0, -sign.length);
  }
  return { text, nags: nags.reverse() };
}

/**
 * A move, maybe without its first square (`a3`, `bxa3`, `ba3`, `Pbxa3`, `c1=Q#`), as some chess
 * programs write it; the position tells what it stands for.
 * @param {string} text
 * @param {string} [short] the game's first move without its first square
 * @returns {Entry}
 */
function readMove(text, short) {
  const move =
    // A capital P stands for the piece, not for the sixteenth file.
    normalMove(text.replace(/^P(?=[a-z])(?!ass)/, "")) ??
    /^P?([a-z]?\d{0,2}x?[a-z][1-9]\d?)(?:=[A-Za-z])?[+#*]*$/.exec(text)?.[1];
  if (move) return { move, variations: [] };
  // In a game of chess, the moves before were none either.
  const first = /^([KQRBN][a-h1-8x]|O-O)/.test(text) && short ? short : text;
  throw new ParseError(`'${first.slice(0, 30)}' is not a move such as a2b3.`);
}

/** @param {{nags?: number[]}} entry @param {number[]} [nags] */
export function addNags(entry, nags = []) {
  if (nags.length) entry.nags = [...new Set([...(entry.nags ?? []), ...nags])];
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

/** A comment in braces; one inside it that would end it becomes round, with its partner. @param {string} text */
function braced(text) {
  const plain = text.replace(/\{([^{}]*)\}/g, "($1)").replaceAll("}", ")");
  return `{${plain.replace(/\s+/g, " ")}}`;
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
