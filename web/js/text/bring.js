/** Telling what a pasted text is: FEN, PGN, Little Golem's moves, a trmph link, or our own link. */

import { startOf } from "../model/game.js";
import { fenOf, isBoard, parseFen, startFen } from "../rules/picture.js";
import { readLink } from "./link.js";
import { MAX_TEXT, readPgn, TextFault } from "./pgn.js";

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
  const fault = excess(text.length);
  if (fault) throw new TextFault(fault);
  const trimmed = text.trim();
  if (!trimmed) throw new TextFault("There is no text.");
  // Only short texts are looked at as a whole, so that no pattern is slow on a long one.
  const short = trimmed.length <= SHORT ? trimmed.replace(/\s+/g, " ") : "";
  const word = short.includes(" ") ? "" : short;
  const games =
    readTrmph(word) ??
    readOurs(word) ??
    readPosition(short, board) ??
    readPgn(text).map((game) => onBoard(game, board));
  if (!games.length) throw new TextFault("There is no game in the text.");
  return games;
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

/**
 * `board#8,a2b3b7b6`, alone or at the end of an address.
 * @param {string} text
 * @returns {PgnGame[] | null}
 */
function readTrmph(text) {
  const found = /^\S*#(\d{1,2}),([a-z0-9,]*)$/i.exec(text);
  if (!found) return null;
  const side = Number(found[1]);
  if (!isBoard(side, side)) throw new TextFault(`A board of ${side} by ${side} is not supported.`);
  const moves = found[2].toLowerCase().match(/[a-z]\d{1,2}[a-z]\d{1,2}|[^,]/g) ?? [];
  const odd = moves.find((move) => move.length < 4);
  if (odd) throw new TextFault("The moves of the link cannot be read.");
  return [plain(startFen(side, side), "breakthrough", moves)];
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
  const picture = parseFen(found[1]);
  const shape = picture.width === 5 && picture.height === 9;
  const variant =
    picture.cells.some((cell) => Math.abs(cell) > 1) || (shape && board === "freeling")
      ? "freeling"
      : "breakthrough";
  return [plain(fenOf({ ...picture, variant }), variant, moves)];
}

/** Moves without headers belong to the chosen board. @param {PgnGame} game @param {string} board */
function onBoard(game, board) {
  if (game.headers.FEN || game.headers.Variant) return game;
  return { ...game, ...startOf(board) };
}
