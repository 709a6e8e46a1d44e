/** Importing games and positions: read, checked by the engine, shown. */

import { EngineFailed, PositionRefused } from "../engine/engine.js";
import { legalPrefix } from "../engine/questions.js";
import { createGame, plies } from "../model/game.js";
import {
  childBy,
  gamePositionOf,
  leaves,
  lineFrom,
  nodeOf,
  pathTo,
  removeNode,
  TreeFull,
} from "../model/tree.js";
import { FenError } from "../rules/picture.js";
import { VIEWS } from "../state.js";
import { plain, readSome } from "../text/import.js";
import { packedIn, readLink, unpack } from "../text/link.js";
import { ParseError, writePgn } from "../text/pgn.js";
import { gameOf } from "../text/treepgn.js";
import { loadFacts, markChanged, notify, persist } from "./app.js";
import { saveFile } from "./files.js";
import { gameOfLink, gameOfMoves } from "./library.js";
import { liveNode } from "./play.js";

/** @import { PgnGame } from "../text/pgn.js" */

/** The files that games come from. @type {WeakMap<PgnGame[], string>} */
const names = new WeakMap();

/** What a file is called, without what says of which kind it is. @param {PgnGame[]} games */
export const nameOfFile = (games) => (names.get(games) ?? "Study").replace(/\.\w{1,4}$/, "");

/** Shows a game in the analysis. @param {App} app @param {Game} game */
export function openToAnalyse(app, game) {
  const { games } = app.store.state;
  markChanged(app, game, {
    games: { ...games, analyse: game },
    panel: game === games.analyse ? app.store.state.panel : "moves",
    view: "analyse",
    dialog: null,
    editor: null,
    preview: null,
  });
  loadFacts(app, game, game.at);
}

/** @param {App} app @param {Variant} variant @param {string} fen */
export function analysePosition(app, variant, fen) {
  openToAnalyse(app, createGame("analyse", variant, fen));
}

/** How many games of a text are not read, and why. @param {string[]} errors */
function leftOut({ length, 0: first }) {
  return length
    ? `${length === 1 ? "One game was" : `${length} games were`} left out. ${first}`
    : "";
}

/**
 * The games of several files as one text.
 * @param {App} app @param {[string, string][]} texts of files, after their names
 * @param {string[]} said takes what is wrong with them
 */
export function joinTexts(app, texts, said) {
  const { board } = app.store.state.settings;
  /** @type {string[]} */
  const written = [];
  for (const [name, text] of texts)
    try {
      const { games, errors } = readSome(text, board);
      written.push(...games.map(writePgn));
      for (const word of [leftOut(errors), ...games.map(({ damage }) => damage)])
        if (word) said.push(`${name}: ${word}`);
    } catch (error) {
      said.push(`${name}: ${/** @type {Error} */ (error).message}`);
    }
  return written.join("\n");
}

/**
 * Reads a text of any known kind. One with several games is kept, and they are offered.
 * @param {App} app @param {string} text
 * @param {string} [name] of the file that it comes from
 * @param {string[]} [said] what is wrong with other files
 * @returns {Promise<string | null>} what is wrong with it
 */
export async function importText(app, text, name = "Pasted text", said = []) {
  const packed = packedIn(text);
  const whole = packed === null ? text : await unpack(packed);
  if (whole === null) return "This link cannot be read.";
  try {
    const { games, errors } = readSome(whole, app.store.state.settings.board);
    const words = [...said, leftOut(errors)].join(" ").trim();
    if (words) notify(app, words, "error");
    if (games.length > 1) {
      await saveFile(name, whole, games.length).catch(() =>
        notify(
          app,
          "This browser cannot keep the file; the games that you open are kept.",
          "error",
        ),
      );
      names.set(games, name);
      app.store.set({ offered: games, kept: app.store.state.kept + 1 });
      return null;
    }
    const error = await importGame(app, games[0], !words);
    if (packed && !error) app.store.state.games.analyse.packed = packed;
    return error;
  } catch (error) {
    if (error instanceof ParseError || error instanceof FenError || error instanceof TreeFull)
      return error.message;
    throw error;
  }
}

/**
 * @param {App} app
 * @param {PgnGame} read
 * @returns {Promise<{game: Game, cut: string[]} | string>} what was left out, or why it cannot be
 *   shown
 */
export async function checkedGame(app, read) {
  const { game, cut } = gameOf(read);
  game.offersReview = true;
  app.store.set({ busy: true });
  try {
    cut.push(...(await cutIllegal(app, game)));
  } catch (error) {
    if (error instanceof PositionRefused)
      return `The engine refuses the position: ${error.message}`;
    if (error instanceof EngineFailed) return error.message;
    throw error;
  } finally {
    app.store.set({ busy: false });
  }
  if (read.line.length && game.tree.nodes[0].children.length === 0)
    return cut[0] ?? "There is no legal move in the game.";
  return { game, cut };
}

/**
 * @param {App} app
 * @param {PgnGame} read
 * @param {boolean} [reports] how many moves were read, which begin below the window on a phone
 * @returns {Promise<string | null>} why it cannot be shown
 */
