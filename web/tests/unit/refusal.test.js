import assert from "node:assert/strict";
import test from "node:test";
import { parseFen } from "../../js/rules/picture.js";
import { refusalOf } from "../../js/rules/refusal.js";
import { parseSquare } from "../../js/rules/squares.js";

const START = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1";
const WALL = "5/1ppp1/2P2/5/5 w 0 1";
const BLOCKED = "5/2p2/1PPP1/5/5 w 0 1";

test("a click that makes no move is explained", () => {
  for (const [fen, square, from, words] of /** @type {const} */ ([
    [START, "d1", null, /your own pieces stand in front/],
    [START, "d7", null, /pick one of White’s/],
    [START, "d5", null, /^$/],
    [START, "d5", "d2", /one step forward/],
    [START, "d1", "d2", /your own pieces stand in front/],
    [START, "a8", "d2", /one step forward/],
    [WALL, "c4", "c3", /never straight ahead/],
    [BLOCKED, "a3", "b3", /one step forward/],
    ["2p2/2P2/5/5/5 b 0 1", "c4", null, /pick one of Black’s/],
  ])) {
    const picture = parseFen(fen, "breakthrough");
    const at = /** @type {import("../../js/rules/squares.js").Square} */ (parseSquare(square));
    assert.match(refusalOf(picture, picture.white, at, parseSquare(from ?? "")), words);
  }
  const enemy = parseFen("p4/P4/5/5/5 w 0 1", "breakthrough");
  const at = /** @type {import("../../js/rules/squares.js").Square} */ (parseSquare("a4"));
  assert.match(refusalOf(enemy, true, at, null), /only diagonally/);
});
