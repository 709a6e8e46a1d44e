/** Infinite analysis of the position shown, what it threatens, and what its pieces are worth. */

import { ConnectionLost, PositionRefused } from "../engine/engine.js";
import { parseProof } from "../engine/parse.js";
import { valuesOf } from "../engine/questions.js";
import { isProven, provenWinner, winnerBy } from "../model/chance.js";
import { addMove, gamePositionOf, moveTextAt, nodeOf } from "../model/tree.js";
import { whiteToMove } from "../rules/picture.js";
import { isAsking, isProving } from "../state.js";
import { announce, goTo, loadFacts, markChanged, notify, resources, shownGame } from "./app.js";

/** @import { Info } from "../engine/parse.js" */

/** New lines are shown at most this often, in milliseconds. */
const PACE = 90;

/** Options of a search at full strength. @param {App} app @param {number} lines */
export function fullStrength(app, lines) {
  return { ...resources(app), MultiPV: lines, UCI_LimitStrength: false, UCI_ShowWDL: true };
}

/** Which position is to be analysed; empty for none. @param {App} app */
function wanted(app) {
  const { state } = app.store;
  const game = shownGame(app);
  if (state.view !== "analyse" || !game) return "";
  const { lines, threads, hash } = state.settings;
  return `${game.id} ${game.at} ${lines} ${threads} ${hash} ${moveAlone(app) ?? ""}`;
}

/** The one move of the position shown that is searched, if not all. @param {App} app */
export function moveAlone({ store: { state } }) {
  const { id, at } = state.games.analyse;
  return state.alone?.key === `${id} ${at}` ? state.alone.move : null;
}

/** Searches one move of the position shown alone, or all again. @param {App} app @param {string | null} move */
export function searchAlone(app, move) {
  const { id, at, tree } = app.store.state.games.analyse;
  app.store.set({ alone: move ? { key: `${id} ${at}`, move } : null });
  announce(
    app,
    move ? `Only ${moveTextAt(tree, at, move)} is searched.` : "All moves are searched again.",
  );
}

/** Keeps the analysis in step with what is shown. @param {App} app */
export function keepAnalysing(app) {
  const { store } = app;
  let now = "";
  let mine = new AbortController();
  const check = () => {
    const { analysing, review } = store.state;
    const hushed = isProving(store.state) || review || isAsking(store.state);
    const key = analysing && !hushed ? wanted(app) : "";
    if (key === now) return;
    now = key;
    mine.abort();
    mine = new AbortController();
    if (key) analyse(app, key, mine.signal);
  };
  store.on(
    [
      "view",
      "rev",
      "settings",
      "analysing",
      "proof",
      "review",
      "practice",
      "games",
      "editor",
      "alone",
    ],
    check,
  );
  check();
}

/** @param {App} app @param {string} key @param {AbortSignal} signal */
async function analyse(app, key, signal) {
  const game = shownGame(app);
  if (!game) return;
  const node = await loadFacts(app, game, game.at);
  const { fen } = node;
  if (signal.aborted) return;
  app.store.set({ analysis: { key, fen, lines: [] } });
  if (!node.legal?.length) return;
  const alone = moveAlone(app);
  /** @type {(Info | undefined)[]} by rank, which may come in any order */
  const lines = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let report = 0;
  const tell = () => {
    timer = undefined;
    report = performance.now();
    if (signal.aborted) return;
    const [best] = lines;
    const before = provenWinner(node);
    // What is proven stays proven.
    // What one move is worth says nothing about the position.
    if (best?.score && !alone && !best.score.bound && (!before || isProven(best.score))) {
      node.opinion = { score: best.score };
      if (provenWinner(node) !== before) markChanged(app, game);
    }
    // What is proven comes first, though the search may not have seen it.
    const mover = whiteToMove(node.fen) ? "white" : "black";
    const isWin = (/** @type {Info} */ line) => winnerBy(node, line) === mover;
    const known = lines.filter((line) => line !== undefined);
    known.sort((one, other) => Number(isWin(other)) - Number(isWin(one)));
    app.store.set({
      analysis: { key, fen, lines: known },
      known: app.store.state.known + 1,
    });
  };
  const info = (/** @type {Info} */ found) => {
    if (!found.pv.length || !found.score) return;
    const rank = found.multipv - 1;
    // A move that rises swaps places with the one that was there, until that one is reported again.
    const old = lines.findIndex((line) => line?.pv[0] === found.pv[0]);
    if (old >= 0) lines[old] = lines[rank];
    lines[rank] = found;
    timer ??= setTimeout(tell, Math.max(0, PACE - (performance.now() - report)));
  };
  // On a solved board the engine says who wins before it searches.
  const line = (/** @type {string} */ text) => {
    const winner = node.proof ? null : parseProof(text);
    if (!winner) return;
    node.proof = { winner, move: null };
    markChanged(app, game);
  };
  while (!signal.aborted) {
    try {
      // It gives way to questions, and resumes after them with everything still in the table.
      const { lines: said } = await app.engine.search(
        gamePositionOf(game.tree, node.id),
        alone ? `go infinite searchmoves ${alone}` : "go infinite",
        {
          options: fullStrength(app, app.store.state.settings.lines),
          info,
          line,
          signal,
          gentle: true,
        },
      );
      // Wait before restarting an engine that stops by itself.
      if (said.length && !lines.length) await new Promise((resolve) => setTimeout(resolve, 300));
    } catch (error) {
      if (error instanceof PositionRefused)
        return notify(app, `The engine refuses this position: ${error.message}`, "error");
      if (!(error instanceof ConnectionLost)) throw error;
      if (app.engine.link.status === "idle") await seen();
    }
  }
  clearTimeout(timer);
}

