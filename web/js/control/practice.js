/** Learning from mistakes: the positions before a side's bad moves, asked again. */

import { factsOf } from "../engine/questions.js";
import { percent, whiteChance } from "../model/chance.js";
import { costOf, isBad, isHasty, judge, resultFor } from "../model/judge.js";
import { whyBad } from "../model/reasons.js";
import { gamePositionOf, lineFrom, moveTextAt, nodeOf } from "../model/tree.js";
import { sideName } from "../rules/ending.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { isAsking } from "../state.js";
import { announce, goTo, persist, shownGame, shownNode } from "./app.js";
import { evaluate, verdictsOf } from "./review.js";

/** @import { Score } from "../engine/parse.js" */
/** @import { Seen } from "../model/judge.js" */
/** @import { Node } from "../../types/game" */
/** @import { Practice } from "../../types/state" */

/**
 * The bad moves, of one side or of both.
 * @param {App} app
 * @param {Game} game
 * @param {boolean} [white]
 */
export function badMoves(app, game, white) {
  const verdicts = verdictsOf(app, game);
  return lineFrom(game.tree).filter((node) => {
    const verdict = verdicts.get(node.id);
    return verdict && verdict.white === (white ?? verdict.white) && isBad(verdict);
  });
}

/** Asks all bad moves of a side. @param {App} app @param {boolean} white */
export function practise(app, white) {
  const game = shownGame(app);
  if (game) askAgain(app, game, badMoves(app, game, white));
}

/**
 * Asks these moves of a game again.
 * @param {App} app
 * @param {Game} game
 * @param {Node[]} moves
 * @param {number} [all] how many there are, if these are the worst of them
 */
export function askAgain(app, game, moves, all = moves.length) {
  const nodes = moves.map((node) => node.id);
  if (nodes.length)
    ask(app, {
      game: game.id,
      nodes,
      all,
      at: 0,
      found: 0,
      status: "ask",
      move: "",
      reply: "",
      why: "",
    });
}

/** @param {App} app @param {Practice} practice */
function ask(app, practice) {
  app.store.set({ practice: { ...practice, status: "ask", move: "", reply: "", why: "" } });
  back(app);
}

/** The position that is asked, if its game is shown. @param {App} app */
export function askedNode(app) {
  const { practice, view } = app.store.state;
  const game = shownGame(app);
  if (!practice || view !== "analyse" || game?.id !== practice.game) return null;
  return nodeOf(game.tree, nodeOf(game.tree, practice.nodes[practice.at]).parent ?? 0);
}

/** Shows the position that is asked. @param {App} app */
export function back(app) {
  const node = askedNode(app);
  if (!node) return;
  goTo(app, node.id);
  announce(app, `Find a better move for ${sideName(whiteToMove(node.fen))}.`);
}

/**
 * The best move of the position that is asked: the review's, unless the engine's lines, which are
 * shown beside it, have found a better one since.
 * @param {App} app
 */
export function solution(app) {
  const node = askedNode(app);
  const best = (node && shownGame(app)?.review?.[node.id]?.best) ?? null;
  const { analysis } = app.store.state;
  const lines = node && analysis?.fen === node.fen ? analysis.lines : [];
  const same = lines.find(({ pv }) => pv[0] === best);
  const first = lines[0]?.score;
  if (!node || !first || !best) return best;
  const chance = (/** @type {Score} */ score) => percent(whiteChance(score, node.fen));
  return same?.score && chance(same.score) === chance(first) ? best : lines[0].pv[0];
}

/** The bad move that is asked about: its verdict, and what answers it. @param {App} app */
export function askedMove(app) {
  const { practice } = app.store.state;
  const game = shownGame(app);
  if (!practice || !game) return null;
  const node = nodeOf(game.tree, practice.nodes[practice.at]);
  const verdict = verdictsOf(app, game).get(node.id);
  const after = node.winner ? null : game.review?.[node.id];
  return { node, verdict, after, before: game.review?.[node.parent ?? 0] ?? null };
}

/**
 * A person's answer. It is right if the review would not have called it an inaccuracy.
 * @param {App} app
 * @param {string} move
 */
