/** Playing a game against the engine, or two people at one board. */

import { ConnectionLost } from "../engine/engine.js";
import { levelOf, levelOptions } from "../engine/levels.js";
import { createGame, startOf } from "../model/game.js";
import {
  addMove,
  gamePositionOf,
  lineFrom,
  movesTo,
  moveTextAt,
  nodeOf,
  removeNode,
} from "../model/tree.js";
import { sideName } from "../rules/ending.js";
import { whiteToMove } from "../rules/picture.js";
import { announce, loadFacts, markChanged, noteEnd, notify, resources } from "./app.js";
import { clockLimits, isFlagged, press, settleClock, startClock, stopClock } from "./clock.js";
import { noteResult } from "./progress.js";

/** @import { Player } from "../../types/game" */

/** Aborts the engine's thinking in the running game. @type {AbortController | null} */
let thought = null;
/** Ends the search for a hint. @type {AbortController | null} */
let advice = null;

/** The end of the main line: where play continues. @param {Game} game */
export function liveNode(game) {
  return lineFrom(game.tree)[lineFrom(game.tree).length - 1];
}

/** @param {Game} game */
export function playerToMove(game) {
  return game.players[whiteToMove(liveNode(game).fen) ? "white" : "black"];
}

/** Whether a person may move a piece now. @param {Game} game */
export function personToMove(game) {
  return (
    game.result === "*" && playerToMove(game).kind === "person" && game.at === liveNode(game).id
  );
}

/** Whether a person plays against the engine. @param {Game} game */
export function againstEngine({ players: { white, black } }) {
  return white.kind !== black.kind;
}

/** A new game's start: a position of another game. @param {Game} game @param {number} id */
export const startAt = ({ tree, origin }, id) => ({
  variant: tree.variant,
  fen: nodeOf(tree, id).fen,
  origin: origin ?? tree.nodes[0].fen,
});

/**
 * @param {App} app
 * @param {{variant: Variant, fen: string, origin?: string}} [start]
 * @param {"white" | "black"} [persons] the person's side, if not as chosen
 */
export function newGame(app, start, persons) {
  stopThinking();
  const { settings } = app.store.state;
  const { variant, fen, origin } = { origin: undefined, ...(start ?? startOf(settings.board)) };
  const game = createGame("play", variant, fen);
  game.origin = origin;
  const side =
    persons ??
    (settings.side === "random" ? (Math.random() < 0.5 ? "white" : "black") : settings.side);
  /** @type {Player} */
  const engine = { kind: "engine", level: settings.level, seconds: settings.seconds };
  /** @type {Player} */
  const person = { kind: "person" };
  game.players = {
    white: side === "black" ? engine : person,
    black: side === "white" ? engine : person,
  };
  game.flipped = side === "black";
  if (settings.minutes) {
    const main = settings.minutes * 60_000;
    game.control = { main, increment: settings.increment * 1000 };
    game.clocks = { white: main, black: main };
  }
  nameSides(game);
  begin(app, game);
}

/**
 * Starts a game with White's first move, which is played once the engine has said that it is legal.
 * @param {App} app @param {string} move
 */
export function startByMove(app, move) {
  newGame(app, undefined, app.store.state.settings.side === "both" ? undefined : "white");
  premove(app, move);
}

/** @param {Game} game */
export function nameSides(game) {
  for (const side of /** @type {const} */ (["white", "black"])) {
    const player = game.players[side];
    game.headers[side === "white" ? "White" : "Black"] =
      player.kind === "engine" ? `petard · ${levelOf(player.level ?? "").name}` : "Player";
  }
}

/** Shows a game and goes on with it. @param {App} app @param {Game} game */
export function begin(app, game) {
  stopThinking();
  stopClock();
  app.store.set({
    games: { ...app.store.state.games, play: game },
    preview: null,
    thinking: false,
    hint: null,
    premove: null,
    showThreat: false,
    settingUp: null,
  });
  markChanged(app, game);
  resume(app, game);
}

