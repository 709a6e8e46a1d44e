/**
 * Proving who wins the position shown, over a connection of its own: it may take hours, and nothing
 * else must wait.
 */

import { ConnectionLost, Engine, PositionRefused } from "../engine/engine.js";
import { parseInfo, parseNote, parseProgress, parseProof } from "../engine/parse.js";
import { addMove, gamePositionOf, nodeOf } from "../model/tree.js";
import { announce, markChanged, notify, resources, shownGame } from "./app.js";

/** @import { ProofState } from "../../types/state" */
/** @type {AbortController | null} */
let running = null;

/** @param {App} app */
export async function prove(app) {
  const { store } = app;
  const game = shownGame(app);
  if (!game || running) return;
  const node = nodeOf(game.tree, game.at);
  const mine = new AbortController();
  running = mine;
  /** @type {ProofState} */
  let proof = {
    key: `${game.id} ${node.id}`,
    status: "running",
    progress: null,
    line: [],
    reason: "",
  };
  const tell = (/** @type {Partial<ProofState>} */ news) => {
    proof = { ...proof, ...news };
    store.set({ proof });
  };
  tell({});
  /** @type {"white" | "black" | null} */
  let winner = null;
  /** @type {string[]} */
  let line = [];
  let reason = "";
  let cut = (/** @type {ConnectionLost} */ _) => {};
  /** @type {Promise<never>} */
  const lost = new Promise((_, reject) => (cut = reject));
  const engine = new Engine(
    app.open,
    (link) => link.status === "lost" && cut(new ConnectionLost(link.reason)),
  );
  // Without a connection there is nothing to stop.
  mine.signal.addEventListener(
    "abort",
    () => engine.link.status !== "open" && cut(new ConnectionLost("")),
  );
  try {
    const search = engine.search(gamePositionOf(game.tree, node.id), "go prove", {
      options: resources(app),
      signal: mine.signal,
      line: (text) => {
        const progress = parseProgress(text);
        if (progress) tell({ progress });
        winner = parseProof(text) ?? winner;
        const note = parseNote(text);
        if (note) reason = `The engine says: ${note}.`;
        const pv = parseInfo(text)?.pv;
        if (pv?.length) line = pv;
      },
    });
    await Promise.race([search, lost]);
    // The verdict, the position's mark and the end of the work are reported together.
    if (winner) node.proof = { winner, move: line[0] ?? null };
    tell({
      status: winner ? "proven" : mine.signal.aborted ? "stopped" : "open",
      line,
      reason: mine.signal.aborted ? "" : reason,
    });
    if (!winner) return;
    announce(app, `Proven: ${winner === "white" ? "White" : "Black"} wins.`);
    markChanged(app, game);
  } catch (error) {
    const stopped = mine.signal.aborted;
    tell({
      status: stopped ? "stopped" : "lost",
      reason: stopped ? "" : /** @type {Error} */ (error).message,
    });
    if (!(error instanceof ConnectionLost) && !(error instanceof PositionRefused)) throw error;
    if (!stopped)
      notify(
        app,
        error instanceof ConnectionLost
          ? "The proof was interrupted: the connection to the engine was lost."
          : error.message,
        "error",
      );
  } finally {
    engine.close();
    running = null;
  }
}

export function stopProof() {
  running?.abort();
}

/** Adds the proof's line to the tree, with every position marked as proven. @param {App} app */
export function keepProof(app) {
  const game = shownGame(app);
  const { proof } = app.store.state;
  if (!game) return;
  const first = nodeOf(game.tree, game.at);
  if (!first.proof || proof?.key !== `${game.id} ${game.at}`) return;
  let node = first;
  for (const [index, move] of proof.line.entries()) {
    node = addMove(game.tree, node.id, move);
    node.proof = { winner: first.proof.winner, move: proof.line[index + 1] ?? null };
  }
  markChanged(app, game);
}
