import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { NEWCOMER, rated } from "../../js/model/glicko.js";
import {
  chooseDaily,
  chooseNear,
  dayOf,
  PuzzleError,
  readPuzzles,
  streakRating,
  THEMES,
} from "../../js/model/puzzles.js";

const TEXT = readFileSync(new URL("../../data/puzzles.csv", import.meta.url), "utf8");
const HEAD = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Themes,Board";
const FEN = "1p4p1/6p1/3p1p2/p3pPp1/8/1p6/8/1PPP1PP1 b 0 34";
const LINE = `abc12,${FEN},b8a7 f5e6 b3a2 b1a2,351,88,short,8x8`;

test("the example of Glickman's paper", () => {
  const after = rated(
    { rating: 1500, deviation: 200, volatility: 0.06 },
    [
      { rating: 1400, deviation: 30, score: 1 },
      { rating: 1550, deviation: 100, score: 0 },
      { rating: 1700, deviation: 300, score: 0 },
    ],
    0.5,
  );
  assert.ok(Math.abs(after.rating - 1464.06) < 0.01, String(after.rating));
  assert.ok(Math.abs(after.deviation - 151.52) < 0.01, String(after.deviation));
  assert.ok(Math.abs(after.volatility - 0.05999) < 0.00001, String(after.volatility));
});

test("a rating settles where half of the answers are right, and grows less certain at rest", () => {
  let player = NEWCOMER;
  for (let round = 0; round < 200; round++)
    player = rated(player, [{ rating: 1600, deviation: 80, score: round % 2 ? 1 : 0 }]);
  assert.ok(Math.abs(player.rating - 1600) < 60, String(player.rating));
  assert.ok(player.deviation < 90);
  assert.ok(rated(player, []).deviation > player.deviation);
  assert.equal(rated(player, []).rating, player.rating);
});

test("the puzzles of the page are read, and their themes have names", () => {
  const puzzles = readPuzzles(TEXT);
  assert.ok(puzzles.length > 100);
  assert.equal(new Set(puzzles.map(({ id }) => id)).size, puzzles.length);
  for (const { themes } of puzzles) for (const theme of themes) assert.ok(theme in THEMES, theme);
});

test("a damaged file is refused in one sentence that names the line", () => {
  for (const [line, words] of [
    [LINE.replace(",8x8", ""), "it does not have seven fields"],
    [LINE.replace("abc12", "a b"), "its name cannot be read"],
    [LINE.replace("351", "many"), "its rating cannot be read"],
    [LINE.replace(" b1a2", ""), "its moves cannot be read"],
    [LINE.replace("b1a2", "b1"), "its moves cannot be read"],
    [LINE.replace("8x8", "6x6"), "its board is not 8x8"],
    [LINE.replace("1p4p1", "1q4p1"), "its position cannot be read"],
  ])
    assert.throws(
      () => readPuzzles(`${HEAD}\n${LINE}\n${line}\n`),
      (/** @type {Error} */ error) => {
        assert.ok(error instanceof PuzzleError);
        assert.equal(error.message, `The puzzle file is damaged: line 3: ${words}.`);
        return true;
      },
    );
  assert.throws(() => readPuzzles("1. b2b3 b7b6"), { message: "This is not a puzzle file." });
});

/** @param {string} id @param {number} rating @param {string} [board] */
const one = (id, rating, board = "8x8") => ({
  id,
  fen: FEN,
  moves: [],
  rating,
  deviation: 80,
  themes: [],
  board,
});

test("the next puzzle is near the rating and new while there is one", () => {
  const many = Array.from({ length: 100 }, (_, index) => one(`p${index}`, 20 * index));
  for (const random of [0, 0.5, 0.999]) {
    const next = chooseNear(
      many,
      1000,
      (id) => id === "p50",
      () => random,
    );
    assert.ok(next && Math.abs(next.rating - 1000) <= 120 && next.id !== "p50");
  }
  assert.equal(chooseNear([one("a", 1)], 1000, () => true)?.id, "a");
  assert.equal(
    chooseNear([], 1000, () => false),
    null,
  );
});

test("among the published ones there are some near most ratings, and a streak grows harder", () => {
  const puzzles = readPuzzles(TEXT);
  const done = new Set();
  const next = (/** @type {number} */ rating) => {
    const found = chooseNear(
      puzzles,
      rating,
      (id) => done.has(id),
      () => 0.5,
    );
    assert.ok(found);
    done.add(found.id);
    return found.rating;
  };
  for (const rating of [200, 600, 900, 1200, 1500, 2000])
    assert.ok(Math.abs(next(rating) - rating) < 250, String(rating));
  done.clear();
  const streak = Array.from({ length: 20 }, (_, length) => next(streakRating(length)));
  assert.ok(streak[5] > streak[0] + 200 && streak[12] > streak[5] + 200, streak.join(" "));
});

test("a day's puzzle is the same for all, and another day's mostly another", () => {
  const many = Array.from({ length: 400 }, (_, index) => one(`p${index}`, 600 + index));
  const days = Array.from({ length: 28 }, (_, index) => dayOf(new Date(2026, 1, index + 1)));
  const chosen = days.map((day) => chooseDaily(many, day)?.id);
  assert.deepEqual(
    days.map((day) => chooseDaily([...many].reverse(), day)?.id),
    chosen,
  );
  assert.ok(new Set(chosen).size > 20);
  // Puzzles that are added change few days.
  const more = [...many, one("new1", 900), one("new2", 900)];
  const same = days.filter((day, index) => chooseDaily(more, day)?.id === chosen[index]);
  assert.ok(same.length >= 26);
  assert.equal(dayOf(new Date(2026, 0, 31, 23, 59)), "2026-01-31");
  assert.equal(chooseDaily([], "2026-01-31"), null);
  assert.equal(chooseDaily([one("a", 2500), one("b", 700, "6x6")], "2026-01-31")?.rating, 2500);
});

test("a streak gets harder", () => {
  assert.ok(streakRating(0) < 300 && streakRating(20) > 1800);
});
