/**
 * What the page asks of the engine beyond playing and searching; `protocol.md`, "Answers for
 * programs".
 */

import { PositionRefused } from "./engine.js";

/** @import { Winner } from "../rules/ending.js" */
/** @import { Engine, GamePosition } from "./engine.js" */
/** @typedef {"arrived" | "blocked" | "no pieces" | "repetition"} Reason why a game is over */
/** @import { Theory } from "../../types/game" */
/**
 * @typedef {{fen: string, moves: string[], winner: Winner | null, reason: Reason | null, theory:
 * Theory}} Facts
 */

/**
 * Legal moves, text and outcome of a position.
 * @param {Engine} engine @param {GamePosition} place
 * @returns {Promise<Facts>} rejected with `PositionRefused` if the position or a move is not possible
 */
export async function factsOf(engine, place) {
  const {
    fen,
    legal,
    outcome,
    refused,
    results = {},
    book = [],
  } = await engine.ask(place, "d json");
  if (refused) throw new PositionRefused(refused);
  return {
    fen,
    moves: legal,
    winner: outcome && (outcome.winner ?? "draw"),
    reason: outcome?.reason ?? null,
    theory: { results, book },
  };
}

/**
 * How many of the moves can be played in sequence, and why not more.
 * @param {Engine} engine @param {GamePosition} place
 * @returns {Promise<{count: number, reason: string}>} rejected with `PositionRefused` if they cannot begin
 *   there
 */
export async function legalPrefix(engine, place) {
  if (!place.moves.length) await factsOf(engine, place);
  if (!place.moves.length) return { count: 0, reason: "" };
  const { fen, moves, error } = await engine.ask(
    { ...place, moves: [] },
    `line ${place.moves.join(" ")}`,
  );
  if (fen === null) throw new PositionRefused(error);
  return { count: moves.length, reason: error ?? "" };
}

/**
 * What each piece is worth from White's view, in centipawns by square.
 * @param {Engine} engine
 * @param {GamePosition} place
 * @returns {Promise<Record<string, number>>}
 */
export async function valuesOf(engine, place) {
  return (await engine.ask(place, "eval json")).pieces ?? {};
}