/** Goes on with a game where it was. @param {App} app @param {Game} game */
export async function resume(app, game) {
  const node = await loadFacts(app, game, liveNode(game).id);
  if (app.store.state.games.play !== game || liveNode(game) !== node) return;
  if (noteEnd(app, game, node)) noteResult(app, game);
  if (game.result !== "*") return stopClock();
  if (game.clocks && node.ply > 0) startClock(app, game, () => flag(app, game));
  const { premove } = app.store.state;
  if (premove && playerToMove(game).kind === "person") {
    // It was meant for this turn: at a later one it would come as a surprise.
    app.store.set({ premove: null });
    const seen = personToMove(game);
    const text = textOf(app, premove);
    if (seen && node.legal?.includes(premove)) return makeMove(app, game, premove);
    announce(
      app,
      seen
        ? `${text} is no longer possible.`
        : `${text} was not played: you are looking at an earlier position.`,
    );
  }
  if (playerToMove(game).kind === "engine") think(app, game);
}

/** @param {App} app @param {Game} game */
async function think(app, game) {
  const node = liveNode(game);
  const player = playerToMove(game);
  const level = levelOf(player.level ?? "full");
  const mine = new AbortController();
  stopThinking();
  thought = mine;
  app.store.set({ thinking: true });
  const options = { ...resources(app), MultiPV: 1, UCI_ShowWDL: false, ...levelOptions(level) };
  // The clocks run while the search waits for its turn.
  const go = () =>
    `go ${game.clocks ? clockLimits(game) : `movetime ${Math.round((player.seconds ?? 1) * 1000)}`}`;
  const started = Date.now();
  try {
    const { move } = await app.engine.search(gamePositionOf(game.tree, node.id), go, {
      options,
      signal: mine.signal,
    });
    // Weak levels answer at once; a short wait lets the player see their own move first.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 250 - (Date.now() - started))));
    if (mine.signal.aborted || !move || game.result !== "*") return;
    app.store.set({ thinking: false });
    makeMove(app, game, move);
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    // Work waits until the connection is back, so the game goes on where it was.
    if (!mine.signal.aborted) think(app, game);
  } finally {
    if (thought === mine) {
      thought = null;
      app.store.set({ thinking: false });
    }
  }
}

export function stopThinking() {
  advice?.abort();
  thought?.abort();
  thought = null;
}

/**
 * A person's move.
 * @param {App} app
 * @param {string} move
 * @returns {boolean} whether it can be made now
 */
export function personMoves(app, move) {
  const game = app.store.state.games.play;
  if (!game || !personToMove(game) || !liveNode(game).legal?.includes(move)) return false;
  app.store.set({ premove: null });
  makeMove(app, game, move);
  return true;
}

/** Whether a person may premove. @param {Game} game */
export function mayPremove(game) {
  return (
    game.result === "*" &&
    playerToMove(game).kind === "engine" &&
    againstEngine(game) &&
    game.at === liveNode(game).id
  );
}

/** A move as people read it, on the board of the running game. @param {App} app @param {string} move */
function textOf({ store: { state } }, move) {
  const { play: game } = state.games;
  return game ? moveTextAt(game.tree, liveNode(game).id, move) : move;
}

/** @param {App} app @param {string | null} move */
export function premove(app, move) {
  if (move === app.store.state.premove) return;
  app.store.set({ premove: move });
  announce(
    app,
    move ? `${textOf(app, move)} as soon as it is your turn.` : "The planned move is cancelled.",
  );
}

/** @param {App} app @param {Game} game @param {string} move */
function makeMove(app, game, move) {
  advice?.abort();
  const before = liveNode(game);
  const watched = game.at === before.id;
  const white = whiteToMove(before.fen);
  const node = addMove(game.tree, before.id, move);
  press(game, white);
  if (game.clocks) node.clock = game.clocks[white ? "white" : "black"];
  if (watched) game.at = node.id;
  markChanged(app, game, { animate: true, hint: null });
  announce(app, `${sideName(white)}: ${moveTextAt(game.tree, before.id, move)}`);
  resume(app, game);
}

