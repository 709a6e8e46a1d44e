/**
 * After a lost or imported game: its review, and then its worst mistakes as questions beside the
 * board.
 */

import { chanceOf, provenWinner, whiteChance } from "../model/chance.js";
import { learnerOf, loserOf, personsSide } from "../model/game.js";
import { costOf, isHasty } from "../model/judge.js";
import { lineFrom, moveTextAt, nodeOf, numberOf } from "../model/tree.js";
import { whiteToMove } from "../rules/picture.js";
import { evalIn } from "../text/shapes.js";
import { markChanged, shownGame } from "./app.js";
import { openToAnalyse } from "./import.js";
import { analysisOf } from "./library.js";
import { newGame, startAt } from "./play.js";
import { askAgain, badMoves } from "./practice.js";
import { review, verdictsOf } from "./review.js";

/** @import { Node, Sides } from "../../types/game" */

/** Questions in a lesson. */
const MAX_QUESTIONS = 3;

/** Whether the person has lost. @param {Game} game */
export function isLost(game) {
  const side = personsSide(game);
  return side !== null && game.result === (side === "white" ? "0-1" : "1-0");
}

/** Whether the review of the game that is shown is offered: there are no evaluations yet. @param {App} app */
export function offersReview(app) {
  const game = app.store.state.view === "analyse" ? shownGame(app) : null;
  if (!game?.offersReview || Object.keys(game.review ?? {}).length) return false;
  const line = lineFrom(game.tree);
  return line.length > 2 && !line.some(({ commands }) => evalIn(commands));
}

/** Does without the review that is offered. @param {App} app */
export function declineReview(app) {
  const game = shownGame(app);
  if (!game) return;
  delete game.offersReview;
  markChanged(app, game);
}

/** Reviews the game that was just played, and asks its worst mistakes. @param {App} app */
export async function learnFromGame(app) {
  const played = app.store.state.games.play;
  if (!played || !personsSide(played)) return;
  openToAnalyse(app, await analysisOf(played));
  await learnFromShown(app);
}

/** Reviews the game that is shown, and asks the worst mistakes of those who are to learn. @param {App} app */
export async function learnFromShown(app) {
  const { store } = app;
  const game = shownGame(app);
  if (!game) return;
  const sides = learnerOf(game);
  store.set({ lesson: { game: game.id, sides }, practice: null, panel: "review" });
  await review(app);
  const isStill = store.state.lesson?.game === game.id && shownGame(app) === game;
  if (isStill && !store.state.review) {
    // The worst, in the order of the game; then those that only hastened the end.
    const bad = badMovesByHarm(app, game, sides === "both" ? undefined : sides === "white");
    const loser = sideThatLost(game, sides);
    const hasty = loser ? hastyMoves(game, loser === "white", bad) : [];
    const all = [...bad, ...hasty];
    const worst = all.slice(0, MAX_QUESTIONS).sort((a, b) => a.ply - b.ply);
    askAgain(app, game, worst, bad.length);
  }
}

/**
 * The side whose losing move the lesson names.
 * @param {Game} game @param {Sides} sides whose mistakes are asked
 */
export function sideThatLost(game, sides) {
  const loser = loserOf(game);
  return sides === "both" || sides === loser ? loser : null;
}

/**
 * Bad moves, the worst first. A proven win that was missed is worse than any estimate.
 * @param {App} app @param {Game} game @param {boolean} [white] one side's, or both sides'
 */
function badMovesByHarm(app, game, white) {
  const verdicts = verdictsOf(app, game);
  const harm = (/** @type {number} */ id) => {
    const verdict = verdicts.get(id);
    return (verdict?.loss ?? 0) + (verdict?.missed != null ? 1 : 0);
  };
  return badMoves(app, game, white).sort((a, b) => harm(b.id) - harm(a.id));
}

/**
 * A side's moves that made a lost game worse, the worst first.
 * @param {Game} game @param {boolean} white @param {Node[]} others that are asked anyway
 */
function hastyMoves(game, white, others) {
  const cost = (/** @type {Node} */ { parent, move, id }) => {
    const before = game.review?.[parent ?? 0];
    return before && move ? costOf(move, before, game.review?.[id] ?? null) : 0;
  };
  return lineFrom(game.tree)
    .filter((node) => node.move && whiteToMove(node.fen) !== white && !others.includes(node))
    .filter((node) => isHasty(cost(node)))
    .sort((a, b) => cost(b) - cost(a));
}

/**
 * Whether a side had lost before its first move, beyond doubt.
 * @param {Game} game @param {boolean} white
 */
export function wasLostAtStart({ tree, review }, white) {
  const first = lineFrom(tree).find(({ fen }) => whiteToMove(fen) === white);
  return (
    Boolean(first) &&
    [tree.nodes[0], first].every(
      (node) => node && provenWinner(node, review?.[node.id]) === (white ? "black" : "white"),
    )
  );
}

/**
 * The move that lost the game, if one stands out: the last bad one before which it was not lost yet,
 * for what was given away before was given back.
 * @param {App} app @param {Game} game @param {boolean} white
 */
export function losingMove(app, game, white) {
  const wasOpen = (/** @type {Node} */ { parent }) => {
    const before = nodeOf(game.tree, parent ?? 0);
    const seen = game.review?.[before.id];
    return seen && chanceOf(seen.score) >= 0.5;
  };
  const open = badMoves(app, game, white).findLast(wasOpen);
  if (open || wasLostAtStart(game, white)) return open ?? null;
  return badMovesByHarm(app, game, white).at(0) ?? null;
}

/**
 * A side's chance in the position in which it resigned or ran out of time, if it was not lost.
 * @param {Game} game @param {boolean} white
 */
export function chanceGivenUp({ tree, review }, white) {
  const last = lineFrom(tree).at(-1);
  const seen = last && !last.winner && review?.[last.id];
  if (!seen) return null;
  const ofWhite = whiteChance(seen.score, last.fen);
  const chance = white ? ofWhite : 1 - ofWhite;
  return chance >= 0.5 ? chance : null;
}

/** A move as a sentence names it: `10.a1b2`. @param {Game} game @param {number} id */
export function moveName({ tree }, id) {
  const node = nodeOf(tree, id);
  const text = moveTextAt(tree, node.parent ?? 0, node.move ?? "");
  return numberOf(tree, node).replace("...", "…") + text;
}

/** Plays the game on from before its losing move, or from where it was given up. @param {App} app */
export function playOn(app) {
  const game = shownGame(app);
  const { lesson } = app.store.state;
  if (!game || !lesson) return;
  const side = sideThatLost(game, lesson.sides) ?? "white";
  const white = side === "white";
  const isGivenUp = chanceGivenUp(game, white) !== null;
  const lost = isGivenUp ? null : losingMove(app, game, white);
  const last = lineFrom(game.tree).at(-1);
  const node = isGivenUp && last ? last : nodeOf(game.tree, lost?.parent ?? 0);
  newGame(app, startAt(game, node.id), side);
  app.store.set({ view: "play", lesson: null });
}
