/**
 * On a solved board every move says who wins: those that no proof covers are proven one after the
 * other, by an engine of their own, while the position is shown.
 */

import { ConnectionLost, Engine, EngineFailed } from "../engine/engine.js";
import { parseProof } from "../engine/parse.js";
import { provenWinner } from "../model/chance.js";
import { keyOf } from "../model/explorer.js";
import { gamePositionOf } from "../model/tree.js";
import { play } from "../rules/apply.js";
import { fenOf, parseFen, whiteToMove } from "../rules/picture.js";
import { isAsking, isProving } from "../state.js";
import { markChanged, shownGame, shownNode } from "./app.js";

/** @import { Node } from "../../types/game" */
/** @import { Winner } from "../rules/ending.js" */

/** How long a move is looked at in each round, in milliseconds: first what is easy. */
const ROUNDS = [300, 1500, 6000, 30_000, 120_000];
/** Small, beside the analysis. */
const RESOURCES = { Threads: 1, Hash: 16 };
/** Positions whose result is remembered. */
const MAX_KNOWN = 20_000;

/** Whether a position is one that can be proven, and not of the many that cannot. @param {Node} node */
export function isSolved(node) {
  const { results, book } = node.theory ?? { results: {}, book: [] };
  return Boolean(
    provenWinner(node) || Object.keys(results).length || book.some(({ mate }) => mate !== null),
  );
}

/** Whether a core is free for it. @param {App} app */
function hasCore({ store: { state } }) {
  const { analysing, settings, review } = state;
  const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
  return (!analysing && !review) || settings.threads < cores;
}

/** The position whose moves are to be proven, if any. @param {App} app */
function wanted(app) {
  const { state } = app.store;
  const game = state.view === "analyse" ? shownGame(app) : null;
  const node = shownNode(app);
  const isFree = hasCore(app) && !isProving(state) && !isAsking(state) && !document.hidden;
  if (game?.tree.variant !== "breakthrough" || !node?.legal?.length || !isFree) return null;
  return node.theory && isSolved(node) ? { game, node } : null;
}

/** Keeps the results of all moves coming. @param {App} app */
export function keepProvingMoves(app) {
  const { store } = app;
  /** By position; mirror images are one. @type {Map<string, Winner>} */
  const known = new Map();
  /** @type {Engine | null} */
  let engine = null;
  let now = "";
  let mine = new AbortController();
  const close = () => {
    engine?.close();
    engine = null;
  };
  const check = () => {
    const place = wanted(app);
    const key = place ? `${place.game.id} ${place.node.id}` : "";
    if (store.state.view !== "analyse") close();
    if (key === now) return;
    now = key;
    mine.abort();
    mine = new AbortController();
    if (!place) return;
    const { signal } = mine;
    const start = () => {
      engine ??= new Engine(app.open);
      return engine;
    };
    proveMoves(app, place.game, place.node, { known, start, signal }).catch((error) => {
      // It goes on with the next position.
      close();
      if (!(error instanceof ConnectionLost || error instanceof EngineFailed)) throw error;
    });
  };
  store.on(
    ["view", "rev", "games", "analysing", "settings", "proof", "practice", "review", "editor"],
    check,
  );
  document.addEventListener("visibilitychange", check);
}

/**
 * @param {App} app @param {Game} game @param {Node} node
 * @param {{known: Map<string, Winner>, start: () => Engine, signal: AbortSignal}} how
 */
async function proveMoves(app, game, node, { known, start, signal }) {
  /** @type {Record<string, "won" | "lost">} */
  const results = node.theory?.results ?? {};
  const side = whiteToMove(node.fen) ? "white" : "black";
  const picture = parseFen(node.fen);
  const keys = new Map(
    (node.legal ?? []).map((move) => [
      move,
      keyOf(fenOf(play(picture, move).picture), "breakthrough").key,
    ]),
  );
  /** Takes over what is known; says whether anything is open. */
  const open = () => {
    const winner = provenWinner(node);
    let isNew = false;
    for (const [move, key] of keys) {
      const isAnswer = winner === side && node.proof?.move === move;
      const found = (winner !== side && winner) || (isAnswer ? side : known.get(key));
      if (!found || results[move]) continue;
      results[move] = found === side ? "won" : "lost";
      isNew = true;
    }
    if (isNew) markChanged(app);
    return [...keys].filter(([move]) => !results[move]);
  };
  const place = gamePositionOf(game.tree, node.id);
  for (const milliseconds of ROUNDS) {
    for (const [move, key] of open()) {
      if (results[move]) continue;
      /** @type {Winner | null} */
      let winner = null;
      await start().search(
        { ...place, moves: [...place.moves, move] },
        `go prove movetime ${milliseconds}`,
        { options: RESOURCES, line: (text) => (winner = parseProof(text) ?? winner), signal },
      );
      if (winner && known.size < MAX_KNOWN) known.set(key, winner);
      if (signal.aborted) return;
      open();
    }
  }
}
