/** A game: its tree, who plays it, and how it ended. */

import { FREELING_START, isStart, parseFen, startFen } from "../rules/picture.js";
import { createTree, lineFrom } from "./tree.js";

/** @import { Mode, Player, Sides } from "../../types/game" */

/**
 * @param {Mode} mode
 * @param {Variant} variant
 * @param {string} fen
 * @returns {Game}
 */
export function createGame(mode, variant, fen) {
  const now = Date.now();
  const id = now.toString(36) + Math.random().toString(36).slice(2, 8);
  const player = /** @type {Player} */ ({ kind: "person" });
  return {
    id,
    mode,
    tree: createTree(variant, fen),
    at: 0,
    headers: {},
    result: "*",
    reason: "",
    players: { white: player, black: player },
    control: null,
    clocks: null,
    flipped: false,
    created: now,
    changed: now,
  };
}

/**
 * The start position of a board by its name: `8x8` or `freeling`.
 * @param {string} name
 * @returns {{variant: Variant, fen: string}}
 */
export function startOf(name) {
  if (name === "freeling") return { variant: "freeling", fen: FREELING_START };
  const [width, height] = name.split("x").map(Number);
  return { variant: "breakthrough", fen: startFen(width, height) };
}

/** What a game is played on, in words. @param {Game} game */
export function boardName(game) {
  const { variant, nodes } = game.tree;
  const { fen } = nodes[0];
  const { width, height } = parseFen(fen);
  const set = isStart(fen, variant) ? "" : ", from a position";
  return (variant === "freeling" ? "Freeling's game" : `${width}×${height}`) + set;
}

/** Plies on the main line. @param {Game} game */
export function plies(game) {
  return lineFrom(game.tree).length - 1;
}

/** Whether a game holds anything worth keeping. @param {Game} game */
export function worthKeeping(game) {
  const { variant, nodes } = game.tree;
  return (
    nodes.length > 1 ||
    Boolean(nodes[0].comment) ||
    Boolean(game.study) ||
    !isStart(nodes[0].fen, variant)
  );
}

/** The side of the person in a game against the engine. @param {Game} game */
export function personsSide({ players: { white, black } }) {
  if (white.kind === black.kind) return null;
  return white.kind === "person" ? "white" : "black";
}

/** The side that has lost. @param {Game} game */
export function loserOf({ result }) {
  return result === "1-0" ? "black" : result === "0-1" ? "white" : null;
}

/**
 * Whose mistakes are to be learned from: the person's, or else those that were chosen, or else the
 * loser's.
 * @param {Game} game @returns {Sides}
 */
export function learnerOf(game) {
  return personsSide(game) ?? game.learner ?? loserOf(game) ?? "both";
}

/**
 * The name that a user, or a PGN, has given a game. The user's is kept as lichess keeps that of a
 * chapter, and leaves the event alone.
 * @param {Game} game
 */
export function nameOf({ headers: { ChapterName, Event } }) {
  return ChapterName || (Event && Event !== "?" && Event !== "Breakthrough" ? Event : "");
}

/** The game's tags with another name. @param {Game} game @param {string} name */
export function withName({ headers: { ChapterName: _, ...others } }, name) {
  const plain = name.trim();
  return plain && plain !== others.Event ? { ...others, ChapterName: plain } : others;
}

/** A copy of a game, to be analysed. @param {Game} game @returns {Game} */
export function copyToAnalyse(game) {
  const copy = structuredClone(game);
  const fresh = createGame("analyse", game.tree.variant, game.tree.nodes[0].fen);
  return {
    ...copy,
    id: fresh.id,
    source: game.id,
    mode: "analyse",
    created: fresh.created,
    changed: fresh.changed,
    clocks: null,
  };
}
