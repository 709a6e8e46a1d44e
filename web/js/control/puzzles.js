/** Puzzles: one after the other, answered on the board, rated, and kept in this browser. */

import { PositionRefused } from "../engine/engine.js";
import { createGame, learnerOf } from "../model/game.js";
import { NEWCOMER, rated } from "../model/glicko.js";
import { isBad, markWords } from "../model/judge.js";
import {
  chooseDaily,
  chooseNear,
  dayOf,
  PuzzleError,
  readPuzzles,
  streakRating,
} from "../model/puzzles.js";
import { addMove, gamePositionOf, lineFrom, moveTextAt, nodeOf } from "../model/tree.js";
import { lineTexts } from "../rules/apply.js";
import { sideName } from "../rules/ending.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { fullStrength } from "./analysis.js";
import { announce, loadFacts, markChanged, notify, persist } from "./app.js";
import { openToAnalyse } from "./import.js";
import { listGames, loadGame, read, write } from "./library.js";
import { holds } from "./practice.js";
import { verdictsOf } from "./review.js";

/** @import { Rating } from "../model/glicko.js" */
/** @import { Puzzle } from "../model/puzzles.js" */
/** @import { PuzzleState } from "../../types/puzzle" */
/**
 * What is kept: the rating, its history, what was tried (1 solved, 0 not), the longest streak, the
 * result of days, and the mistakes that were corrected.
 * @typedef {object} Record
 * @property {Rating} player
 * @property {number[]} history
 * @property {{[id: string]: number}} tried
 * @property {number} best
 * @property {{[day: string]: number}} days
 * @property {string[]} corrected
 */

const KEPT = "petard.puzzles";
/** The streak that goes on: how long it is, the choice, and the puzzle that is asked. */
const RUN = "petard.streak";
const MAX_HISTORY = 200;
/** How long the engine looks for the move that refutes a wrong one, in milliseconds. */
const REFUTATION = 600;

/** @returns {Record} */
export function readRecord() {
  const found = read(KEPT, /** @type {Partial<Record>} */ ({}));
  const { rating, deviation, volatility } = found.player ?? NEWCOMER;
  const isPlayer = [rating, deviation, volatility].every(Number.isFinite);
  const empty = { player: NEWCOMER, history: [], tried: {}, best: 0, days: {}, corrected: [] };
  return isPlayer ? { ...empty, ...found } : empty;
}

/** @param {App} app @param {(record: Record) => Record} change */
function changeRecord(app, change) {
  // Another tab may have changed it.
  if (!write(KEPT, change(readRecord())))
    notify(app, "This browser cannot keep your puzzle rating.", "error");
  app.store.set({ kept: app.store.state.kept + 1 });
}

/** Keeps a streak, so that a reload does not end it; one that has ended is kept no more. @param {App} app */
function keepRun({ store: { state } }) {
  const { streak, puzzles, puzzleChoice } = state;
  const goesOn = puzzles?.mode === "streak" && streak > 0 && !puzzles.failed;
  write(RUN, goesOn ? { streak, choice: puzzleChoice, id: puzzles.puzzle.id } : null);
}

/** Loads the puzzles, once, and shows the first. @param {App} app */
export async function openPuzzles(app) {
  const { store } = app;
  if (store.state.puzzles || store.state.puzzleList) return;
  const run = read(RUN, /** @type {any} */ (null));
  const isRun = run?.choice?.mode === "streak" && Number.isInteger(run.streak);
  if (isRun)
    store.set({
      puzzleChoice: { ...store.state.puzzleChoice, ...run.choice },
      streak: run.streak,
    });
  store.set({ puzzleList: "loading" });
  try {
    const answer = await fetch(new URL("../../data/puzzles.csv", import.meta.url));
    if (!answer.ok) throw new PuzzleError("The puzzle file is missing.");
    store.set({ puzzleList: readPuzzles(await answer.text()) });
  } catch (error) {
    store.set({ puzzleList: null });
    const text =
      error instanceof PuzzleError ? error.message : "The puzzles cannot be loaded at present.";
    return store.set({ puzzleFault: text });
  }
  store.set({ puzzleFault: "" });
  // One of one's own mistakes was asked meanwhile; those need no file.
  if (store.state.puzzles) return;
  // A puzzle is not passed over by a reload.
  const asked = isRun && !(run.id in readRecord().tried);
  await nextPuzzle(app, asked ? offered(app).find(({ id }) => id === run.id) : undefined);
}