export async function answer(app, move) {
  const { store } = app;
  const { practice } = store.state;
  const game = shownGame(app);
  const node = askedNode(app);
  const before = node && game?.review?.[node.id];
  if (!practice || !game || !before || practice.status === "checking") return;
  const now = { ...practice, move };
  store.set({
    practice: { ...now, status: "checking" },
    preview: { fen: node.fen, variant: game.tree.variant, moves: [move], shown: 1 },
  });
  const asked = askedMove(app)?.verdict;
  const { isGood: right, seen } =
    move === before.best || move === solution(app)
      ? { isGood: true, seen: null }
      : await judgeAnswer(app, game, node.id, move, before, Boolean(asked && !isBad(asked)));
  const reply = seen?.best ?? "";
  const why = whyBad(parseFen(node.fen, game.tree.variant), move, seen, before);
  const { practice: then } = store.state;
  if (then?.status !== "checking" || then.game !== now.game || then.at !== now.at) return;
  store.set({
    practice: {
      ...now,
      found: now.found + (right && practice.status === "ask" ? 1 : 0),
      status: right ? "right" : "wrong",
      reply,
      why,
    },
    ...(right ? {} : { preview: reply ? refutation(node, game, [move, reply]) : null }),
  });
  const text = moveTextAt(game.tree, node.id, move);
  announce(
    app,
    right ? `${text} is good.` : `${text} is not the best move${why && `: ${why}`}. Try again.`,
  );
}

/**
 * A wrong answer and its reply, on the board.
 * @param {Node} node @param {Game} game @param {string[]} moves
 */
const refutation = ({ fen }, { tree: { variant } }, moves) => ({ fen, variant, moves, shown: 2 });

/** The position that is asked, once more. @param {App} app */
export function tryAgain(app) {
  const { practice } = app.store.state;
  if (practice?.status === "wrong" && practice.reply && askedNode(app))
    app.store.set({ practice: { ...practice, reply: "" }, preview: null });
}

/**
 * Whether the review would not have called a move a mistake, and what answers it.
 * @param {App} app
 * @param {Game} game
 * @param {number} id
 * @param {string} move
 * @param {Seen} before
 * @param {boolean} [isLost] whether all that is asked is not to hasten the end
 */
async function judgeAnswer(app, game, id, move, before, isLost = false) {
  const place = gamePositionOf(game.tree, id);
  const after = { ...place, moves: [...place.moves, move] };
  return persist(async () => {
    const { winner } = await factsOf(app.engine, after);
    const final = resultFor(winner, whiteToMove(nodeOf(game.tree, id).fen));
    const seen = winner
      ? null
      : await evaluate(app, after, Math.max(500, app.store.state.settings.reviewSeconds * 1000));
    const isGood =
      Boolean(winner || seen) &&
      !isBad(judge(move, before, seen, final, app.numbers)) &&
      !(isLost && isHasty(costOf(move, before, seen)));
    return { isGood, seen };
  });
}

/**
 * Whether the review would not have called a move a mistake.
 * @param {App} app @param {Game} game @param {number} id @param {string} move @param {Seen} before
 */
export async function holds(app, game, id, move, before) {
  return (await judgeAnswer(app, game, id, move, before)).isGood;
}

/** Ends the questions. What was not answered is not given away: the move that was played is shown. @param {App} app */
export function leave(app) {
  const { store } = app;
  const { practice } = store.state;
  const node = askedNode(app);
  if (practice && node && isAsking(store.state) && node === shownNode(app))
    goTo(app, practice.nodes[practice.at]);
  store.set({ practice: null, preview: null });
}

/** Gives the best move away. @param {App} app */
export function giveUp(app) {
  const { practice } = app.store.state;
  if (practice) app.store.set({ practice: { ...practice, status: "shown" }, preview: null });
  const game = shownGame(app);
  const best = solution(app);
  if (game && best) announce(app, `The best move was ${moveTextAt(game.tree, game.at, best)}.`);
}

/** The next one, or the end. @param {App} app */
export function goOn(app) {
  const { practice } = app.store.state;
  if (!practice) return;
  if (practice.at + 1 < practice.nodes.length)
    return ask(app, { ...practice, at: practice.at + 1 });
  app.store.set({ practice: null, preview: null });
}
