/** What this browser knows of a player: lessons done, and games against the levels. */

import { LEVELS } from "../engine/levels.js";
import { isStart } from "../rules/picture.js";
import { read, write } from "./library.js";

/** @typedef {{level: string, won: boolean}} Outcome */
/** @typedef {{lessons: Record<string, number[]>, games: Outcome[]}} Progress tasks done, by lesson */

const PROGRESS = "petard.progress";
/** Games that are remembered. */
const MAX_GAMES = 500;

/** @returns {Progress} */
export function readProgress() {
  const { lessons, games } = read(
    PROGRESS,
    /** @type {{lessons?: Record<string, unknown>, games?: Outcome[]}} */ ({}),
  );
  return {
    lessons: Object.fromEntries(
      Object.entries(lessons ?? {}).map(([id, done]) => [id, tasksOf(done)]),
    ),
    games: Array.isArray(games) ? games.filter((one) => typeof one?.level === "string") : [],
  };
}

/** Before, the first so many tasks of a lesson were done. @param {unknown} done @returns {number[]} */
function tasksOf(done) {
  const list = Number.isInteger(done) ? Array(Math.min(Number(done), 99)).keys() : done;
  return Array.from(/** @type {Iterable<number>} */ (list ?? [])).filter(Number.isInteger);
}

/** @param {App} app @param {Progress} progress */
function keep({ store }, progress) {
  write(PROGRESS, progress);
  store.set({ kept: store.state.kept + 1 });
}

/** @param {App} app @param {string} id of a lesson @param {number} task that is done */
export function noteTask(app, id, task) {
  const progress = readProgress();
  progress.lessons[id] = [...new Set([...(progress.lessons[id] ?? []), task])];
  keep(app, progress);
}

/** Notes the result of a game that has just ended. @param {App} app @param {Game} game */
export function noteResult(app, { players, result, tree }) {
  // A position from elsewhere says little about a level.
  if (!isStart(tree.nodes[0].fen, tree.variant)) return;
  const engine = players.white.kind === "engine" ? "white" : "black";
  const { kind, level } = players[engine];
  const person = players[engine === "white" ? "black" : "white"];
  if (kind !== "engine" || person.kind !== "person" || !level || !/^[01]-[01]$/.test(result))
    return;
  const progress = readProgress();
  progress.games.push({ level, won: (result === "1-0") !== (engine === "white") });
  progress.games = progress.games.slice(-MAX_GAMES);
  keep(app, progress);
}

/**
 * Games won and lost, by level, from the weakest on.
 * @param {Outcome[]} games
 * @returns {{id: string, name: string, won: number, lost: number}[]}
 */
export function resultsByLevel(games) {
  return LEVELS.map(({ id, name }) => {
    const played = games.filter(({ level }) => level === id);
    const won = played.filter((one) => one.won).length;
    return { id, name, won, lost: played.length - won };
  }).filter(({ won, lost }) => won + lost);
}

/**
 * The level to try next: the one above after two wins in a row, the one below after three losses.
 * @param {Outcome[]} games
 * @returns {{id: string, name: string, why: string} | null}
 */
export function levelToTry(games) {
  const last = games.at(-1);
  if (!last) return null;
  const at = LEVELS.findIndex(({ id }) => id === last.level);
  const before = games.findLastIndex(({ level }) => level !== last.level);
  const run = games.slice(before + 1).map(({ won }) => won);
  const { name } = LEVELS[at] ?? LEVELS[LEVELS.length - 1];
  const up = run.length >= 2 && run.slice(-2).every((won) => won);
  const down = run.length >= 3 && run.slice(-3).every((won) => !won);
  const next = LEVELS[at + (up ? 1 : down ? -1 : 0)];
  if (!next || (!up && !down)) return null;
  return {
    id: next.id,
    name: next.name,
    why: up ? `You won twice in a row against ${name}.` : `${name} has won three times in a row.`,
  };
}
