import assert from "node:assert/strict";
import test from "node:test";
import { keyOf, mirrored, playedGame, rowsOf, talliesOf } from "../../js/model/explorer.js";
import { addMove, createTree } from "../../js/model/tree.js";
import { FREELING_START, startFen } from "../../js/rules/picture.js";

/** @param {string[]} moves @param {import("../../types/game").Result} result */
function played(moves, result, fen = startFen(8, 8)) {
  const tree = createTree("breakthrough", fen);
  let at = 0;
  for (const move of moves) at = addMove(tree, at, move).id;
  return playedGame(tree, result);
}

test("a move in a mirror", () => {
  for (const [move, width, expected] of /** @type {const} */ ([
    ["a2b3", 8, "h2g3"],
    ["d4d5", 5, "b4b5"],
    ["pass", 5, "pass"],
    ["a2b3", 28, "ab2aa3"],
  ]))
    assert.equal(mirrored(move, width), expected);
});

test("a position and its mirror image have one key", () => {
  for (const [fen, other] of [
    ["8/1p6/P7/8/8/2p5/3P4/8 w 0 1", "8/6p1/7P/8/8/5p2/4P3/8 w 3 9"],
    ["p10/11/11/P10 b 0 1", "10p/11/11/10P b 0 1"],
  ]) {
    const [key, same] = [fen, other].map((text) => keyOf(text, "breakthrough"));
    assert.equal(key.key, same.key);
    assert.notEqual(key.isMirrored, same.isMirrored);
  }
  assert.notEqual(
    keyOf("8/1p6/P7/8/8/2p5/3P4/8 w 0 1", "breakthrough").key,
    keyOf("8/1p6/P7/8/8/2p5/3P4/8 b 0 1", "breakthrough").key,
  );
  assert.notEqual(keyOf(FREELING_START, "freeling").key, keyOf(FREELING_START, "breakthrough").key);
});

test("games are counted by their moves, mirror images too, each once", () => {
  const games = [
    played(["a2b3", "a7b6"], "1-0"),
    played(["a2b3", "a7b6"], "1-0"),
    played(["h2g3", "b7b6"], "0-1"),
    played(["b2b3"], "1/2-1/2"),
    played(["c2c3"], "*"),
  ].flatMap((game) => game ?? []);
  assert.equal(games.length, 4);
  const start = talliesOf(games, startFen(8, 8), "breakthrough");
  // The start position is its own mirror image: a move and its image are counted as played.
  assert.deepEqual(
    [...start],
    [
      ["a2b3", { white: 1, draws: 0, black: 0 }],
      ["h2g3", { white: 0, draws: 0, black: 1 }],
      ["b2b3", { white: 0, draws: 1, black: 0 }],
    ],
  );
  const after = "pppppppp/pppppppp/8/8/8/6P1/PPPPPPP1/PPPPPPPP b 0 1";
  assert.deepEqual(
    [...talliesOf(games, after, "breakthrough")],
    [
      ["h7g6", { white: 1, draws: 0, black: 0 }],
      ["b7b6", { white: 0, draws: 0, black: 1 }],
    ],
  );
});

test("rows: won, then by book, then by games, lost last; the search moves none", () => {
  const theory = {
    results: /** @type {const} */ ({ a2a3: "lost", b2b3: "won" }),
    book: [
      { move: "c2c3", cp: 20, mate: null, searches: 7 },
      { move: "d2d3", cp: 30, mate: null, searches: 0 },
      { move: "e2e3", cp: null, mate: -4, searches: 0 },
    ],
  };
  const line = { depth: 9, multipv: 1, score: { cp: 90 }, nodes: 1, nps: 1, hashfull: 0 };
  const legal = ["a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3"];
  const rows = rowsOf(
    legal,
    theory,
    [
      { ...line, pv: ["f2f3"] },
      { ...line, score: { cp: 10 }, pv: ["c2c3"] },
    ],
    new Map([["g2g3", { white: 1, draws: 0, black: 0 }]]),
  );
  assert.equal(rows.map(({ move }) => move).join(" "), "b2b3 d2d3 c2c3 g2g3 f2f3 h2h3 a2a3 e2e3");
  const [best, , book] = rows;
  assert.equal(best.result, "won");
  assert.deepEqual(book, {
    move: "c2c3",
    result: null,
    book: { cp: 20 },
    searches: 7,
    engine: { cp: 10 },
    games: null,
  });
  assert.equal(rows.at(-1)?.result, "lost");
  // An engine that knows no books.
  assert.equal(rowsOf(legal, undefined, [], new Map()).length, legal.length);
});
