/** Reviewing a game: every move of the main line is judged. It can be interrupted and resumed. */

import { ConnectionLost, EngineFailed, PositionRefused } from "../engine/engine.js";
import { verdictsOf as judgeGame } from "../model/judge.js";
import { gamePositionOf, lineFrom } from "../model/tree.js";
import { fullStrength } from "./analysis.js";
import { announce, loadFacts, markChanged, notify, shownGame } from "./app.js";

/** @import { GamePosition } from "../engine/engine.js" */
/** @import { Info } from "../engine/parse.js" */
/** @import { Seen } from "../model/judge.js" */
/** @type {AbortController | null} */
let running = null;

/**
 * Looks at positions from the end backwards: what the engine has learned about later ones makes it
 * see more in earlier ones.
 * @param {App} app
 */
export async function review(app) {
  const { store } = app;
  const game = shownGame(app);
  if (!game || running) return;
  const line = lineFrom(game.tree);
  const mine = new AbortController();
  running = mine;
  // Once all is seen it is looked at again; what was asked by the old verdicts cannot be answered
  // then.
  if (line.every((node) => node.winner || game.review?.[node.id])) {
    game.review = {};
    if (store.state.practice?.game === game.id) store.set({ practice: null, preview: null });
  }
  game.review ??= {};
  const seen = game.review;
  const open = line.filter((node) => !seen[node.id]).reverse();
  const total = line.length;
  let done = total - open.length;
  store.set({ review: { game: game.id, done, total } });
  const milliseconds = store.state.settings.reviewSeconds * 1000;
  while (open.length && !mine.signal.aborted) {
    const node = open[0];
    try {
      await loadFacts(app, game, node.id);
      if (!node.winner) {
        const found = await evaluate(
          app,
          gamePositionOf(game.tree, node.id),
          milliseconds,
          mine.signal,
        );
        if (found && !mine.signal.aborted) seen[node.id] = found;
      }
    } catch (error) {
      if (error instanceof ConnectionLost) continue;
      if (!(error instanceof PositionRefused || error instanceof EngineFailed)) throw error;
      notify(app, `The review has stopped: ${error.message}`, "error");
      break;
    }
    if (mine.signal.aborted) break;
    open.shift();
    done++;
    markChanged(app, game, { review: { game: game.id, done, total } });
  }
  if (running !== mine) return;
  stopReview(app);
  if (!open.length) announce(app, "The review is complete.");
  markChanged(app, game);
}

/** At once, though a search may wait for a connection. @param {App} app */
export function stopReview({ store }) {
  running?.abort();
  running = null;
  store.set({ review: null });
}

/**
 * @param {App} app
 * @param {GamePosition} place
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<Seen | null>}
 */
export async function evaluate(app, place, milliseconds, signal) {
  /** @type {Seen | null} */
  let seen = null;
  const info = (/** @type {Info} */ found) => {
    if (found.multipv === 1 && found.score && !found.score.bound && found.pv.length)
      seen = { score: found.score, best: found.pv[0] };
  };
  const { move } = await app.engine.search(place, `go movetime ${Math.round(milliseconds)}`, {
    options: fullStrength(app, 1),
    info,
    signal,
  });
  return seen && { .../** @type {Seen} */ (seen), best: move ?? /** @type {Seen} */ (seen).best };
}

/** The verdicts on a game's main line. @param {App} app @param {Game} game */
export function verdictsOf(app, game) {
  return game.verdicts ?? judgeGame(game, app.numbers);
}
