/** The games that the explorer counts: those kept in this browser, and imported files. */

import { playedGame } from "../model/explorer.js";
import { TreeFull } from "../model/tree.js";
import { FenError } from "../rules/picture.js";
import { gameOf } from "../text/treepgn.js";
import { gamesIn, listFiles } from "./files.js";
import { listGames, loadGame } from "./library.js";

/** @import { PlayedGame } from "../model/explorer.js" */

/** How many games are read before the page gets a turn. */
const BATCH = 25;

/** By the game's or the file's name. @typedef {Map<string, {changed: number, games: PlayedGame[]}>} Sources */

/** Keeps the games up to date while the analysis is shown. @param {App} app */
export function keepExploring(app) {
  const { store } = app;
  /** @type {Sources} */
  let sources = new Map();
  let running = false;
  let again = false;
  const check = async () => {
    if (store.state.view !== "analyse") return;
    again = running;
    if (running) return;
    running = true;
    const found = await gather(sources, store.state.settings.board);
    running = false;
    if (found) {
      sources = found;
      store.set({ played: [...sources.values()].flatMap(({ games }) => games) });
    }
    if (again) check();
  };
  store.on(["kept", "view"], check);
  check();
}

/** Lets the page do other things. */
const pause = () => new Promise((resolve) => setTimeout(resolve));

/**
 * All sources; those that have not changed as they were. Null if none has changed.
 * @param {Sources} before @param {string} board what games without a start are played on
 */
async function gather(before, board) {
  /** @type {Sources} */
  const sources = new Map();
  let fresh = 0;
  for (const { id, changed } of listGames()) {
    const known = before.get(id);
    if (known?.changed === changed) {
      sources.set(id, known);
      continue;
    }
    if (++fresh % BATCH === 0) await pause();
    const game = loadGame(id);
    const played = game && playedGame(game.tree, game.result);
    sources.set(id, { changed, games: played ? [played] : [] });
  }
  // Where the browser forbids them, there are none.
  for (const { id, added } of await listFiles().catch(() => [])) {
    const known = before.get(id);
    if (!known) fresh++;
    sources.set(id, known ?? { changed: added, games: await gamesOf(id, board) });
  }
  return fresh || sources.size !== before.size ? sources : null;
}

/** The games of a file that have a result. @param {string} id @param {string} board */
async function gamesOf(id, board) {
  /** @type {PlayedGame[]} */
  const games = [];
  try {
    for (const [index, read] of (await gamesIn(id, board)).entries()) {
      if (index % BATCH === 0) await pause();
      const { game } = gameOf({ ...read, line: read.line.map(withoutVariations) });
      const played = playedGame(game.tree, game.result);
      if (played) games.push(played);
    }
  } catch (error) {
    if (!(error instanceof FenError || error instanceof TreeFull)) throw error;
  }
  return games;
}

/** @param {import("../text/pgn.js").Entry} entry */
const withoutVariations = (entry) => ({ ...entry, variations: [] });
