/** Games and settings in this browser: they survive a reload, a closed tab and a server that ends. */

import { DEFAULTS } from "../state.js";
import { boardName, plies, worthKeeping } from "../model/game.js";
import { notify, touch } from "./app.js";
import { settleClock } from "./clock.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../model/game.js").Game} Game */
/** @typedef {import("../model/game.js").Mode} Mode */
/** @typedef {import("../state.js").Settings} Settings */
/** @typedef {{id: string, mode: Mode, white: string, black: string, board: string, result: string, plies: number, changed: number}} Entry of the list of games */

const GAME = "petard.game.";
const LIST = "petard.games";
const SETTINGS = "petard.settings";
const TAB = "petard.tab";
/** Games that this tab has taken hold of. @type {Set<string>} */
const held = new Set();

/**
 * A browser may forbid storage; then games live as long as the page.
 * @param {() => Storage} open
 * @returns {Pick<Storage, "getItem" | "setItem" | "removeItem">}
 */
function storageOr(open) {
  try {
    return open();
  } catch {
    /** @type {Map<string, string>} */
    const memory = new Map();
    return { getItem: (key) => memory.get(key) ?? null, setItem: (key, value) => void memory.set(key, value), removeItem: (key) => void memory.delete(key) };
  }
}

const local = storageOr(() => localStorage);
const session = storageOr(() => sessionStorage);

/** @template T @param {Pick<Storage, "getItem">} storage @param {string} key @param {T} fallback @returns {T} */
function read(storage, key, fallback) {
  try {
    return JSON.parse(storage.getItem(key) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/** @returns {Settings} */
export function readSettings() {
  const stored = /** @type {Record<string, unknown>} */ (read(local, SETTINGS, {}));
  const known = Object.entries(DEFAULTS).filter(([name, value]) => typeof stored[name] === typeof value && Array.isArray(value) === Array.isArray(stored[name]));
  return { ...DEFAULTS, .../** @type {Partial<Settings>} */ (Object.fromEntries(known.map(([name]) => [name, stored[name]]))) };
}

/** @param {App} app @param {Partial<Settings>} patch */
export function changeSettings({ store }, patch) {
  const settings = { ...store.state.settings, ...patch };
  store.set({ settings });
  try {
    local.setItem(SETTINGS, JSON.stringify(settings));
  } catch {
    // Full or forbidden: the settings hold until the page goes.
  }
}

/** All kept games, the latest first. @returns {Entry[]} */
export function listGames() {
  const list = read(local, LIST, /** @type {Entry[]} */ ([]));
  return Array.isArray(list) ? list.filter((entry) => typeof entry?.id === "string").sort((a, b) => b.changed - a.changed) : [];
}

/** @param {string} id @returns {Game | null} */
export function loadGame(id) {
  const game = read(local, GAME + id, /** @type {Game | null} */ (null));
  return game && Array.isArray(game.tree?.nodes) && game.tree.nodes[0]?.fen ? game : null;
}

/** @param {Game} game @returns {Entry} */
function entryOf(game) {
  return { id: game.id, mode: game.mode, white: game.headers.White ?? "", black: game.headers.Black ?? "", board: boardName(game), result: game.result, plies: plies(game), changed: game.changed };
}

/** Legal moves are asked for again. @param {string} key @param {unknown} value */
const withoutLegal = (key, value) => (key === "legal" ? undefined : value);

/** @param {App} app @param {Game} game */
function saveGame(app, game) {
  if (!worthKeeping(game)) return;
  hold(game.id);
  const text = JSON.stringify(game, withoutLegal);
  let list = [entryOf(game), ...listGames().filter((entry) => entry.id !== game.id)];
  for (;;) {
    try {
      local.setItem(GAME + game.id, text);
      local.setItem(LIST, JSON.stringify(list));
      return;
    } catch {
      const oldest = list.findLast((entry) => entry.id !== game.id && !held.has(entry.id));
      if (!oldest) return notify(app, "This browser has no room to keep the game.", "fault");
      local.removeItem(GAME + oldest.id);
      list = list.filter((entry) => entry !== oldest);
    }
  }
}

/** @param {string} id */
export function deleteGame(id) {
  local.removeItem(GAME + id);
  local.setItem(LIST, JSON.stringify(listGames().filter((entry) => entry.id !== id)));
}

/** Writes down all that has changed. @param {App} app */
export function keepGames(app) {
  const { store } = app;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Map<string, number>} */
  const saved = new Map();
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    const { games, view } = store.state;
    if (games.play && games.play.result === "*") settleClock(games.play);
    for (const game of Object.values(games)) {
      if (!game || (saved.get(game.id) === game.changed && !game.clocks)) continue;
      saved.set(game.id, game.changed);
      saveGame(app, game);
    }
    const tab = { view, at: games.analyse.at, play: games.play?.id, analyse: games.analyse.id, watch: games.watch?.id };
    session.setItem(TAB, JSON.stringify(tab));
  };
  store.on(["rev", "games", "view"], () => {
    timer ??= setTimeout(save, 250);
  });
  addEventListener("pagehide", save);
}

/**
 * Takes hold of a game, so that another tab does not go on with it too.
 * @param {string} id
 * @param {number} [patience] milliseconds to wait for it: a page that is loaded anew may come before its old self has gone
 * @returns {Promise<boolean>} whether it is this tab's
 */
export function hold(id, patience = 0) {
  if (held.has(id) || !navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const how = patience ? { signal: AbortSignal.timeout(patience) } : { ifAvailable: true };
    const asked = navigator.locks.request(GAME + id, how, (lock) => {
      resolve(Boolean(lock));
      if (!lock) return undefined;
      held.add(id);
      return new Promise(() => undefined);
    });
    asked.catch(() => resolve(false));
  });
}

/** Finds this tab's games again, or those that no open tab has. @param {App} app */
export async function restore(app) {
  const tab = read(session, TAB, /** @type {Record<string, string | number>} */ ({}));
  const list = listGames();
  const games = { ...app.store.state.games };
  for (const mode of /** @type {const} */ (["play", "analyse", "watch"])) {
    const mine = typeof tab[mode] === "string" ? list.find((entry) => entry.id === tab[mode]) : undefined;
    const loose = tab.view ? [] : list.filter((entry) => entry.mode === mode && (mode === "analyse" || entry.result === "*"));
    for (const entry of mine ? [mine] : loose) {
      const game = (await hold(entry.id, mine ? 1500 : 0)) ? loadGame(entry.id) : null;
      if (!game) continue;
      games[mode] = game;
      break;
    }
  }
  if (typeof tab.at === "number" && games.analyse.tree.nodes[tab.at]) games.analyse.at = tab.at;
  const views = ["play", "analyse", "watch", "games", "learn"];
  const view = /** @type {import("../state.js").ViewName} */ (views.includes(String(tab.view)) ? tab.view : app.store.state.view);
  touch(app, undefined, { games, view });
}