/** Begins with this rating, before the first puzzle has changed it. @param {App} app @param {number} rating */
export function startAt(app, rating) {
  changeRecord(app, (record) =>
    record.history.length ? record : { ...record, player: { ...NEWCOMER, rating } },
  );
  return nextPuzzle(app);
}

/** The puzzles of the board and theme that were chosen. @param {App} app */
function offered({ store: { state } }) {
  const { puzzleList, puzzleChoice } = state;
  const { board, theme, mode } = puzzleChoice;
  const all = Array.isArray(puzzleList) ? puzzleList : [];
  return all.filter(
    (one) =>
      (board === "all" || one.board === board) && (mode !== "theme" || one.themes.includes(theme)),
  );
}

/** @param {App} app @returns {Puzzle | null} */
function choose(app) {
  const { puzzleChoice, puzzleList, puzzles, streak } = app.store.state;
  const record = readRecord();
  const isDone = (/** @type {string} */ id) => id in record.tried || id === puzzles?.puzzle.id;
  const all = Array.isArray(puzzleList) ? puzzleList : [];
  if (puzzleChoice.mode === "mistakes") return ownMistakes(app)[0] ?? null;
  if (puzzleChoice.mode === "daily") return chooseDaily(all, dayOf(new Date()));
  const wanted = puzzleChoice.mode === "streak" ? streakRating(streak) : record.player.rating;
  return chooseNear(offered(app), wanted, isDone);
}

/**
 * Shows another puzzle of the kind that was chosen.
 * @param {App} app @param {Puzzle | null} [puzzle]
 */
export async function nextPuzzle(app, puzzle = choose(app)) {
  const { store } = app;
  const { mode } = store.state.puzzleChoice;
  if (!puzzle) return store.set({ puzzles: null });
  const game = createGame("analyse", "breakthrough", puzzle.fen);
  const first = addMove(game.tree, 0, puzzle.moves[0]);
  game.flipped = !whiteToMove(first.fen);
  game.at = first.id;
  if (mode === "streak" && store.state.puzzles?.failed) store.set({ streak: 0 });
  /** @type {PuzzleState} */
  const puzzles = {
    mode,
    puzzle,
    game,
    asked: first.id,
    status: "ask",
    move: "",
    reply: "",
    failed: false,
    gain: null,
  };
  store.set({ puzzles });
  keepRun(app);
  await show(app, game, first.id);
  if (store.state.view === "puzzles")
    announce(app, `${sideToMove(puzzles)} to move: find the only move that wins.`);
}

/** @param {App} app @param {Partial<import("../../types/state").State["puzzleChoice"]>} choice */
export async function choosePuzzles(app, choice) {
  const { store } = app;
  store.set({ puzzleChoice: { ...store.state.puzzleChoice, ...choice }, streak: 0, puzzles: null });
  keepRun(app);
  await nextPuzzle(app);
}

/** Whose move is asked. @param {PuzzleState} puzzles */
export function sideToMove({ game, asked }) {
  return sideName(whiteToMove(nodeOf(game.tree, asked).fen));
}

/** Whether a move on the board is an answer now. @param {App} app */
export function mayAnswer({ store: { state } }) {
  const { puzzles } = state;
  return puzzles?.status === "ask" && puzzles.game.at === puzzles.asked;
}

/** @param {App} app @param {Partial<PuzzleState>} patch */
function change(app, patch) {
  const { puzzles } = app.store.state;
  if (puzzles) markChanged(app, undefined, { puzzles: { ...puzzles, ...patch } });
}

/** Whether the puzzle is still the one that work was begun for. @param {App} app @param {Game} game */
const isStill = (app, game) => app.store.state.puzzles?.game === game;

/** Shows a node of a puzzle's game. @param {App} app @param {Game} game @param {number} id */
function show(app, game, id) {
  game.at = id;
  const { view } = app.store.state;
  markChanged(app, undefined, view === "puzzles" ? { animate: true, preview: null } : {});
  return loadFacts(app, game, id);
}

