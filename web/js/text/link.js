/**
 * Positions and moves in the address: `#analyse?board=8x8&moves=a2a3.b7b6`, or `fen=` instead of
 * `board=`, with blanks as `_`; with neither, on 8x8. Or a whole game with variations and comments,
 * `#analyse?pgn=` and its packed PGN: compressed, in letters that every program leaves alone.
 * Nothing of it is sent to a server.
 */

import { startOf } from "../model/game.js";
import { MAX_NODES } from "../model/tree.js";
import { fenOf, isBoard, isStart, parseFen } from "../rules/picture.js";
import { normalMove } from "../rules/squares.js";

/**
 * @typedef {{view: string, variant: Variant, fen: string | null, moves: string[]}} Link `fen` is
 * null if there is no position
 */

/** The packed PGN of a link to a whole game, if it is one. @param {string} link */
export function packedIn(link) {
  return /^\S*#analyse\?pgn=([\w-]{1,200000})$/.exec(link.trim())?.[1] ?? null;
}

/** A link to a whole game. @param {string} packed */
export const wholeLink = (packed) => `#analyse?pgn=${packed}`;

/** @param {string} hash @returns {Link | null} null if it is not understood */
export function readLink(hash) {
  const [view, query = ""] = hash.replace(/^#/, "").split("?", 2);
  if (!/^[a-z]*$/.test(view)) return null;
  const given = new URLSearchParams(query);
  const text = given.get("fen");
  const moves = (given.get("moves") ?? "").split(".").filter(Boolean).map(normalMove);
  // A packed game that can be read is no such link.
  if (moves.length > MAX_NODES || moves.includes(null) || given.has("pgn")) return null;
  const played = /** @type {string[]} */ (moves);
  const board = given.get("board") ?? (moves.length && !text ? "8x8" : null);
  if (board) {
    const size = /^(\d{1,2})x(\d{1,2})$/.exec(board);
    if (board !== "freeling" && !(size && isBoard(Number(size[1]), Number(size[2])))) return null;
    return { view, ...startOf(board), moves: played };
  }
  if (!text) return { view, variant: "breakthrough", fen: null, moves: [] };
  try {
    const variant = given.get("game") === "freeling" ? "freeling" : "breakthrough";
    return {
      view,
      variant,
      fen: fenOf(parseFen(text.replaceAll("_", " "), variant)),
      moves: played,
    };
  } catch {
    return null;
  }
}

/**
 * @param {string} view
 * @param {Variant} variant
 * @param {string} fen where the moves begin
 * @param {string[]} moves
 */
export function writeLink(view, variant, fen, moves) {
  const parts = [];
  if (!isStart(fen, variant))
    parts.push(
      ...(variant === "freeling" ? ["game=freeling"] : []),
      `fen=${fen.replaceAll(" ", "_")}`,
    );
  else if (variant === "freeling") parts.push("board=freeling");
  else {
    const { width, height } = parseFen(fen);
    parts.push(`board=${width}x${height}`);
  }
  if (moves.length) parts.push(`moves=${moves.join(".")}`);
  return `#${view}?${parts.join("&")}`;
}

/** The longest text that is unpacked, in characters: what a small address can grow to. */
const MAX_UNPACKED = 2_000_000;

/** @param {string} text @returns {Promise<string>} */
export async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} packed @returns {Promise<string | null>} null if it is not a packed text */
export async function unpack(packed) {
  try {
    const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
      if (text.length > MAX_UNPACKED) return null;
    }
  } catch {
    return null;
  }
}
