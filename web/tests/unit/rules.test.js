import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { chainWords, play } from "../../js/rules/apply.js";
import { fenOf, isBoard, parseFen, startFen } from "../../js/rules/picture.js";
import { premoveTargets } from "../../js/rules/premoves.js";
import {
  fileName,
  normalMove,
  parseMove,
  parseSquare,
  squareName,
} from "../../js/rules/squares.js";

test("names of squares there and back, to the file af", () => {
  for (let file = 0; file < 32; file++)
    for (const rank of [0, 8, 9, 63])
      assert.deepEqual(parseSquare(squareName({ file, rank })), { file, rank });
  assert.equal(fileName(31), "af");
  assert.deepEqual(parseMove("aa10ab11"), {
    from: { file: 26, rank: 9 },
    to: { file: 27, rank: 10 },
  });
  assert.equal(parseMove("pass"), null);
});

test("moves in the notations of the field", () => {
  for (const text of ["a2b3", "a2-b3", "a2xb3", "A2B3", "a2b3*", "a2b3!?"])
    assert.equal(normalMove(text), "a2b3", text);
  for (const text of ["--", "0000", "pass"]) assert.equal(normalMove(text), "pass");
  for (const text of ["a2", "Nf3", "", "a2b3c4", "<b>a2b3"])
    assert.equal(normalMove(text), null, text);
});

test("positions of all sizes there and back", () => {
  for (let width = 2; width <= 32; width++)
    for (let height = 4; height <= 64; height++)
      if (isBoard(width, height))
        assert.equal(fenOf(parseFen(startFen(width, height))), startFen(width, height));
});

test("positions that are none are refused with a reason", () => {
  for (const fen of [
    "",
    "8/8 w",
    "pp/pp/PP/PPP w",
    "pp/pp/PP/PP",
    "pp/pp/PP/PP x",
    "pp/xx/PP/PP w",
    "99/99/99/99 w",
    "pp/pp/PP/PP w a b",
  ])
    assert.throws(() => parseFen(fen), /./, fen);
});

test("Freeling's moves and explosions end as the engine's do", () => {
  const rows = readFileSync(new URL("../data/freeling.tsv", import.meta.url), "utf8")
    .trim()
    .split("\n");
  let chains = 0;
  for (const row of rows) {
    const [fen, move, after] = row.split("\t");
    const { picture, chain } = play(parseFen(fen, "freeling"), move);
    assert.equal(fenOf(picture), after, `${fen} ${move}`);
    chains += chain.length > 1 ? 1 : 0;
  }
  assert.ok(rows.length > 300 && chains > 30);
});

test("a chain is described step by step", () => {
  const { chain } = play(parseFen("ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1", "freeling"), "b2a1");
  assert.deepEqual(chainWords(chain), ["a1 explodes: to a2; to b1.", "a2 explodes: to a3; to b2."]);
});

test("where pieces might go when it is their turn again", () => {
  // White is to move; Black plans ahead. A side's own piece straight ahead will not have moved.
  assert.deepEqual(premoveTargets(parseFen("3/1p1/1p1/PPP w 0 1")).sort(), [
    "b2a1",
    "b2b1",
    "b2c1",
    "b3a2",
    "b3c2",
  ]);
  assert.deepEqual(premoveTargets(parseFen("3/1p1/1p1/PPP b 0 1")).sort(), [
    "a1a2",
    "a1b2",
    "b1a2",
    "b1b2",
    "b1c2",
    "c1b2",
    "c1c2",
  ]);
  const freeling = premoveTargets(parseFen("5/5/5/5/5/5/5/1P3/5 b 0 1", "freeling")).sort();
  assert.deepEqual(freeling, ["b2a1", "b2a3", "b2c1", "b2c3", "b2d4", "b2e5"]);
});
