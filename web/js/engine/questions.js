/**
 * What the page asks of the engine beyond playing and searching.
 *
 * The protocol answers most of it in texts that are meant for people, or by a round trip for
 * each position. All of that is gathered here, so that better answers can take its place.
 */

import { passedFen } from "../rules/picture.js";
import { parseEval } from "./parse.js";
import { Refused } from "./engine.js";

/** @import { Winner } from "../rules/ending.js" */
/** @import { Engine, Place } from "./engine.js" */
/** @typedef {{fen: string, moves: string[], winner: Winner | null}} Facts */

/** @param {string} line */
const isOutcome = (line) => line.startsWith("Outcome:");

/**
 * Legal moves, text and outcome of a position.
 * @param {Engine} engine @param {Place} place
 * @returns {Promise<Facts>} rejected with `Refused` if the position or a move is not possible
 */
export async function factsOf(engine, place) {
  const lines = await engine.ask(place, ["moves", "d"], isOutcome);
  const moves = lines.find((line) => line.startsWith("moves:"))?.slice(6).trim() ?? "";
  const fen = lines.find((line) => line.startsWith("Fen: "))?.slice(5) ?? "";
  const outcome = lines.at(-1)?.slice(9) ?? "none";
  const winner = outcome === "white wins" ? "white" : outcome === "black wins" ? "black" : outcome === "draw" ? "draw" : null;
  return { fen, moves: moves ? moves.split(" ") : [], winner };
}

/**
 * How many of the moves can be played one after the other, and why not more.
 * @param {Engine} engine @param {Place} place
 * @returns {Promise<{count: number, reason: string}>}
 */
export async function legalPrefix(engine, place) {
  try {
    await engine.ask(place, ["d"], isOutcome);
    return { count: place.moves.length, reason: "" };
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    const found = /^move (\d+): /.exec(fault.message);
    if (!found) throw fault;
    return { count: Number(found[1]) - 1, reason: fault.message };
  }
}

/** What each man is worth, or the terms of the evaluation. @param {Engine} engine @param {Place} place */
export async function valuesOf(engine, place) {
  return parseEval(await engine.ask(place, ["eval"], (line) => line.startsWith("Evaluation:")));
}

/**
 * The same position with the other side to move, to see what it threatens; null where that side
 * could not pass.
 * @param {string} fen of the position itself
 * @param {Place} place
 * @returns {Place}
 */
export function passedPlace(fen, place) {
  return { variant: place.variant, fen: passedFen(fen), moves: [] };
}