export async function importGame(app, read, reports = false) {
  const found = await checkedGame(app, read);
  if (typeof found === "string") return found;
  const { game, cut } = found;
  game.at = read.line.length > 1 || Object.keys(read.headers).length ? 0 : liveNode(game).id;
  openToAnalyse(app, game);
  app.store.set({ offered: [] });
  const isMain = lineFrom(game.tree).length - 1 < read.line.length;
  const what = isMain
    ? "The game was"
    : cut.length === 1
      ? "A variation was"
      : `${cut.length} variations were`;
  const words = [
    read.damage && `The game is damaged: ${read.damage}.`,
    cut.length && `${what} cut short: ${cut[0]}`,
  ];
  const count = plies(game);
  if (read.damage || cut.length) notify(app, words.filter(Boolean).join(" "), "error");
  else if (reports && count) notify(app, count === 1 ? "One move read." : `${count} moves read.`);
  return null;
}

/**
 * Opens one game of a file of several; one opened before is as the user left it.
 * @param {App} app @param {PgnGame[]} games @param {number} at @param {string} [name] of the file
 * @returns {Promise<string | null>} why it cannot be shown
 */
export async function openChapter(app, games, at, name) {
  if (name) names.set(games, name);
  const { collection } = app.store.state;
  const opened = collection?.games === games ? collection.opened : [];
  // The next click counts from here, though this game may take a moment.
  if (opened.length) app.store.set({ collection: { games, at, opened } });
  const error = opened[at] ? openToAnalyse(app, opened[at]) : await importGame(app, games[at]);
  if (!error && !opened[at]) {
    opened[at] = app.store.state.games.analyse;
    // The file has it, until it is changed here.
    opened[at].untouched = true;
  }
  // From one that cannot be shown, the way leads on.
  if (opened.length) app.store.set({ collection: { games, at, opened } });
  return error ?? null;
}

/**
 * What is wrong with a game that is listed, as far as it shows without the engine.
 * @param {PgnGame} read @returns {string} empty if nothing is
 */
export function damageOf(read) {
  try {
    return gameOf(read).cut[0] ?? (read.damage ? `${read.damage}.` : "");
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * Opens a file of several games: where it was left, or else at its first game that can be shown.
 * @param {App} app @param {PgnGame[]} games @param {string} name of the file
 */
export async function openCollection(app, games, name) {
  const { collection } = app.store.state;
  const start = collection?.games === games ? collection.at : 0;
  for (let at = start; at < games.length; at++) {
    const error = await openChapter(app, games, at, name);
    if (!error) return;
    notify(app, error, "error");
  }
}

/**
 * Cuts every line at its first illegal move.
 * @param {App} app
 * @param {Game} game
 * @returns {Promise<string[]>}
 */
async function cutIllegal(app, game) {
  const cut = [];
  for (const leaf of leaves(game.tree)) {
    // What followed a line that was cut is gone already.
    if (
      !pathTo(game.tree, leaf).every(
        (node) => node.parent === null || nodeOf(game.tree, node.parent).children.includes(node.id),
      )
    )
      continue;
    const place = gamePositionOf(game.tree, leaf);
    const { count, reason } = await persist(() => legalPrefix(app.engine, place));
    if (count === place.moves.length) continue;
    cut.push(reason);
    let at = nodeOf(game.tree, leaf);
    while (at.ply > count + 1 && at.parent !== null) at = nodeOf(game.tree, at.parent);
    removeNode(game.tree, at.id);
  }
  return cut;
}

/**
 * Follows the address: a view, and in the analysis a position and moves.
 * @param {App} app @param {string} hash
 * @returns {Promise<void>}
 */
export async function followLink(app, hash) {
  const packed = packedIn(hash);
  if (packed) {
    const there = app.store.state.games.analyse;
    const found = there.packed === packed ? { game: there } : await gameOfLink(packed);
    if (found?.game) return openToAnalyse(app, found.game);
    const error = await importText(app, hash);
    if (error) return notify(app, error, "error");
    // Another tab has it, which keeps it until it is changed here.
    if (found) app.store.state.games.analyse.untouched = true;
    return;
  }
  const link = readLink(hash);
  const view = VIEWS.find((name) => name === link?.view);
  if (!link || (!link.fen && !view))
    return hash.length > 1 ? notify(app, "This link cannot be read.", "error") : undefined;
  if (view && !link.fen) app.store.set({ view, preview: null });
  if (!link.fen) return;
  const there = app.store.state.games.analyse;
  const node =
    there.tree.variant === link.variant && there.tree.nodes[0].fen === link.fen
      ? link.moves.reduce(
          (at, move) => at && childBy(there.tree, at.id, move),
          there.tree.nodes.at(0),
        )
      : undefined;
  if (node) {
    there.at = node.id;
    return openToAnalyse(app, there);
  }
  const found = link.moves.length ? await gameOfMoves(link.variant, link.fen, link.moves) : null;
  if (found?.game) {
    found.game.at = liveNode(found.game).id;
    return openToAnalyse(app, found.game);
  }
  const error = await importGame(app, plain(link.fen, link.variant, link.moves));
  if (error) return notify(app, error, "error");
  const { analyse } = app.store.state.games;
  // A position, of which the moves are only the way there.
  delete analyse.offersReview;
  // The link has it, until it is changed here.
  analyse.untouched = true;
  analyse.at = liveNode(analyse).id;
  openToAnalyse(app, analyse);
}
