/** Finding out who wins the position that is shown, beyond doubt. */

import { addMove, nodeOf, placeOf } from "../model/tree.js";
import { Lost, Refused } from "../engine/engine.js";
import { parseInfo, parseProgress } from "../engine/parse.js";
import { notify, resources, say, shownGame, touch } from "./app.js";

/** @typedef {import("./app.js").App} App */

/** @type {AbortController | null} */
let running = null;

/** @param {App} app */
export async function prove(app) {
  const { store } = app;
  const game = shownGame(app);
  if (!game || running) return;
  const id = game.at;
  const key = `${game.id} ${id}`;
  const mine = new AbortController();
  running = mine;
  store.set({ proof: { key, running: true, progress: null, winner: null, line: [], done: false } });
  /** @type {"white" | "black" | null} */
  let winner = null;
  /** @type {string[]} */
  let line = [];
  try {
    await app.engine.search(placeOf(game.tree, id), "go prove", {
      options: resources(app),
      signal: mine.signal,
      line: (text) => {
        const progress = parseProgress(text);
        if (progress && store.state.proof) store.set({ proof: { ...store.state.proof, progress } });
        const found = /^info string proof (white|black) wins/.exec(text);
        if (found) winner = /** @type {"white" | "black"} */ (found[1]);
        line = parseInfo(text)?.pv ?? line;
      },
    });
  } catch (fault) {
    if (!(fault instanceof Lost) && !(fault instanceof Refused)) throw fault;
    notify(app, fault instanceof Lost ? "The proof was interrupted: the connection to the engine was lost." : fault.message, "fault");
  }
  running = null;
  store.set({ proof: { key, running: false, progress: store.state.proof?.progress ?? null, winner, line, done: true } });
  if (!winner) return;
  nodeOf(game.tree, id).proof = { winner, move: line[0] ?? null };
  say(app, `Proven: ${winner === "white" ? "White" : "Black"} wins.`);
  touch(app, game);
}

export function stopProof() {
  running?.abort();
}

/** Adds the proof's line to the tree, every position of it marked as proven. @param {App} app */
export function keepProof(app) {
  const game = shownGame(app);
  const { proof } = app.store.state;
  if (!game || !proof?.winner || !proof.key.startsWith(game.id)) return;
  let node = nodeOf(game.tree, Number(proof.key.split(" ")[1]));
  for (const [index, move] of proof.line.entries()) {
    node = addMove(game.tree, node.id, move);
    node.proof = { winner: proof.winner, move: proof.line[index + 1] ?? null };
  }
  touch(app, game);
}
