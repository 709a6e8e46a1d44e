/** What the page, the Python package and the scripts read alike. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { startOf } from "../../js/model/game.js";
import { decode, readAny } from "../../js/text/import.js";
import { writePgn } from "../../js/text/pgn.js";
import { gameOf, pgnOf } from "../../js/text/treepgn.js";

const read = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const NUMBERS = read("../../data/judgement.json");
const { games, positions, refusedPositions, refused, files } = read(
  "../../../tests/data/texts.json",
);
const START = startOf("8x8").fen;

/** The moves of the main line, once through the tree. @param {any} tree */
function mainLine(tree) {
  const moves = [];
  for (let node = tree.nodes[0]; node.children.length; moves.push(node.move))
    node = tree.nodes[node.children[0]];
  return moves;
}

for (const { name, text, moves, starts, results, keeps, says } of games)
  test(`read: ${name}`, () => {
    const found = readAny(text, "8x8").map(gameOf);
    assert.deepEqual(
      found.map(({ game }) => mainLine(game.tree)),
      moves,
    );
    assert.deepEqual(
      found.flatMap(({ cut }) => cut),
      [],
    );
    assert.deepEqual(
      found.map(({ game }) => game.tree.nodes[0].fen),
      starts ?? moves.map(() => START),
    );
    if (results)
      assert.deepEqual(
        found.map(({ game }) => game.result),
        results,
      );
    const written = found.map(({ game }) => writePgn(pgnOf(game, NUMBERS))).join("\n");
    const flat = written.replace(/\n/g, " ");
    for (const part of says ?? keeps ?? []) assert.ok(flat.includes(part), `${part} in ${flat}`);
    const again = readAny(written, "8x8").map(gameOf);
    assert.equal(again.map(({ game }) => writePgn(pgnOf(game, NUMBERS))).join("\n"), written);
  });

test("positions, with and without the fields of chess", () => {
  for (const { text, fen } of positions) assert.equal(readAny(text, "8x8")[0].fen, fen, text);
});

test("texts that are no positions", () => {
  for (const text of refusedPositions) assert.throws(() => readAny(text, "8x8"), Error, text);
});

for (const { name, text, rules } of refused)
  test(`refused: ${name}`, { skip: rules && "by the engine" }, () => {
    const faults = () => readAny(text, "8x8").flatMap((game) => gameOf(game).cut);
    try {
      assert.notDeepEqual(faults(), []);
    } catch (error) {
      assert.ok(/** @type {Error} */ (error).message.length < 200);
      assert.ok(!(error instanceof assert.AssertionError), text);
    }
  });

test("encodings", () => {
  for (const { name, hex, text } of files)
    assert.equal(decode(Uint8Array.from(Buffer.from(hex, "hex")).buffer), text, name);
});
