import assert from "node:assert/strict";
import test from "node:test";
import { readAny } from "../../js/text/import.js";
import { MAX_TEXT } from "../../js/text/pgn.js";

const BOARD = "8x8";
const PIECES = [
  "{",
  "}",
  "(",
  ")",
  "#",
  " ",
  "1",
  "1 ",
  "[",
  '[a "',
  '[a ""] ',
  "\\",
  '"',
  ";",
  "p/",
  "p/p ",
  "a2a3 ",
  "(1. a2a3 ",
  "$",
  "1-0 ",
  "\n",
  "%",
  "#1,",
  "é",
  "{}",
  "8/",
  "moves ",
  "!",
];

/** The nightly run tries the largest texts; a fifth of that would take a bad pattern minutes, too. */
const SIZE = Number(process.env.PETARD_TEST_FACTOR ?? 1) > 1 ? MAX_TEXT : MAX_TEXT / 5;

// A pattern that scans a text again and again would take hours, not seconds.
test("no large text holds the page up", { timeout: 120_000 }, () => {
  for (const piece of PIECES)
    for (const [before, after] of [
      ["", ""],
      ["p/p/p/p w ", " x"],
      ["1. a2a3 ", " {"],
    ]) {
      const text = before + piece.repeat(Math.floor((SIZE - 20) / piece.length)) + after;
      let found;
      try {
        found = readAny(text, BOARD);
      } catch (error) {
        assert.ok(/** @type {Error} */ (error).message.length < 300, piece);
        continue;
      }
      assert.ok(found.length, piece);
    }
});
