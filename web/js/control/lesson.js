/** After a lost game: its review, and then its worst mistakes as questions beside the board. */

import { chanceOf, provenWinner } from "../model/chance.js";
import { personsSide } from "../model/game.js";
import { costOf, isHasty } from "../model/judge.js";
import { lineFrom, nodeOf, numberOf } from "../model/tree.js";
import { moveText } from "../rules/apply.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { shownGame } from "./app.js";
import { openToAnalyse } from "./import.js";
import { analysisOf } from "./library.js";
import { newGame } from "./play.js";
import { askAgain, badMoves } from "./practice.js";
import { review, verdictsOf } from "./review.js";

/** @import { Node } from "../../types/game" */

/** Questions in a lesson. */
const MAX_QUESTIONS = 3;

/** Whether the person has lost. @param {Game} game */
export function isLost(game) {
  const side = personsSide(game);
  return side !== null && game.result === (side === "white" ? "0-1" : "1-0");
}

/** Reviews the game that was just played, and asks its worst mistakes. @param {App} app */
export async function learnFromGame(app) {
  const { store } = app;
  const played = store.state.games.play;
  const side = played && personsSide(played);
  if (!played || !side) return;
  const game = await analysisOf(played);
  const white = side === "white";
  store.set({ lesson: { game: game.id, white }, practice: null });
  openToAnalyse(app, game);
  store.set({ panel: "review" });
  await review(app);
  const isStill = store.state.lesson?.game === game.id && shownGame(app) === game;
  if (isStill && !store.state.review) {
    // The worst, in the order of the game; then those that only hastened the end.
    const bad = badMovesByHarm(app, game, white);
    const worst = [...bad, ...hastyMoves(game, white, bad)].slice(0, MAX_QUESTIONS);
    worst.sort((a, b) => a.ply - b.ply);
    askAgain(app, game, white, worst);
  }
}

/**
 * A side's bad moves, the worst first. A proven win that was missed is worse than any estimate.
 * @param {App} app @param {Game} game @param {boolean} white
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

/** A move as a sentence names it: `10.a1b2`. @param {Game} game @param {number} id */
export function moveName({ tree }, id) {
  const node = nodeOf(tree, id);
  const before = parseFen(nodeOf(tree, node.parent ?? 0).fen, tree.variant);
  return numberOf(tree, node).replace("...", "…") + moveText(before, node.move ?? "");
}

/** Plays the game on from before its losing move. @param {App} app */
export function playOn(app) {
  const game = shownGame(app);
  const { lesson } = app.store.state;
  if (!game || !lesson) return;
  const lost = losingMove(app, game, lesson.white);
  const node = nodeOf(game.tree, lost?.parent ?? 0);
  newGame(app, { variant: game.tree.variant, fen: node.fen }, lesson.white ? "white" : "black");
  app.store.set({ view: "play", lesson: null });
}
