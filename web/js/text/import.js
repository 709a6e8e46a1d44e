/** Telling what a pasted text is: FEN, PGN, Little Golem's moves, a trmph link, or our own link. */

import { startOf } from "../model/game.js";
import { fenOf, isBoard, parseFen, startFen } from "../rules/picture.js";
import { parseSquare } from "../rules/squares.js";
import { readLink } from "./link.js";
import { MAX_TEXT, ParseError, readPgn } from "./pgn.js";

/** @import { PgnGame } from "./pgn.js" */

/** The longest link or position, in characters. */
const SHORT = 50_000;

/** What is wrong with a text of this size, if anything. @param {number} size */
export function excess(size) {
  return size > MAX_TEXT
    ? `The text is too long: ${(size / 1e6).toFixed(1)} MB, at most ${MAX_TEXT / 1e6} MB can be read.`
    : "";
}

/**
 * @param {string} text
 * @param {string} board what moves without a start are played on: `8x8` or `freeling`
 * @returns {PgnGame[]} at least one
 */
export function readAny(text, board) {
  return readTexts(text, board, undefined);
}

/**
 * What a text holds, without the games that cannot be read if there are others.
 * @param {string} text @param {string} board
 * @returns {{games: PgnGame[], errors: string[]}}
 */
export function readSome(text, board) {
  /** @type {string[]} */
  const errors = [];
  const games = readTexts(text, board, errors);
  return { games, errors };
}