/** Goes back to before the person's last move. @param {App} app */
export function takeBack(app) {
  const game = app.store.state.games.play;
  if (game?.result !== "*" || !canTakeBack(game)) return;
  stopThinking();
  // At the start no clock runs.
  settleClock(game);
  stopClock();
  const mover = playerToMove(game);
  let at = removeNode(game.tree, liveNode(game).id);
  if (againstEngine(game) && mover.kind === "person" && at !== 0) at = removeNode(game.tree, at);
  game.at = at;
  markChanged(app, game, { thinking: false, hint: null, premove: null });
  announce(app, "Taken back.");
  resume(app, game);
}

/** Whether the person has a move to take back. @param {Game} game */
export function canTakeBack(game) {
  const moves = movesTo(game.tree, liveNode(game).id).length;
  const firstIsEngine =
    game.players[whiteToMove(nodeOf(game.tree, 0).fen) ? "white" : "black"].kind === "engine";
  return moves > (firstIsEngine ? 1 : 0);
}

/** @param {App} app */
export function resign(app) {
  const game = app.store.state.games.play;
  if (game?.result !== "*") return;
  lose(
    app,
    game,
    againstEngine(game) ? game.players.white.kind === "person" : whiteToMove(liveNode(game).fen),
    "resigns",
  );
}

/** @param {App} app @param {Game} game */
function flag(app, game) {
  const loser = isFlagged(game);
  if (loser && game.result === "*") lose(app, game, loser === "white", "is out of time");
}

/**
 * A side loses, though not on the board.
 * @param {App} app
 * @param {Game} game
 * @param {boolean} white
 * @param {string} why
 */
function lose(app, game, white, why) {
  stopThinking();
  settleClock(game);
  stopClock();
  game.result = white ? "0-1" : "1-0";
  game.reason = `${sideName(white)} ${why}. ${sideName(!white)} wins.`;
  noteResult(app, game);
  announce(app, game.reason);
  markChanged(app, game, { thinking: false, animate: true });
}

/** Hints at the person's next move, after a second at full strength. @param {App} app */
export async function hint(app) {
  const game = app.store.state.games.play;
  if (!game || !personToMove(game)) return;
  const node = liveNode(game);
  advice?.abort();
  const mine = new AbortController();
  advice = mine;
  try {
    const { move } = await app.engine.search(
      gamePositionOf(game.tree, node.id),
      "go movetime 1000",
      {
        options: { ...resources(app), MultiPV: 1, UCI_LimitStrength: false },
        signal: mine.signal,
      },
    );
    if (move && !mine.signal.aborted && game.at === node.id) {
      app.store.set({ hint: move });
      announce(app, `Hint: ${textOf(app, move)}`);
    }
  } catch (error) {
    if (error instanceof ConnectionLost)
      notify(app, "No hint: the connection to the engine was lost.", "error");
    else throw error;
  }
}

/**
 * The same game again with sides swapped.
 * @param {App} app @param {string} [level] of petard, if another
 */
export function rematch(app, level) {
  const last = app.store.state.games.play;
  if (!last) return newGame(app);
  const root = last.tree.nodes[0];
  const game = createGame("play", last.tree.variant, root.fen);
  game.origin = last.origin;
  const swap = againstEngine(last);
  const { white, black } = last.players;
  const anew = (/** @type {Player} */ player) =>
    level && player.kind === "engine" ? { ...player, level } : player;
  game.players = { white: anew(swap ? black : white), black: anew(swap ? white : black) };
  game.flipped = swap ? !last.flipped : last.flipped;
  game.control = last.control;
  game.clocks = last.control && { white: last.control.main, black: last.control.main };
  nameSides(game);
  begin(app, game);
}