/** A person's answer. @param {App} app @param {string} move */
export async function answerPuzzle(app, move) {
  const { puzzles } = app.store.state;
  if (!puzzles || !mayAnswer(app)) return;
  const { puzzle, game, asked } = puzzles;
  const node = addMove(game.tree, asked, move);
  change(app, { status: "checking", move });
  show(app, game, node.id);
  // The first move that leads here is the opponent's.
  const expected = puzzle.moves[nodeOf(game.tree, asked).ply];
  const right = move === expected || (await isAsGood(app, puzzles, move, node.id));
  if (!isStill(app, game)) return;
  if (!right) return refute(app, puzzles, move, node.id);
  const reply = puzzle.moves[node.ply];
  if (!reply || move !== expected) return finish(app);
  const next = addMove(game.tree, node.id, reply);
  change(app, { status: "ask", asked: next.id, move: "" });
  show(app, game, next.id);
  const texts = [moveTextAt(game.tree, asked, move), moveTextAt(game.tree, node.id, reply)];
  announce(app, `${texts[0]} is right. ${texts[1]} follows.`);
}

/**
 * Whether a move that is not the expected one will do: in a puzzle it never does, unless it ends the
 * game; of one's own mistakes the review decides.
 * @param {App} app @param {PuzzleState} puzzles @param {string} move @param {number} id
 */
async function isAsGood(app, { mode, puzzle, game, asked }, move, id) {
  const { winner } = await loadFacts(app, game, id);
  if (winner) return winner === (whiteToMove(nodeOf(game.tree, asked).fen) ? "white" : "black");
  if (mode !== "mistakes") return false;
  const own = ownOf(puzzle);
  const before = own && loadGame(own.game)?.review?.[own.node];
  return Boolean(before) && holds(app, game, asked, move, /** @type {any} */ (before));
}

/**
 * Shows on the board what is wrong.
 * @param {App} app @param {PuzzleState} puzzles @param {string} move @param {number} id
 */
async function refute(app, puzzles, move, id) {
  const { game } = puzzles;
  fail(app);
  change(app, { status: "wrong", reply: "" });
  announce(app, `${moveTextAt(game.tree, puzzles.asked, move)} does not win.`);
  try {
    const { move: reply } = await persist(() =>
      app.engine.search(gamePositionOf(game.tree, id), `go movetime ${REFUTATION}`, {
        options: fullStrength(app, 1),
      }),
    );
    const now = app.store.state.puzzles;
    if (!reply || now?.game !== game || now.status !== "wrong" || game.at !== id) return;
    const node = addMove(game.tree, id, reply);
    change(app, { reply });
    show(app, game, node.id);
    announce(app, `${moveTextAt(game.tree, id, reply)} refutes it.`);
  } catch (error) {
    if (!(error instanceof PositionRefused)) throw error;
  }
}

/** The position that is asked, again. @param {App} app */
export function tryAgain(app) {
  const { puzzles } = app.store.state;
  if (!puzzles) return;
  change(app, { status: "ask", move: "", reply: "" });
  show(app, puzzles.game, puzzles.asked);
}

/** Gives the solution away and plays it on the board. @param {App} app */
export function showSolution(app) {
  const { puzzles } = app.store.state;
  if (!puzzles) return;
  const { puzzle, game, asked } = puzzles;
  fail(app);
  let node = nodeOf(game.tree, asked);
  for (const move of puzzle.moves.slice(node.ply)) node = addMove(game.tree, node.id, move);
  mainLine(puzzles);
  change(app, { status: "shown", move: "", reply: "" });
  const [first] = puzzle.moves.slice(nodeOf(game.tree, asked).ply);
  const shown = game.tree.nodes.find((one) => one.parent === asked && one.move === first);
  show(app, game, shown?.id ?? node.id);
  const [, ...solution] = lineTexts(parseFen(puzzle.fen), puzzle.moves);
  announce(app, `The solution was ${solution.join(", ")}.`);
}

/** Puts the solution before what was tried. @param {PuzzleState} puzzles */
function mainLine({ puzzle, game }) {
  let node = game.tree.nodes[0];
  for (const move of puzzle.moves) {
    const next = game.tree.nodes.find((one) => one.parent === node.id && one.move === move);
    if (!next) return;
    node.children.sort((a, b) => Number(b === next.id) - Number(a === next.id));
    node = next;
  }
}

