/** Games and settings in this browser: they survive a reload, a closed tab and a stopped server. */

import {
  boardName,
  copyToAnalyse,
  nameOf,
  personsSide,
  plies,
  worthKeeping,
} from "../model/game.js";
import { lineFrom } from "../model/tree.js";
import { DEFAULTS, VIEWS } from "../state.js";
import { markChanged, notify } from "./app.js";
import { settleClock } from "./clock.js";

/** @import { Mode, Node } from "../../types/game" */
/** @import { Lesson, Practice, Settings } from "../../types/state" */
/**
 * @typedef {{id: string, mode: Mode, white: string, black: string, board: string, result: string,
 * plies: number, changed: number, created?: number, name?: string, fen?: string, variant?: Variant,
 * flipped?: boolean, person?: "white" | "black" | null, source?: string, study?: string,
 * tags?: string[]}} Entry of the list of games; what is optional was not kept by version 0.2
 */
/**
 * @typedef {{view?: string, at?: number, play?: string, analyse?: string, watch?: string,
 * practice?: Practice | null, lesson?: Lesson | null}} Tab what a tab shows
 */

const GAME = "petard.game.";
const LIST = "petard.games";
const SETTINGS = "petard.settings";
const TAB = "petard.tab";
const LEFT = "petard.left";
const SHOWN = "petard.shown";
/** Games that this tab has locked. @type {Set<string>} */
const held = new Set();
/** Games that were deleted while they were open, as they were. @type {WeakMap<Game, string>} */
const deleted = new WeakMap();
/** Whether the user knows that games are not kept any more. */
let isFull = false;

/**
 * A browser may forbid storage; then games last as long as the page.
 * @param {() => Storage} open
 * @returns {Pick<Storage, "getItem" | "setItem" | "removeItem">}
 */
function storageOr(open) {
  try {
    return open();
  } catch {
    /** @type {Map<string, string>} */
    const memory = new Map();
    return {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => void memory.set(key, value),
      removeItem: (key) => void memory.delete(key),
    };
  }
}

const local = storageOr(() => localStorage);
const session = storageOr(() => sessionStorage);

/**
 * @template T
 * @param {Pick<Storage, "getItem">} storage
 * @param {string} key
 * @param {T} fallback
 * @returns {T}
 */
