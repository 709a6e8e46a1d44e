/** Two engines with different settings play each other, each over its own connection. */

import { ConnectionLost, Engine } from "../engine/engine.js";
import { levelOf, levelOptions } from "../engine/levels.js";
import { createGame, startOf } from "../model/game.js";
import { addMove, gamePositionOf } from "../model/tree.js";
import { whiteToMove } from "../rules/picture.js";
import { loadFacts, markChanged, noteEnd, notify, resources } from "./app.js";
import { liveNode, nameSides } from "./play.js";

/** @import { Link } from "../engine/engine.js" */
/** @import { Info } from "../engine/parse.js" */
/** @type {{white: Engine, black: Engine} | null} */
let engines = null;
/** @type {AbortController | null} */
let running = null;

/** @param {App} app */
export function newMatch(app) {
  pauseMatch(app);
  const { settings, games } = app.store.state;
  const { variant, fen } = startOf(settings.board);
  const game = createGame("watch", variant, fen);
  const [white, black] = settings.watch;
  game.players = {
    white: { kind: "engine", level: white, seconds: settings.watchSeconds[0] },
    black: { kind: "engine", level: black, seconds: settings.watchSeconds[1] },
  };
  nameSides(game);
  markChanged(app, game, { games: { ...games, watch: game }, settingUp: null });
  goOn(app);
}

/** @param {App} app */
export function pauseMatch(app) {
  running?.abort();
  running = null;
  engines?.white.close();
  engines?.black.close();
  engines = null;
  app.store.set({ watching: false, obstacle: "" });
}

/** @param {App} app */
export async function goOn(app) {
  const game = app.store.state.games.watch;
  if (!game || running || game.result !== "*") return;
  const mine = new AbortController();
  running = mine;
  let report = "";
  const tell = (/** @type {Link} */ { status, reason }) => {
    // Both engines try again and again, and are refused for the same reason.
    if (reason && reason !== report) notify(app, reason, "error");
    if (reason || status === "open") report = reason;
    app.store.set({
      obstacle: status === "lost" ? reason || "The engines cannot be reached." : "",
    });
  };
  const players = { white: new Engine(app.open, tell), black: new Engine(app.open, tell) };
  engines = players;
  app.store.set({ watching: true });
  try {
    while (!mine.signal.aborted && game.result === "*") {
      const node = await loadFacts(app, game, liveNode(game).id);
      noteEnd(app, game, node);
      if (game.result !== "*" || mine.signal.aborted) break;
      const move = await askPlayer(app, game, players, mine.signal);
      if (!move || mine.signal.aborted) continue;
      const watched = game.at === liveNode(game).id;
      const next = addMove(game.tree, liveNode(game).id, move);
      if (watched) game.at = next.id;
      markChanged(app, game, { animate: true });
    }
  } finally {
    if (running === mine) pauseMatch(app);
  }
}

/**
 * @param {App} app
 * @param {Game} game
 * @param {{white: Engine, black: Engine}} players
 * @param {AbortSignal} signal
 */
async function askPlayer(app, game, players, signal) {
  const node = liveNode(game);
  const side = whiteToMove(node.fen) ? "white" : "black";
  const { level, seconds = 1 } = game.players[side];
  const options = { ...resources(app), ...levelOptions(levelOf(level ?? "full")) };
  const started = Date.now();
  try {
    /** @type {Info | null} */
    let last = null;
    const info = (/** @type {Info} */ found) =>
      (last = found.multipv === 1 && found.score && found.pv.length ? found : last);
    const { move } = await players[side].search(
      gamePositionOf(game.tree, node.id),
      `go movetime ${Math.round(seconds * 1000)}`,
      { options, info, signal },
    );
    const seen = /** @type {Info | null} */ (last);
    if (seen?.score) node.opinion = { score: seen.score };
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 400 - (Date.now() - started))));
    return move;
  } catch (error) {
    if (error instanceof ConnectionLost) return null;
    throw error;
  }
}