/**
 * Waits until somebody can see the page: what was ended because nobody did must not begin again by
 * itself.
 */
async function seen() {
  while (document.hidden)
    await new Promise((resolve) =>
      document.addEventListener("visibilitychange", resolve, { once: true }),
    );
}

/** Plays the best move that is known: one that is proven to win, or else the engine's. @param {App} app */
export function playBest(app) {
  const { state } = app.store;
  const game = shownGame(app);
  const node = game && nodeOf(game.tree, game.at);
  if (!game || !node || isAsking(state)) return;
  const line = state.analysing && state.analysis?.fen === node.fen ? state.analysis.lines[0] : null;
  const isWin = node.proof?.winner === (whiteToMove(node.fen) ? "white" : "black");
  const known = isWin && node.proof?.move;
  const move =
    known && !(line && winnerBy(node, line) === node.proof?.winner) ? known : line?.pv[0];
  if (!move || !node.legal?.includes(move)) return notify(app, "The engine has no move yet.");
  const next = addMove(game.tree, node.id, move);
  markChanged(app, game);
  goTo(app, next.id, true);
  announce(app, moveTextAt(game.tree, node.id, move));
}

/** Keeps the threat and the values of the pieces in step with what is shown. @param {App} app */
export function keepLooking(app) {
  const { store } = app;
  let now = "";
  let mine = new AbortController();
  store.on(["view", "rev", "showThreat", "showValues", "games", "editor", "settingUp"], () => {
    const { view, showThreat, showValues } = store.state;
    const game = shownGame(app);
    // A game that is over has no button for it.
    const key =
      game && (view === "analyse" || (view === "play" && game.result === "*"))
        ? `${game.id} ${game.at} ${showThreat} ${showValues}`
        : "";
    if (key === now) return;
    now = key;
    mine.abort();
    mine = new AbortController();
    store.set({ threat: null, values: null });
    if (!game || !key) return;
    if (showThreat) lookForThreat(app, game, mine.signal).catch(quiet);
    if (showValues && view === "analyse") lookAtValues(app, game, mine.signal).catch(quiet);
  });
}

/** @param {unknown} error */
function quiet(error) {
  if (!(error instanceof ConnectionLost) && !(error instanceof PositionRefused)) throw error;
}

/** @param {App} app @param {Game} game @param {AbortSignal} signal */
async function lookForThreat(app, game, signal) {
  const node = await loadFacts(app, game, game.at);
  if (node.winner) return;
  /** @type {Info | null} */
  let threat = null;
  await app.engine.search(gamePositionOf(game.tree, node.id), "go pass movetime 300", {
    options: fullStrength(app, 1),
    info: (info) => (threat = info.pv.length ? info : threat),
    signal,
  });
  if (!signal.aborted) app.store.set({ threat });
}

/** @param {App} app @param {Game} game @param {AbortSignal} signal */
async function lookAtValues(app, game, signal) {
  const values = await valuesOf(
    app.engine,
    gamePositionOf(game.tree, nodeOf(game.tree, game.at).id),
  );
  if (!signal.aborted) app.store.set({ values });
}
