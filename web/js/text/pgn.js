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
    /\$(\d{1,6})(?!\d)/,
    /(1[-–—−‑]0|0[-–—−‑]1|1\/2(?:[-–—−‑]1\/2)?|½(?:[-–—−‑]½)?|\*)(?=[\s(){;]|$)/,
    /(\d+(?:\s*\.)+|\.+|\d+(?=\s|$))/,
    /(\$?[^\s{}();$]+)/,
  ]
    .map((part) => part.source)
    .join("|"),
  "g",
);
/** Tags at the beginning of a line, one after the other. */
const TAGS = /\s*\[\s*([\p{L}\p{N}_]+)\s+"((?:[^"\\]|\\.|"(?!\s*\]))*)"\s*\]\s*/guy;
/** Signs for PGN's glyphs. */
const GLYPHS = /** @type {Record<string, number>} */ ({
  "!": 1,
  "?": 2,
  "!!": 3,
  "‼": 3,
  "??": 4,
  "⁇": 4,
  "!?": 5,
  "⁉": 5,
  "?!": 6,
  "⁈": 6,
  "□": 7,
  "=": 10,
  "∞": 13,
  "⩲": 14,
  "+=": 14,
  "+/=": 14,
  "⩱": 15,
  "=+": 15,
  "=/+": 15,
  "±": 16,
  "+/-": 16,
  "∓": 17,
  "-/+": 17,
  "+-": 18,
  "+−": 18,
  "+–": 18,
  "-+": 19,
  "−+": 19,
  "–+": 19,
  "⨀": 22,
  "⟳": 32,
  "↑": 36,
  "→": 40,
  "⇆": 132,
  "∆": 140,
  "⌓": 142,
  N: 146,
});
/** Signs at the end of a word, where N may be the piece that a pawn becomes; the longest counts. */
const SIGN = new RegExp(
  `(?:${Object.keys(GLYPHS)
    .filter((sign) => sign !== "N")
    .sort((a, b) => b.length - a.length)
    .map((sign) => sign.replace(/[?+/]/g, "\\$&"))
    .join("|")})$`,
);
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
  // A tag may have the name of anything that objects have.
  /** @type {() => Record<string, string>} */
  const none = () => Object.create(null);
  let headers = none();
  /** @type {string[]} */
  let body = [];
  let comment = false;
  let count = 0;
  const finish = () => {
    if (!Object.keys(headers).length && !body.some((line) => line.trim())) return;
    count++;
    try {
      const found = readGames(headers, body.join("\n"), Boolean(errors));
      count += found.length - 1;
      games = games.concat(found);
    } catch (error) {
      const message = `Game ${count}: ${/** @type {Error} */ (error).message}`;
      if (!errors) throw new ParseError(message);
      errors.push(message);
    }
    if (games.length > MAX_GAMES) throw new ParseError(TOO_MANY);
    headers = none();
    body = [];
  };
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    // No comment goes on into the next game.
    if (comment && errors && /^\[Event "/.test(line) && !body.at(-1)?.trim()) {
      comment = false;
      finish();
    }
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
  const result = asResult(tag("result") ?? "*");
  return { headers: { ...headers }, variant, fen, line: [], comment: "", result };
}

/** A result in its standard form; `*` for anything else. @param {string} text */
function asResult(text) {
  const plain = text
    .replaceAll("½", "1/2")
    .replace(/[–—−‑]/g, "-")
    .replace(/\s/g, "");
  if (plain === "1/2") return "1/2-1/2";
  return ["1-0", "0-1", "1/2-1/2"].includes(plain) ? plain : "*";
}

/**
 * @param {Record<string, string>} headers of the first game
 * @param {string} given
 * @param {boolean} isLenient whether a comment that is not closed ends with the text
 * @returns {PgnGame[]}
 */
function readGames(headers, given, isLenient) {
  let game = emptyGame(headers);
  const games = [game];
  const isCut = isOpen(given);
  if (isCut && !isLenient) throw new ParseError("Unclosed comment.");
  const body = isCut ? `${given}}` : given;
  /** @type {Line[]} */
  let open = [game.line];
  let over = false;
  // Comments at the beginning of a variation, and glyphs of any line, before the first move.
  let pending = "";
  /** @type {number[]} */
  let ahead = [];
  /** The first move without its first square. @type {string | undefined} */
  let short;
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
      // In brackets without a move, they are about the move before.
      const before = open[open.length - 1].at(-1);
      if (before && pending) before.comment = joined(before.comment, pending);
      if (before) for (const one of ahead) addNag(before, one);
      pending = "";
      ahead = [];
    } else if (nag) {
      if (last) addNag(last, Number(nag));
      else ahead.push(Number(nag));
    } else if (result) {
      over = open.length === 1;
      if (over && game.result === "*") game.result = asResult(result);
    } else if (number) {
      // A list of games may have neither tags nor results.
      if (open.length === 1 && last && /^1\s*\.?$/.test(number)) over = true;
    } else if (word && !ENDED.test(word)) {
      const { text, nags } = signsOf(word);
      if (!text) {
        if (last) for (const one of nags) addNag(last, one);
        else ahead.push(...nags);
        continue;
      }
      // A result ends a game, also where no tags follow.
      if (over) {
        game = emptyGame({});
        if (games.push(game) > MAX_GAMES) throw new ParseError(TOO_MANY);
        open = [game.line];
        over = false;
      }
      const entry = readMove(text, short);
      if (!normalMove(text)) short ??= text;
      for (const one of [...ahead, ...nags]) addNag(entry, one);
      if (pending) entry.before = pending;
      open[open.length - 1].push(entry);
      pending = "";
      ahead = [];
    }
  }
  if (isCut) game.damage = "the last comment is not closed";
  else if (open.length > 1) throw new ParseError("Unclosed variation.");
  return games;
}

/** A word without the signs at its end. @param {string} word */
function signsOf(word) {
  if (word === "N") return { text: "", nags: [GLYPHS.N] };
  /** @type {number[]} */
  const nags = [];
  let text = word;
  for (let sign = SIGN.exec(text); sign; sign = SIGN.exec(text)) {
    nags.unshift(GLYPHS[sign[0]]);
    text = text.slice(0, sign.index);
  }
  return { text, nags };
}

/**
 * @param {string} text
 * @param {string} [short] the game's first move without its first square
 * @returns {Entry}
 */
function readMove(text, short) {
  // A capital P stands for the piece, not for the sixteenth file.
  const move = normalMove(text.replace(/^P(?=[a-z])/, "")) ?? shortMove(text);
  if (!move) {
    // In a game of chess, the moves before were none either.
    const first = /^([KQRBN][a-h1-8x]|O-O)/.test(text) && short ? short : text;
    throw new ParseError(`'${first.slice(0, 30)}' is not a move such as a2b3.`);
  }
  return { move, variations: [] };
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

/** @param {Entry} entry @param {number} nag */
function addNag(entry, nag) {
  if (!entry.nags?.includes(nag)) entry.nags = [...(entry.nags ?? []), nag];
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