/** It is solved. @param {App} app */
function finish(app) {
  const { puzzles } = app.store.state;
  if (!puzzles) return;
  mainLine(puzzles);
  change(app, { status: "right" });
  if (!puzzles.failed) score(app, 1);
  keepRun(app);
  if (puzzles.mode === "mistakes" && !puzzles.failed)
    changeRecord(app, (record) => ({
      ...record,
      corrected: [...record.corrected, puzzles.puzzle.id].slice(-500),
    }));
  announce(app, "Solved.");
}

/** The first wrong move, or giving up. @param {App} app */
function fail(app) {
  if (app.store.state.puzzles?.failed) return;
  score(app, 0);
  change(app, { failed: true });
  keepRun(app);
}

/** Counts the first result of a puzzle. @param {App} app @param {0 | 1} result */
function score(app, result) {
  const { store } = app;
  const { puzzles, streak } = store.state;
  if (!puzzles) return;
  const { mode, puzzle } = puzzles;
  if (mode === "mistakes") return;
  const day = dayOf(new Date());
  const length = mode === "streak" ? streak + result : 0;
  if (mode === "streak") store.set({ streak: length });
  let gain = /** @type {number | null} */ (null);
  changeRecord(app, (record) => {
    const changed = { ...record, tried: { ...record.tried, [puzzle.id]: result } };
    if (mode === "daily" && !(day in record.days)) changed.days = { ...record.days, [day]: result };
    if (mode === "streak") changed.best = Math.max(record.best, length);
    // Only the first attempt at a puzzle says anything, and a chosen theme helps.
    if (mode === "rated" && !(puzzle.id in record.tried)) {
      const { rating, deviation } = puzzle;
      changed.player = rated(record.player, [{ rating, deviation, score: result }]);
      gain = Math.round(changed.player.rating) - Math.round(record.player.rating);
      changed.history = [...record.history, Math.round(changed.player.rating)].slice(-MAX_HISTORY);
    }
    return changed;
  });
  change(app, { gain });
}

/** Opens the puzzle, its solution and what was tried in the analysis. @param {App} app */
export function analysePuzzle(app) {
  const { puzzles } = app.store.state;
  if (!puzzles) return;
  const { puzzle } = puzzles;
  const game = createGame("analyse", "breakthrough", puzzle.fen);
  game.tree = structuredClone(puzzles.game.tree);
  game.at = puzzles.game.at;
  game.flipped = puzzles.game.flipped;
  if (puzzles.mode !== "mistakes") game.headers.Event = `Puzzle ${puzzle.id}`;
  openToAnalyse(app, game);
}

/** @param {Puzzle} puzzle of one's own */
function ownOf({ id }) {
  const [game, node] = id.split(" ");
  return node ? { game, node: Number(node) } : null;
}

/**
 * The mistakes in one's own reviewed games that were not corrected yet, the latest game first. Those
 * of the first move of a game have no move that leads to them.
 * @param {App} app
 * @returns {Puzzle[]}
 */
export function ownMistakes(app) {
  const { corrected } = readRecord();
  return listGames()
    .flatMap(({ id }) => loadGame(id) ?? [])
    .filter((game) => game.review && game.tree.variant === "breakthrough")
    .flatMap((game) => mistakesOf(app, game))
    .filter(({ id }) => !corrected.includes(id));
}

/** @param {App} app @param {Game} game @returns {Puzzle[]} */
function mistakesOf(app, game) {
  const verdicts = verdictsOf(app, game);
  const { white, black } = game.players;
  if (white.kind === "engine" && black.kind === "engine") return [];
  const sides = learnerOf(game);
  return lineFrom(game.tree).flatMap((node) => {
    const verdict = verdicts.get(node.id);
    const at = node.parent === null ? null : nodeOf(game.tree, node.parent);
    const before = at?.parent == null ? null : nodeOf(game.tree, at.parent);
    const best = at && game.review?.[at.id]?.best;
    if (!verdict || !isBad(verdict) || !at?.move || !before || !best) return [];
    if (sides !== "both" && verdict.white !== (sides === "white")) return [];
    return {
      id: `${game.id} ${at.id}`,
      fen: before.fen,
      moves: [at.move, best],
      rating: 0,
      deviation: 0,
      themes: [],
      board: "",
      played: `${moveTextAt(game.tree, at.id, node.move ?? "")} was ${markWords(verdict)}`,
    };
  });
}
