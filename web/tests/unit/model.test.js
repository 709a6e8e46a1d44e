import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { LEVELS, levelOptions } from "../../js/engine/levels.js";
import { chanceOf, SCALE, scoreText, valueLabels, whiteChance } from "../../js/model/chance.js";
import { accuracyOf, costOf, isHasty, judge, markOf, sumUp } from "../../js/model/judge.js";
import { whyBad } from "../../js/model/reasons.js";
import {
  addMove,
  createTree,
  leaves,
  lineFrom,
  lineThrough,
  makeMainLine,
  movesTo,
  numberOf,
  onMainLine,
  promote,
  removeNode,
} from "../../js/model/tree.js";
import { parseFen, startFen } from "../../js/rules/picture.js";
import { createStore } from "../../js/store.js";

const numbers = JSON.parse(
  readFileSync(new URL("../../data/judgement.json", import.meta.url), "utf8"),
);

test("the store tells once of all that changed, and only those who asked", async () => {
  const store = createStore({ a: 1, b: 1 });
  const reported = [];
  const end = store.on(["a"], () => reported.push(store.state.a));
  store.on(["b"], () => reported.push("b"));
  store.set({ a: 2 });
  store.set({ a: 3 });
  await Promise.resolve();
  end();
  store.set({ a: 4 });
  await Promise.resolve();
  assert.deepEqual(reported, [3]);
});

test("what pieces are worth to their own side", () => {
  const picture = parseFen("5/2p2/5/2P2/5 w 0 1");
  assert.deepEqual(valueLabels({ c2: 169, c4: -161 }, picture), { c2: "1.7", c4: "1.6" });
  assert.deepEqual(valueLabels({ c2: -30, c4: 30 }, picture), { c2: "−0.3", c4: "−0.3" });
  assert.deepEqual(valueLabels({ c2: -3, c4: 3 }, picture), { c2: "0.0", c4: "0.0" });
});

test("variations, promotion, deletion", () => {
  const tree = createTree("breakthrough", startFen(8, 8));
  const a = addMove(tree, 0, "a2a3");
  const b = addMove(tree, a.id, "a7a6");
  const c = addMove(tree, a.id, "b7b6");
  const d = addMove(tree, c.id, "b2b3");
  assert.equal(addMove(tree, a.id, "a7a6"), b);
  assert.deepEqual(
    lineFrom(tree).map((node) => node.id),
    [0, a.id, b.id],
  );
  assert.deepEqual(
    lineThrough(tree, c.id).map((node) => node.id),
    [0, a.id, c.id, d.id],
  );
  assert.deepEqual(movesTo(tree, d.id), ["a2a3", "b7b6", "b2b3"]);
  assert.deepEqual([numberOf(tree, a), numberOf(tree, c), numberOf(tree, d)], ["1.", "1...", "2."]);
  makeMainLine(tree, d.id);
  assert.ok(onMainLine(tree, d.id) && !onMainLine(tree, b.id));
  assert.deepEqual(leaves(tree).sort(), [b.id, d.id]);
  assert.equal(removeNode(tree, c.id), a.id);
  assert.deepEqual(
    lineFrom(tree).map((node) => node.id),
    [0, a.id, b.id],
  );
});

test("a promotion goes up one level, the main line all the way", () => {
  const tree = createTree("breakthrough", startFen(8, 8));
  const a = addMove(tree, 0, "a2a3");
  addMove(tree, a.id, "a7a6");
  const other = addMove(tree, a.id, "b7b6");
  addMove(tree, other.id, "b2b3");
  const inner = addMove(tree, other.id, "c2c3");
  assert.ok(promote(tree, inner.id));
  assert.deepEqual(other.children[0], inner.id);
  assert.ok(!onMainLine(tree, inner.id));
  assert.ok(promote(tree, inner.id));
  assert.ok(onMainLine(tree, inner.id));
  assert.ok(!promote(tree, inner.id));
});

test("the scripts read the numbers of the review where the page does", () => {
  const python = readFileSync(
    new URL("../../../scripts/petardlib/analysis/judge.py", import.meta.url),
    "utf8",
  );
  assert.match(python, /page_file\("data\/judgement\.json"\)/);
  assert.equal(numbers.scale, SCALE);
});

