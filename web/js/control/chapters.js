/** The chapters of studies: their order, and what is done to them. */

import { createGame, nameOf, withName } from "../model/game.js";
import { TreeFull } from "../model/tree.js";
import { announce, notify } from "./app.js";
import { checkedGame, nameOfFile, openToAnalyse } from "./import.js";
import {
  changeGame,
  deleteGames,
  entryOf,
  hold,
  listGames,
  loadGame,
  read,
  saveGame,
  write,
} from "./library.js";

/** @import { Entry } from "./library.js" */

/** Of each study the identities of its games, in their order; others follow. */
const ORDERS = "petard.studies";

/** As on lichess. */
const MAX_CHAPTERS = 64;

/** @returns {Record<string, string[]>} */
const orders = () => ({ ...read(ORDERS, {}) });

/** The chapters of a study that are kept, in their order. @param {string} study @returns {Entry[]} */
export function chaptersOf(study) {
  const order = orders()[study];
  const places = new Map(Array.isArray(order) ? order.map((id, place) => [id, place]) : []);
  const placeOf = (/** @type {Entry} */ { id }) => places.get(id) ?? places.size;
  return listGames()
    .filter((entry) => entry.study === study)
    .sort(
      (a, b) =>
        placeOf(a) - placeOf(b) || (a.created ?? 0) - (b.created ?? 0) || (a.id < b.id ? -1 : 1),
    );
}

/** Games with the chapters of a study together, in their order. @param {Entry[]} entries */
export function inOrder(entries) {
  const ids = new Set(entries.map(({ id }) => id));
  /** @type {Set<string>} */
  const done = new Set();
  return entries.flatMap((entry) => {
    const { study } = entry;
    if (!study) return entry;
    if (done.has(study)) return [];
    done.add(study);
    return chaptersOf(study).filter(({ id }) => ids.has(id));
  });
}

/** The chapters of the study that is analysed, with the one that is shown as it is now. @param {App} app */
export function shownChapters({ store: { state } }) {
  const { analyse } = state.games;
  const shown = entryOf(analyse);
  const kept = analyse.study ? chaptersOf(analyse.study) : [];
  const all = kept.map((entry) => (entry.id === shown.id ? shown : entry));
  return all.includes(shown) ? all : [...all, shown];
}

/** What a chapter is called. @param {Entry} entry @param {number} index */
export function chapterTitle({ name }, index) {
  return name || `Chapter ${index + 1}`;
}

/** @param {App} app @param {string} id */
export async function openStudyChapter(app, id) {
  const game = (await hold(id)) ? loadGame(id) : null;
  if (game) openToAnalyse(app, game);
  else notify(app, "Another tab has this chapter open.", "error");
}

/** @param {App} app */
export function addChapter(app) {
  const { study, tree } = app.store.state.games.analyse;
  const number = shownChapters(app).length + 1;
  if (number > MAX_CHAPTERS) return notify(app, `A study has at most ${MAX_CHAPTERS} chapters.`);
  const game = createGame("analyse", tree.variant, tree.nodes[0].fen);
  openToAnalyse(app, { ...game, study, headers: { ChapterName: `Chapter ${number}` } });
}

/** @param {App} app @param {string} name */
export function renameChapter(app, name) {
  const { analyse } = app.store.state.games;
  return changeGame(app, analyse.id, (game) => (game.headers = withName(game, name)));
}

/**
 * Lets the chapter that is shown change places with the next or the one before.
 * @param {App} app @param {1 | -1} step
 */
export function moveChapter(app, step) {
  const { study, id } = app.store.state.games.analyse;
  const ids = shownChapters(app).map((entry) => entry.id);
  const from = ids.indexOf(id);
  const other = ids[from + step];
  if (!study || !other) return;
  ids[from] = other;
  ids[from + step] = id;
  if (!write(ORDERS, { ...orders(), [study]: ids }))
    return notify(app, "This browser has no space left to keep the order.", "error");
  app.store.set({ kept: app.store.state.kept + 1 });
  announce(app, `Chapter ${from + step + 1} of ${ids.length}.`);
}

/** Deletes the chapter that is shown; one beside it takes its place. @param {App} app */
export async function deleteChapter(app) {
  const game = app.store.state.games.analyse;
  const all = shownChapters(app);
  const at = all.findIndex(({ id }) => id === game.id);
  const title = chapterTitle(all[at], at);
  // With all that was typed a moment ago.
  saveGame(app, game);
  let next = createGame("analyse", game.tree.variant, game.tree.nodes[0].fen);
  for (const { id } of [...all.slice(at + 1), ...all.slice(0, at).reverse()]) {
    const there = (await hold(id)) ? loadGame(id) : null;
    if (!there) continue;
    next = there;
    break;
  }
  if (app.store.state.games.analyse !== game) return;
  const undo = deleteGames(app, [game.id]);
  openToAnalyse(app, next);
  const run = () => {
    undo();
    const again = loadGame(game.id);
    if (again) openToAnalyse(app, again);
  };
  notify(app, `${title} is deleted.`, "note", { label: "Undo", run });
}

/** Makes a study of the file that is open: its games become chapters, and the file stays. @param {App} app */
export async function makeStudy(app) {
  const { collection } = app.store.state;
  if (!collection) return;
  const { games, opened, at } = collection;
  if (games.length > MAX_CHAPTERS)
    return notify(
      app,
      `A study has at most ${MAX_CHAPTERS} chapters, and this file has ${games.length} games.`,
      "error",
    );
  const named = games[0].headers.StudyName;
  const isOne = named && games.every(({ headers }) => headers.StudyName === named);
  const study = freeName(isOne ? named : nameOfFile(games));
  /** @type {Game[]} */
  const chapters = [];
  /** @type {string[]} */
  const errors = [];
  let shown = app.store.state.games.analyse;
  for (const [index, one] of games.entries()) {
    const found = opened[index] ?? (await gameOrError(app, one));
    if (typeof found === "string") {
      errors.push(found);
      continue;
    }
    const { White, Black } = found.headers;
    const players = White || Black ? `${White ?? "White"} – ${Black ?? "Black"}` : "";
    const name = nameOf(found) || players || `Chapter ${index + 1}`;
    Object.assign(found, { study, headers: withName(found, name) });
    delete found.untouched;
    delete found.packed;
    chapters.push(found);
    if (index === at) shown = found;
  }
  write(ORDERS, { ...orders(), [study]: chapters.map(({ id }) => id) });
  if (!chapters.every((game) => saveGame(app, game))) return;
  app.store.set({ collection: null });
  openToAnalyse(app, shown);
  const left = errors.length ? ` ${errors.length} left out: ${errors[0]}` : "";
  notify(app, `Kept as the study “${study}”.${left}`, left ? "error" : "note");
}

/** @param {App} app @param {import("../text/pgn.js").PgnGame} read */
async function gameOrError(app, read) {
  try {
    const found = await checkedGame(app, read);
    return typeof found === "string" ? found : found.game;
  } catch (error) {
    if (error instanceof TreeFull) return error.message;
    throw error;
  }
}

/** A name that no study has. @param {string} name */
function freeName(name) {
  const taken = new Set(listGames().map(({ study }) => study));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name} (${number})`;
  return free;
}
