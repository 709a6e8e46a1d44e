/** Telling what a pasted text is: FEN, PGN, Little Golem's moves, a trmph link, or our own link. */

import { startOf } from "../model/game.js";
import { EPD, fenOf, parseFen } from "../rules/picture.js";
import { normalMove, parseSquare } from "../rules/squares.js";
import { readLink } from "./link.js";
import { fail, isFull, MAX_TEXT, ParseError, readPgn, TRMPH } from "./pgn.js";

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
 * What a text holds, without the games that cannot be read if there are others.
 * @param {string} text @param {string} board
 */
export function readSome(text, board) {
  /** @type {string[]} */
  const errors = [];
  return { games: readAny(text, board, errors), errors };
}

/**
 * @param {string} text
 * @param {string} board what moves without a start are played on: `8x8` or `freeling`
 * @param {string[]} [errors] takes what is wrong with what is left out
 * @returns {PgnGame[]} at least one
 */
export function readAny(text, board, errors) {
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
    readOurs(word) ??
    readList(trimmed, board, errors) ??
    readPosition(short, board) ??
    refuseAddress(trimmed) ??
    readPgn(text, errors).map((game) => onBoard(game, board));
  if (!games.length)
    throw new ParseError(errors?.[0] ?? "There is no game in the text: it has no move and no tag.");
  return games;
}

/** Throws if a text begins with the address of a page. @param {string} text @returns {null} */
function refuseAddress(text) {
  if (/^(?:https?:\/\/|www\.)/i.test(text) && !TRMPH.test(text.split(/\s/, 1)[0]))
    throw new ParseError(
      "There is no game in this address, and petard loads nothing from the internet. " +
        "Copy the game’s moves there and paste them here.",
    );
  return null;
}

/**
 * Positions, one a line, as lists of openings have them.
 * @param {string} text @param {string} board @param {string[] | undefined} errors
 * @returns {PgnGame[] | null}
 */
function readList(text, board, errors) {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim().replace(/\s+/g, " "));
  // Not the lines of a game, or those of one position.
  if (
    !lines.some((line) => EPD.test(line)) ||
    lines.some((line) => /^(moves|\[|-|\d+[ .])/.test(line))
  )
    return null;
  /** @type {PgnGame[]} */
  const games = [];
  for (const [at, line] of lines.entries())
    try {
      const found = readPosition(EPD.exec(line)?.[1] ?? line, board);
      if (found && !isFull(games, errors)) games.push(...found);
      else if (!found && line && !line.startsWith("#"))
        throw new ParseError(`'${line.slice(0, 30)}' is not a position.`);
    } catch (error) {
      fail(errors, `Line ${at + 1}`, error);
    }
  if (games.length > 1)
    for (const [at, { headers }] of games.entries()) headers.Event = `Position ${at + 1}`;
  return games;
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

/** @param {string} text @returns {PgnGame[] | null} */
function readOurs(text) {
  const link = readLink(/#.*/.exec(text)?.[0] ?? "");
  return link?.fen ? [plain(link.fen, link.variant, link.moves)] : null;
}

/**
 * `[position] fen FEN`, or the FEN alone, with or without moves. What looks like a FEN and is none,
 * such as one of chess, is refused for what it lacks.
 * @param {string} text
 * @param {string} board
 * @returns {PgnGame[] | null}
 */
function readPosition(text, board) {
  const found =
    /^(?:position )?(?:startpos|(?:fen )?([pd\d]+\/[pd\d]+ .*?|(?:\w+\/){2}.*?))(?: ?(?<=[ ;])moves (.*))?$/i.exec(
      text,
    );
  if (!found) return null;
  const [, given, list = ""] = found;
  const moves = list
    .split(" ")
    .filter(Boolean)
    .map((move) => normalMove(move) ?? move);
  const start = given ? startIn(given, board) : startOf(board);
  return [plain(start.fen, start.variant, moves)];
}

/** A FEN and the game that it is of. @param {string} given @param {string} board */
function startIn(given, board) {
  const hasPairs = /^[^ ]*d/i.test(given);
  const { width, height } = parseFen(given, hasPairs ? "freeling" : "breakthrough");
  const isFreeling = hasPairs || (board === "freeling" && width === 5 && height === 9);
  /** @type {Variant} */
  const variant = isFreeling ? "freeling" : "breakthrough";
  return { variant, fen: fenOf(parseFen(given, variant)) };
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
  const squares = line.map(({ move }) =>
    (move.toLowerCase().match(/[a-z]\d{1,2}/g) ?? []).map((name) => parseSquare(name)),
  );
  // Black's first move is from one of the two ranks at the top.
  const [from, to] = squares[1] ?? [];
  return (
    (!to || (from?.rank ?? 0) >= height - 2) &&
    squares.flat().every((square) => square && square.file < width && square.rank < height)
  );
}