test("verdicts on moves", () => {
  const before = { score: { cp: 0 }, best: "a2a3" };
  const cp = (value) => ({ score: { cp: value }, best: null });
  assert.deepEqual(
    ["best", "good", "inaccuracy", "mistake", "blunder"],
    [
      judge("a2a3", before, cp(300), 0, numbers),
      judge("b2b3", before, cp(10), 0, numbers),
      judge("b2b3", before, cp(40), 0, numbers),
      judge("b2b3", before, cp(80), 0, numbers),
      judge("b2b3", before, cp(200), 0, numbers),
    ].map((verdict) => verdict.mark),
  );
  const won = { score: { mate: 3 }, best: "a2a3" };
  const mate = (value) => ({ score: { mate: value }, best: null });
  assert.deepEqual(
    [mate(2), mate(-4), cp(300)].map((after) => judge("b2b3", won, after, 0, numbers).missed),
    [3, null, null],
  );
  assert.deepEqual(
    [0, 0.5, 1].map((final) => judge("b2b3", won, null, final, numbers).missed),
    [3, 3, null],
  );
  assert.equal(judge("a2a3", won, mate(2), 0, numbers).missed, null);
  assert.equal(judge("a2a3", before, null, 1, numbers).loss, 0);
  assert.equal(markOf(0.05, numbers), "inaccuracy");
  assert.ok(Math.abs(accuracyOf(0, numbers) - 100) < 1e-3 && accuracyOf(1, numbers) === 0);
  assert.equal(sumUp([], numbers).accuracy, null);
});

test("scores are shown from White's view", () => {
  const [white, black] = ["8/8 w 0 1", "8/8 b 0 1"];
  assert.equal(chanceOf({ cp: 400 }).toFixed(4), (10 / 11).toFixed(4));
  assert.equal(chanceOf({ cp: 0, wdl: [500, 200, 300] }), 0.6);
  assert.equal(whiteChance({ mate: 2 }, black), 0);
  assert.equal(scoreText({ mate: -2 }, white), "Black in 2");
  assert.equal(scoreText({ cp: 35 }, black), "−0.35");
  assert.equal(scoreText({ cp: 35 }, white), "+0.35");
});

test("levels rise", () => {
  const ratings = LEVELS.map((level) => level.elo ?? Infinity);
  assert.deepEqual(
    ratings,
    ratings.slice().sort((a, b) => a - b),
  );
  assert.deepEqual(levelOptions(LEVELS[0]), { UCI_LimitStrength: true, UCI_Elo: -340 });
  assert.deepEqual(levelOptions(LEVELS[LEVELS.length - 1]), { UCI_LimitStrength: false });
});

test("why a move is bad is said where it is certain", () => {
  const cp = (/** @type {number} */ value) => ({ cp: value });
  const mate = (/** @type {number} */ value) => ({ mate: value });
  const cases = /** @type {const} */ ([
    // The piece that steps before the enemy is taken, and nothing takes back.
    ["5/4p/5/2P2/5 w 0 1", "c2d3", "e4d3", cp(300), cp(0), "e4xd3 takes a piece for nothing"],
    // It is taken back.
    ["5/4p/5/2P1P/5 w 0 1", "c2d3", "e4d3", cp(-20), cp(0), "e4xd3 answers it"],
    // What takes first loses nothing.
    [
      "5/2p1p/3p1/2P2/5 w 0 1",
      "c2d3",
      "e4d3",
      cp(300),
      cp(0),
      "e4xd3 answers it, and White’s chance falls from 50% to 15%",
    ],
    ["5/5/4P/2p2/5 w 0 1", "e3e4", "c2b1", mate(1), cp(0), "c2b1 reaches the far side"],
    [
      "5/5/2p2/P4/5 w 0 1",
      "a2a3",
      "c3c2",
      mate(2),
      cp(0),
      "Black wins in 2 moves, whatever you do: c3c2 answers it",
    ],
    [
      "5/5/2p2/P4/5 w 0 1",
      "a2a3",
      "c3c2",
      mate(2),
      mate(-4),
      "Black wins in 2 moves instead of 4: c3c2 answers it",
    ],
  ]);
  for (const [fen, move, best, after, before, words] of cases) {
    const seen = { score: before, best: null };
    assert.equal(whyBad(parseFen(fen), move, { score: after, best }, seen), words);
  }
});

test("in a lost game the moves that hasten the end count", () => {
  const cost = (/** @type {any} */ before, /** @type {any} */ after) =>
    costOf("a2a3", { score: before, best: "b2b3" }, { score: after, best: null });
  assert.ok(isHasty(cost({ mate: -6 }, { mate: 4 })));
  assert.ok(isHasty(cost({ cp: -900 }, { cp: 1100 })));
  assert.ok(isHasty(cost({ cp: -900 }, { mate: 5 })));
  assert.ok(!isHasty(cost({ mate: -6 }, { mate: 6 })), "the longest resistance");
  assert.ok(!isHasty(cost({ cp: -900 }, { cp: 930 })));
  assert.equal(
    costOf("a2a3", { score: { mate: -6 }, best: "a2a3" }, { score: { mate: 4 }, best: null }),
    0,
  );
});