function readFrom(storage, key, fallback) {
  try {
    return JSON.parse(storage.getItem(key) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/**
 * @param {Pick<Storage, "setItem">} storage
 * @param {string} key
 * @param {string} text
 * @returns {boolean} false if there is no room, or storage is forbidden
 */
function writeTo(storage, key, text) {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/**
 * What this browser keeps under a name, beside games and settings.
 * @template T
 * @param {string} key @param {T} fallback
 */
export const read = (key, fallback) => readFrom(local, key, fallback);

/** @param {string} key @param {unknown} value */
export const write = (key, value) => writeTo(local, key, JSON.stringify(value));

/** @returns {Settings} */
export function readSettings() {
  const stored = /** @type {Record<string, unknown>} */ (readFrom(local, SETTINGS, {}));
  const known = Object.entries(DEFAULTS).filter(
    ([name, value]) =>
      typeof stored[name] === typeof value && Array.isArray(value) === Array.isArray(stored[name]),
  );
  return {
    ...DEFAULTS,
    .../** @type {Partial<Settings>} */ (
      Object.fromEntries(known.map(([name]) => [name, stored[name]]))
    ),
  };
}

/** @param {App} app @param {Partial<Settings>} patch */
export function changeSettings({ store }, patch) {
  store.set({ settings: { ...store.state.settings, ...patch } });
  // Another tab may have changed others.
  writeTo(local, SETTINGS, JSON.stringify({ ...readSettings(), ...patch }));
}

/** A player's name; before, a level was named after a comma. @param {string} [name] */
const named = (name = "") =>
  name === "?" ? "" : String(name).replace(/^petard, (?=\S)/, "petard · ");

/** All kept games, the latest first. @returns {Entry[]} */
export function listGames() {
  const list = readFrom(local, LIST, /** @type {Entry[]} */ ([]));
  return Array.isArray(list)
    ? list
        .filter((entry) => typeof entry?.id === "string")
        .map((entry) => ({ ...entry, white: named(entry.white), black: named(entry.black) }))
        .sort((a, b) => b.changed - a.changed)
    : [];
}

/** @param {string} id @returns {Game | null} */
export const loadGame = (id) => gameIn(local, GAME + id);

/** @param {Pick<Storage, "getItem">} storage @param {string} key @returns {Game | null} */
function gameIn(storage, key) {
  const game = readFrom(storage, key, /** @type {Game | null} */ (null));
  if (!game || !Array.isArray(game.tree?.nodes) || !game.tree.nodes[0]?.fen) return null;
  // Version 0.2 kept one glyph a move.
  for (const node of /** @type {(Node & {nag?: number})[]} */ (game.tree.nodes)) {
    if (node.nag) node.nags = [node.nag];
    delete node.nag;
  }
  for (const side of ["White", "Black"])
    if (game.headers?.[side]) game.headers[side] = named(game.headers[side]);
  return game;
}

/** @param {Game} game @returns {Entry} */
export function entryOf(game) {
  return {
    created: game.created,
    name: nameOf(game),
    fen: lineFrom(game.tree).at(-1)?.fen,
    variant: game.tree.variant,
    flipped: game.flipped,
    person: personsSide(game),
    source: game.source,
    study: game.study,
    tags: game.tags,
    id: game.id,
    mode: game.mode,
    white: game.headers.White ?? "",
    black: game.headers.Black ?? "",
    board: boardName(game),
    result: game.result,
    plies: plies(game),
    changed: game.changed,
  };
}

/** What the engine says is asked for again. @param {string} key @param {unknown} value */
const withoutFacts = (key, value) => (key === "legal" || key === "theory" ? undefined : value);

/** Reports that the list of games has changed. @param {App} app */
const tellKept = ({ store }) => store.set({ kept: store.state.kept + 1 });

/** What a person has made of a game. @param {Game} game */
const contentOf = ({ tree }) =>
  JSON.stringify(
    tree.nodes.map(({ move, comment, nags, shapes }) => [move, comment, nags, shapes]),
  );

/** @param {App} app @param {Game} game @returns {boolean} false if there is no room */
export function saveGame(app, game) {
  if (!worthKeeping(game) || (game.untouched && !game.review)) return true;
  // Whoever goes on with a deleted game keeps it. What the engine says too late does not.
  if (deleted.has(game) && deleted.get(game) === contentOf(game)) return true;
  deleted.delete(game);
  hold(game.id);
  const text = JSON.stringify(game, withoutFacts);
  const list = [entryOf(game), ...listGames().filter((entry) => entry.id !== game.id)];
  if (!writeTo(local, GAME + game.id, text) || !writeTo(local, LIST, JSON.stringify(list))) {
    // Nothing is deleted to make room: that is for the user to decide.
    if (!isFull)
      notify(
        app,
        "This browser has no space left: this game is not kept. Export or delete older ones.",
        "error",
        { label: "Games", run: () => app.store.set({ view: "games" }) },
      );
    isFull = true;
    return false;
  }
  isFull = false;
  tellKept(app);
  return true;
}

/**
 * Deletes games, each with its analyses.
 * @param {App} app @param {string[]} ids @returns {() => void} what undoes it
 */
export function deleteGames(app, ids) {
  const gone = listGames().filter(
    ({ id, source }) => ids.includes(id) || (source && ids.includes(source)),
  );
  const texts = gone.map(({ id }) => local.getItem(GAME + id) ?? "");
  const set = (/** @type {Entry[]} */ more) => {
    const others = listGames().filter(({ id }) => !gone.some((one) => one.id === id));
    writeTo(local, LIST, JSON.stringify([...others, ...more]));
    tellKept(app);
  };
  for (const { id } of gone) local.removeItem(GAME + id);
  const open = Object.values(app.store.state.games).flatMap((game) =>
    game && gone.some(({ id }) => id === game.id) ? [game] : [],
  );
  for (const game of open) deleted.set(game, contentOf(game));
  set([]);
  return () => {
    for (const game of open) deleted.delete(game);
    set(gone.filter(({ id }, index) => writeTo(local, GAME + id, texts[index])));
  };
}

/**
 * Changes what a kept game is called and filed under.
 * @param {App} app @param {string} id @param {(game: Game) => void} change
 * @returns {Promise<boolean>} false if another tab has the game open
 */
export async function changeGame(app, id, change) {
  const mine = Object.values(app.store.state.games).find((game) => game?.id === id);
  const game = mine ?? ((await hold(id)) ? loadGame(id) : null);
  if (!game) return false;
  change(game);
  delete game.packed;
  delete game.untouched;
  if (mine) markChanged(app, mine);
  else saveGame(app, game);
  return true;
}

/**
 * The analysis of a game: the one that was kept, if the game has not gone on since.
 * @param {Game} game
 */
export async function analysisOf(game) {
  if (game.mode === "analyse") return game;
  const moves = (/** @type {Game} */ { tree }) => lineFrom(tree).map(({ move }) => move);
  for (const { id } of listGames().filter(({ source }) => source === game.id)) {
    const kept = (await hold(id)) ? loadGame(id) : null;
    const line = kept ? moves(kept) : [];
    if (kept && moves(game).every((move, ply) => line[ply] === move)) return kept;
  }
  return copyToAnalyse(game);
}

/**
 * The game of an entry that was looked for, without the game if another tab has it open.
 * @param {Entry | undefined} entry
 */
const openedHere = async (entry) =>
  entry ? { game: (await hold(entry.id)) ? loadGame(entry.id) : null } : null;

/**
 * The game that came by a link, if it is kept as it came.
 * @param {string} packed
 * @returns {Promise<{game: Game | null} | null>} without the game if another tab has it open
 */
export async function gameOfLink(packed) {
  // It is looked for in the texts, which is quicker than reading every game.
  const entry = listGames().find(({ id }) =>
    local.getItem(GAME + id)?.includes(`"packed":"${packed}"`),
  );
  return openedHere(entry);
}

/**
 * The latest analysis whose main line has just these moves.
 * @param {Variant} variant @param {string} fen where they begin @param {string[]} moves
 * @returns {Promise<{game: Game | null} | null>} without the game if another tab has it open
 */
export async function gameOfMoves(variant, fen, moves) {
  const entry = listGames().find(({ id, mode, plies: count }) => {
    const game = mode === "analyse" && count === moves.length ? loadGame(id) : null;
    return (
      game?.tree.variant === variant &&
      game.tree.nodes[0].fen === fen &&
      lineFrom(game.tree).every((node, ply) => ply === 0 || node.move === moves[ply - 1])
    );
  });
  return openedHere(entry);
}

/** Saves games as they change. @param {App} app */
export function keepGames(app) {
  const { store } = app;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Map<string, number>} */
  const saved = new Map();
  /** All games since the last time: one that another has replaced is saved too. */
  let open = new Set(Object.values(store.state.games));
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    const { games, view, practice, lesson } = store.state;
    if (games.play && games.play.result === "*") settleClock(games.play);
    for (const game of open) {
      if (!game || (saved.get(game.id) === game.changed && (!game.clocks || game.result !== "*")))
        continue;
      saved.set(game.id, game.changed);
      saveGame(app, game);
    }
    open = new Set(Object.values(games));
    const tab = {
      view,
      at: games.analyse.at,
      play: games.play?.id,
      analyse: games.analyse.id,
      watch: games.watch?.id,
      practice,
      lesson,
    };
    writeTo(session, TAB, JSON.stringify(tab));
    // What is not kept, since a file or a link has it, lasts as long as the tab.
    const shown = games.analyse.untouched ? games.analyse : null;
    writeTo(session, SHOWN, JSON.stringify(shown, withoutFacts));
  };
  store.on(["rev", "games", "view"], () => {
    for (const game of Object.values(store.state.games)) open.add(game);
    timer ??= setTimeout(save, 250);
  });
  addEventListener("pagehide", save);
  // A phone may end a page in the background without further notice.
  document.addEventListener("visibilitychange", () => document.hidden && save());
  addEventListener(
    "storage",
    (event) => /^petard\.(games|studies)$/.test(event.key ?? "") && tellKept(app),
  );
}

/**
 * Locks a game, so that no other tab goes on with it too.
 * @param {string} id
 * @param {number} [patience] milliseconds to wait for it
 * @param {() => boolean} [wanted] whether it is still wanted when it comes; if not, others may have
 *   it
 * @returns {Promise<boolean>} whether it is this tab's
 */
export function hold(id, patience = 0, wanted = () => true) {
  if (held.has(id) || !navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const how = patience ? { signal: AbortSignal.timeout(patience) } : { ifAvailable: true };
    const asked = navigator.locks.request(GAME + id, how, (lock) => {
      const mine = Boolean(lock) && wanted();
      resolve(mine);
      if (!mine) return undefined;
      held.add(id);
      return new Promise(() => undefined);
    });
    // Where storage is forbidden, so are locks.
    asked.catch(({ name }) => resolve(name === "SecurityError"));
  });
}

/** Keeps the address that a page had when it was left. @param {string} hash */
export const leaveAt = (hash) => writeTo(session, LEFT, JSON.stringify(hash));

/**
 * How long to wait for a game that another page holds: this tab's own, the one that was just left,
 * or the latest, in milliseconds.
 */
const PATIENCE = { mine: 60_000, left: 5000, latest: 1500 };

/**
 * Finds this tab's games again, or else the latest that no open tab has. A page that was just
 * closed or reloaded may hold its games a moment longer: then they come late.
 * @param {App} app
 * @param {(mode: Mode, game: Game) => void} late
 * @returns {Promise<boolean>} whether all is shown as it was left, so that the address, which may
 *   be older, says nothing new
 */
export async function restore(app, late) {
  const tab = readFrom(session, TAB, /** @type {Tab} */ ({}));
  const isBack = readFrom(session, LEFT, "") === location.hash && Boolean(tab.view);
  session.removeItem(LEFT);
  const list = listGames();
  const before = app.store.state.games;
  const games = { ...before };
  for (const mode of /** @type {const} */ (["play", "analyse", "watch"])) {
    const mine = list.find((entry) => entry.id === tab[mode]);
    const entry =
      mine ??
      (tab.view
        ? undefined
        : list.find((one) => one.mode === mode && (mode === "analyse" || one.result === "*")));
    if (!entry) {
      const shown = mode === "analyse" ? gameIn(session, SHOWN) : null;
      if (shown?.id === tab[mode]) games.analyse = shown ?? games.analyse;
      continue;
    }
    const early = () => app.store.state.games === before;
    const wanted = () =>
      early() ||
      (app.store.state.games[mode] === before[mode] &&
        !(before[mode] && worthKeeping(before[mode])));
    const adopt = (/** @type {boolean} */ free) => {
      const game = free ? loadGame(entry.id) : null;
      if (!game || !wanted()) return;
      if (early()) /** @type {any} */ (games)[mode] = game;
      else late(mode, game);
    };
    if (await hold(entry.id, isBack ? PATIENCE.left : 0)) adopt(true);
    else hold(entry.id, mine ? PATIENCE.mine : PATIENCE.latest, wanted).then(adopt);
  }
  if (typeof tab.at === "number" && games.analyse.tree.nodes[tab.at]) games.analyse.at = tab.at;
  const view = VIEWS.find((name) => name === tab.view) ?? app.store.state.view;
  const { practice = null, lesson = null } = tab;
  // What was being looked at is asked again.
  if (practice)
    Object.assign(practice, { reply: "" }, practice.status === "checking" && { status: "ask" });
  markChanged(app, undefined, { games, view, practice, lesson });
  return isBack && (view !== "analyse" || games.analyse.id === tab.analyse);
}