/** @param {string} text @param {string} board @param {string[] | undefined} errors */
function readTexts(text, board, errors) {
  const error = excess(text.length);
  if (error) throw new ParseError(error);
  const trimmed = text.trim();
  if (!trimmed) throw new ParseError("Paste a game first, or open a file that has one.");
  if (trimmed.slice(0, 1000).includes("\0")) throw new ParseError("This is not a text file.");
  if (/^\(\s*;\s*[A-Z]{1,2}\[/.test(trimmed))
    throw new ParseError(
      "This is an SGF file; petard reads PGN, FEN, Little Golem’s text and trmph links.",
    );
  // Only short texts are looked at as a whole, so that no pattern is slow on a long one.
  const short = trimmed.length <= SHORT ? trimmed.replace(/\s+/g, " ") : "";
  const word = short.includes(" ") ? "" : short;
  const games =
    readTrmph(trimmed) ??
    readOurs(word) ??
    readEpd(trimmed, board) ??
    readPosition(short, board) ??
    refuseAddress(trimmed) ??
    readPgn(text, errors).map((game) => onBoard(game, board));
  if (!games.length) throw new ParseError(errors?.[0] ?? "There is no game in the text.");
  return games;
}

/** Throws if a text begins with the address of a page. @param {string} text @returns {null} */
function refuseAddress(text) {
  if (/^(?:https?:\/\/|www\.)/i.test(text))
    throw new ParseError(
      "There is no game in this address, and petard loads nothing from the internet. " +
        "Copy the game’s moves there and paste them here.",
    );
  return null;
}

/** The fields of a FEN between rows and counters that mean something in chess only. */
const CHESS = /(?:\s+(?:-|[KQkqA-Ha-h]+)\s+(?:-|[a-h][1-9]\d?)(?=[\s;]|$))?/.source;
const COUNTERS = /(?:\s+\d{1,9}\s+\d{1,9}(?=[\s;]|$))?/.source;
const OPERATIONS = /\s*;.*|\s+(?!moves\b)[A-Za-z]\w*[\s;].*|\s*/.source;
/** A position with the fields that it can have, and then nothing, or an EPD's operations. */
const EPD = new RegExp(
  `^\\s*((?:[pPdD\\d]+/){3,}[pPdD\\d]+\\s+[wbWB]${CHESS}${COUNTERS})(?:${OPERATIONS})$`,
);

/**
 * Positions, one a line, as lists of openings have them; what follows the position on its line is
 * left out.
 * @param {string} text @param {string} board
 * @returns {PgnGame[] | null}
 */
function readEpd(text, board) {
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() && !line.startsWith("#"));
  const found = lines.map((line) => EPD.exec(line)?.[1]);
  if (!found.length || found.includes(undefined)) return null;
  return found.flatMap((fen, index) => {
    const games = readPosition(fen ?? "", board) ?? [];
    for (const game of games) if (found.length > 1) game.headers.Event = `Position ${index + 1}`;
    return games;
  });
}

/**
 * The text of a file in UTF-8, in UTF-16 with a byte order mark, or else in Latin-1.
 * @param {ArrayBuffer} bytes
 */
export function decode(bytes) {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** @param {string} fen @param {Variant} variant @param {string[]} moves @returns {PgnGame} */
export function plain(fen, variant, moves) {
  return {
    headers: {},
    variant,
    fen,
    line: moves.map((move) => ({ move, variations: [] })),
    comment: "",
    result: "*",
  };
}

/** `board#8,a2b3b7b6` or `board#8x6,a2a3a5a4`, alone or at the end of an address. */
const TRMPH = /^\S*#(\d{1,2})(?:x(\d{1,2}))?,([a-z0-9,]*)$/i;

/**
 * Links to trmph.com, one a line; other lines that begin with `#` are comments.
 * @param {string} text
 * @returns {PgnGame[] | null}
 */
function readTrmph(text) {
  const links = [];
  for (const line of text.split(/\r\n?|\n/)) {
    const found = TRMPH.exec(line.trim());
    if (found) links.push(found);
    else if (line.trim() && !line.startsWith("#")) return null;
  }
  return links.length ? links.map(ofTrmph) : null;
}

/** @param {RegExpExecArray} found @returns {PgnGame} */
function ofTrmph(found) {
  const [width, height] = [Number(found[1]), Number(found[2] ?? found[1])];
  if (!isBoard(width, height))
    throw new ParseError(`A board of ${width} by ${height} is not supported.`);
  const moves = found[3].toLowerCase().match(/[a-z]\d{1,2}[a-z]\d{1,2}|[^,]/g) ?? [];
  const odd = moves.find((move) => move.length < 4);
  if (odd) throw new ParseError("The moves of the link cannot be read.");
  return plain(startFen(width, height), "breakthrough", moves);
}

/** @param {string} text @returns {PgnGame[] | null} */
function readOurs(text) {
  const hash = /^\S*(#\S+)$/.exec(text)?.[1];
  const link = hash ? readLink(hash) : null;
  return link?.fen ? [plain(link.fen, link.variant, link.moves)] : null;
}

/**
 * `[position] fen FEN`, or the FEN alone, with or without moves.
 * @param {string} text
 * @param {string} board
 * @returns {PgnGame[] | null}
 */
function readPosition(text, board) {
  const found =
    /^(?:position\s+)?(?:fen\s+)?((?:[pPdD\d]+\/)+[pPdD\d]+\s[^;]*?)(?:\s+moves\s+(.*))?$/s.exec(
      text,
    );
  const start = /^(?:position\s+)?startpos(?:\s+moves\s+(.*))?$/s.exec(text);
  const moves = (found?.[2] ?? start?.[1] ?? "").split(/\s+/).filter(Boolean);
  if (start) {
    const { variant, fen } = startOf(board);
    return [plain(fen, variant, moves)];
  }
  if (!found) return null;
  const hasPairs = /[dD]/.test(found[1].split(/\s/)[0]);
  const picture = parseFen(found[1], hasPairs ? "freeling" : "breakthrough");
  const shape = picture.width === 5 && picture.height === 9;
  const variant = hasPairs || (shape && board === "freeling") ? "freeling" : "breakthrough";
  return [plain(fenOf(parseFen(found[1], variant)), variant, moves)];
}

/**
 * Moves without headers belong to the chosen board, or else to the first common one that they fit.
 * @param {PgnGame} game @param {string} board
 */
function onBoard(game, board) {
  if (Object.keys(game.headers).some((name) => /^(fen|variant)$/i.test(name))) return game;
  const fitting = [board, "8x8", "7x7", "6x6", "5x5"].find((one) => isPlayedOn(game, one));
  return { ...game, ...startOf(fitting ?? board) };
}

/**
 * Whether the moves of a game can be those of a board, by their squares.
 * @param {PgnGame} game @param {string} board
 */
function isPlayedOn({ line }, board) {
  const { variant, fen } = startOf(board);
  if (variant === "freeling") return true;
  const { width, height } = parseFen(fen);
  const squares = line.map(({ move }) => move.toLowerCase().match(/[a-z]\d{1,2}/g) ?? []);
  const isOn = (/** @type {string} */ name) => {
    const square = parseSquare(name);
    return square !== null && square.file < width && square.rank < height;
  };
  // Black's first move is from one of the two ranks at the top.
  const [from, to] = squares[1] ?? [];
  const isBlacks = !to || (parseSquare(from)?.rank ?? 0) >= height - 2;
  return isBlacks && squares.flat().every(isOn);
}
