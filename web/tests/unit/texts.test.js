import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { startOf } from "../../js/model/game.js";
import { movesTo, nodeOf } from "../../js/model/tree.js";
import { decode, readAny, readSome } from "../../js/text/import.js";
import { pack, packedIn, readLink, unpack, wholeLink, writeLink } from "../../js/text/link.js";
import { MAX_GAMES, readPgn, writePgn } from "../../js/text/pgn.js";
import { readNote, writeNote } from "../../js/text/shapes.js";
import { gameOf, pgnOf } from "../../js/text/treepgn.js";

const NUMBERS = JSON.parse(
  readFileSync(new URL("../../data/judgement.json", import.meta.url), "utf8"),
);
const BOARD = "8x8";
const START = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1";
const moves = (game) => game.line.map((entry) => entry.move);

test("a game with variations, glyphs and comments there and back", () => {
  const text = `[Event "A \\"quoted\\" \\\\ name"]
[White "Anna"]
[Black "Ben"]
[Result "1-0"]
[Variant "breakthrough"]

{At first} 1. b2b3! {calm
it is} b7b6 (1... g7g6 $6 2. g2g3 (2. h2h3?? {why?} h7h6) 2... f7f6) 2. c2-c3 ; to the end
a7xb6?! 3. -- 1-0
`;
  const [game] = readPgn(text.replace(" 3. --", ""));
  assert.equal(game.comment, "At first");
  assert.deepEqual(moves(game), ["b2b3", "b7b6", "c2c3", "a7b6"]);
  assert.deepEqual(game.line[0].nags, [1]);
  assert.equal(game.line[0].comment, "calm it is");
  const [[g7, g2, f7]] = game.line[1].variations;
  assert.deepEqual([g7.nags, g2.move, f7.move], [[6], "g2g3", "f7f6"]);
  assert.deepEqual([g2.variations[0][0].nags, g2.variations[0][0].comment], [[4], "why?"]);
  const again = readPgn(writePgn(game))[0];
  assert.deepEqual(again.line, game.line);
  assert.equal(again.headers.Event, 'A "quoted" \\ name');
  assert.equal(again.result, "1-0");
});

test("through the tree and back nothing is lost", () => {
  const text =
    '[Variant "breakthrough"]\n\n1. b2b3 {one} b7b6 {two [%cal Ga2b3] [%csl Gc4]} (1... g7g6 2. g2g3 (2. h2h3 h7h6 {deep}) 2... f7f6) 2. c2c3 $1 c7c6 *';
  const [read] = readPgn(text);
  const { game, cut } = gameOf(read);
  assert.deepEqual(cut, []);
  assert.deepEqual(game.tree.nodes[2].shapes, ["a2b3", "c4c4"]);
  assert.deepEqual(readPgn(writePgn(pgnOf(game, NUMBERS)))[0].line, read.line);
  assert.equal(nodeOf(game.tree, 1).comment, "one");
});

test("many games in one text", () => {
  const one = '[White "A"]\n[Black "B"]\n\n1. a2a3 a7a6 *\n\n';
  assert.equal(readPgn(one.repeat(7)).length, 7);
  const [first, second] = readPgn(
    '[White "A"]\n\n1. a2a3 a7a6 1-0{resigns}\n\n1. b2b3 (1. c2c3 0-1) 1. ... b7b6 0-1;\n',
  );
  assert.deepEqual(
    [first, second].map(({ headers, line, result }) => [
      headers.White,
      line.map(({ move }) => move),
      result,
    ]),
    [
      ["A", ["a2a3", "a7a6"], "1-0"],
      [undefined, ["b2b3", "b7b6"], "0-1"],
    ],
    "a result ends a game without tags too",
  );
});

test("a draw may be written with a half, and tags may share a line, also with moves", () => {
  const games = readPgn(
    '[White "A ] [b"] [Black "B"]\n[Result "½-½"]\n\n1. a2a3 a7a6 ½-½\n1. b2b3 b7b6 ½-½{agreed}\n\n [White "C"][Black "D"] 1. a2a3 {\n[White "E"] [Black "F"]}\n',
  );
  assert.deepEqual(
    games.map(({ headers, line, result }) => [headers.White, headers.Black, line.length, result]),
    [
      ["A ] [b", "B", 2, "1/2-1/2"],
      [undefined, undefined, 2, "1/2-1/2"],
      ["C", "D", 1, "*"],
    ],
  );
  assert.equal(readPgn('[Result "½-½"]\n\n1. a2a3')[0].result, "1/2-1/2");
  assert.equal(gameOf(games[0]).game.result, "1/2-1/2");
});

test("a brace after a semicolon opens no comment", () => {
  const games = readPgn(
    '[White "A"]\n\n1. a2a3 ; {odd\na7a6 *\n\n[White "B"]\n\n1. b2b3 {from here; to\n[there]} b7b6 ; }\n*\n',
  );
  assert.deepEqual(
    games.map(({ headers, line }) => [headers.White, line.map(({ comment }) => comment)]),
    [
      ["A", ["{odd", undefined]],
      ["B", ["from here; to [there]", "}"]],
    ],
  );
  assert.throws(() => readPgn("1. a2a3 {; }\n{ a7a6"), /Unclosed comment/);
});

test("comments with braces and markup stay text and stay inside", () => {
  const [read] = readPgn("1. a2a3 *");
  read.line[0].comment = 'a } b { <img src=x onerror="alert(1)">\n[White "x"]';
  const [again] = readPgn(writePgn(read));
  assert.equal(again.line[0].comment, 'a ) b { <img src=x onerror="alert(1)"> [White "x"]');
  assert.equal(again.headers.White, "?");
});

test("a brace that ends no comment is written as it is", () => {
  for (const [comment, written] of [
    ["{x", "{x"],
    ["{x}", "(x)"],
    ["{{x} y", "{(x) y"],
    ["x}", "x)"],
    ["}{", "){"],
  ]) {
    const [read] = readPgn("1. a2a3 a7a6 *");
    read.line[0].comment = comment;
    const [again] = readPgn(writePgn(read));
    assert.equal(again.line[0].comment, written, comment);
    assert.equal(again.line.length, 2, comment);
  }
});

test("Little Golem's text, trmph links, FENs, positions and our own links", () => {
  assert.deepEqual(moves(readAny("1. a2-a3 b7xa6 2. h2-g3 a7-b6", BOARD)[0]), [
    "a2a3",
    "b7a6",
    "h2g3",
    "a7b6",
  ]);
  const [seven] = readAny("1. a2-a3 b6-b5", "7x7");
  assert.equal(seven.fen.split("/").length, 7);
  for (const text of ["board#8,a2b3b7b6", "https://trmph.com/board#8,a2b3b7b6", "#8,a2b3b7b6"]) {
    const [game] = readAny(text, BOARD);
    assert.deepEqual([game.fen, moves(game)], [START, ["a2b3", "b7b6"]], text);
  }
  assert.deepEqual(moves(readAny("board#10,a2b3j9j8", BOARD)[0]), ["a2b3", "j9j8"]);
  const fen = "8/8/3P4/8/8/2p5/8/8 b 0 1";
  for (const text of [
    fen,
    `fen ${fen}`,
    `position fen ${fen} moves c3c2`,
    "8/8/3P4/8/8/2p5/8/8 b - - 0 1",
  ])
    assert.equal(readAny(text, BOARD)[0].fen, fen, text);
  assert.deepEqual(moves(readAny("position startpos moves a2a3 a7a6", BOARD)[0]), ["a2a3", "a7a6"]);
  assert.equal(readAny("5/5/5/5/5/5/5/1D3/P4 w", BOARD)[0].variant, "freeling");
  const link = `http://127.0.0.1:1/${writeLink("analyse", "breakthrough", fen, ["c3c2"])}`;
  assert.deepEqual([readAny(link, BOARD)[0].fen, moves(readAny(link, BOARD)[0])], [fen, ["c3c2"]]);
});

test("links there and back", () => {
  const cases = [
    ["breakthrough", START, ["a2a3", "b7b6"]],
    ["breakthrough", "5/2p2/5/2P2/5 b 0 3", []],
    ["freeling", "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1", ["b2a1", "pass"]],
    ["freeling", "5/5/5/5/5/5/5/1D3/P4 w 3 4", ["pass"]],
  ];
  for (const [variant, fen, played] of cases)
    assert.deepEqual(readLink(writeLink("analyse", variant, fen, played)), {
      view: "analyse",
      variant,
      fen,
      moves: played,
    });
  for (const bad of [
    "#analyse?board=99x99",
    "#analyse?board=8x8&moves=xx",
    "#<b>",
    "#analyse?fen=8/8_w",
    "#analyse?pgn=%",
  ])
    assert.equal(readLink(bad), null, bad);
  assert.deepEqual(readLink("#analyse?moves=a2a3"), {
    view: "analyse",
    variant: "breakthrough",
    fen: START,
    moves: ["a2a3"],
  });
});

test("what cannot be read is refused with a reason", () => {
  const bad = [
    "",
    "hello",
    "1. a2a3 (",
    "1. a2a3 )",
    "( 1. a2a3 )",
    "board#99,a2a3",
    "board#8,a2",
    "1. Nf3 e5",
    '[FEN "8/8 w"]\n\n*',
    "x".repeat(3_000_000),
    "(".repeat(5000),
    `1. a2a3 ${"(1. b2b3 ".repeat(200)}`,
  ];
  for (const text of bad)
    assert.throws(
      () => readAny(text, BOARD),
      (error) => error.message.length > 5 && error.message.length < 300,
      text.slice(0, 40),
    );
});

test("impossible moves end a line and nothing else", () => {
  const { game, cut } = gameOf(readAny("1. a2a3 (1. a7a6 a2a3) a7a6 2. z9z8 b7b6", BOARD)[0]);
  assert.equal(cut.length, 2);
  assert.deepEqual(movesTo(game.tree, game.tree.nodes.length - 1), ["a2a3", "a7a6"]);
});

test("a text of nearly the largest size is read in a moment", () => {
  const text = `1. a2a3 {${"x".repeat(4_900_000)}} a7a6 *`;
  assert.equal(moves(readAny(text, BOARD)[0]).length, 2);
});

test("arrows, circles and clock times in comments, there and back", () => {
  assert.deepEqual(readNote("[%clk 1:02:03.4] good [%csl Gd4] [%cal Ga2b3,Rc2c3]"), {
    text: "good",
    shapes: ["d4d4", "a2b3", "Rc2c3"],
    clock: 3_723_400,
  });
  for (const comment of [
    "",
    "x [%cal Ga2b3] [%csl Gd4] [%clk 0:00:09.5]",
    "[%clk 100:59:59]",
    "[%clk 0:00:00]",
    "good [%eval 0.35] [%emt 0:00:03] [%cal Ra2b3,Bc2c3] [%csl Yd4]",
  ]) {
    const { text, ...note } = readNote(comment);
    assert.equal(writeNote({ comment: text, ...note }), comment);
  }
  for (const odd of ["[%clk]", "[%clk 1:2]", "[%clk 9999999:00:00]", "[%clk a:bb:cc]"])
    assert.equal(readNote(odd).clock, undefined, odd);
});

test("a link holds as many moves as a game", () => {
  const moves = Array.from({ length: 1200 }, (_, ply) => (ply % 2 ? "b9a8" : "b1a2"));
  const { variant, fen } = startOf("freeling");
  assert.deepEqual(readLink(writeLink("analyse", variant, fen, moves))?.moves, moves);
});

/** What a text becomes by way of the tree. */
const again = (/** @type {string} */ text) => {
  const written = writePgn(pgnOf(gameOf(readAny(text, BOARD)[0]).game, NUMBERS));
  return written.split("\n\n")[1].trim().replace(/\n/g, " ");
};

test("a variation that begins like the main line does not take its place", () => {
  assert.equal(
    again("1. b2b3 $1 {main} (1. b2b3 $2 {alt} g7g6) b7b6 *"),
    "1. b2b3 $1 $2 {main alt} 1... b7b6 (1... g7g6) *",
  );
});

test("comments before a variation's first move, and several glyphs, are kept", () => {
  assert.equal(
    again("1. b2b3 ({why} 1. c2c3 g7g6) b7b6 *"),
    "1. b2b3 ({why} 1. c2c3 g7g6) 1... b7b6 *",
  );
  assert.equal(
    again("1. b2b3 ({[%csl Ga3] why [%eval 0.3] [%clk 0:00:09]} 1. c2c3 g7g6) b7b6 *"),
    "1. b2b3 ({why [%eval 0.3] [%clk 0:00:09]} 1. c2c3 {[%csl Ga3]} 1... g7g6) 1... b7b6 *",
  );
  assert.equal(again("1. b2b3 $1 $18 b7b6 *"), "1. b2b3 $1 $18 b7b6 *");
  assert.equal(again("1. b2b3$1 b7b6$2 *"), "1. b2b3 $1 b7b6 $2 *");
  assert.equal(again("1. b2b3 ± b7b6 *"), "1. b2b3 $16 b7b6 *");
  const twice = "1. b2b3 b7b6 (1... g7g6 {one} 2. g2g3) (1... g7g6 {two} 2. f2f3) *";
  assert.match(again(twice), /g7g6 \{one two\}/);
});

test("clock times of other programs", () => {
  for (const [text, clock] of /** @type {const} */ ([
    ["[%clk 1:23]", 83_000],
    ["[%clk 0:5:03]", 303_000],
  ]))
    assert.equal(readNote(text).clock, clock, text);
});

test("real files of other programs are read", () => {
  const golem = readAny('[White "A"]\n\n1. a2-a3 b7xa6?! 26. resign 0-1', BOARD)[0];
  assert.deepEqual([moves(golem), golem.result], [["a2a3", "b7a6"], "0-1"]);
  assert.deepEqual(moves(readAny("1 b2b3 b7b6 2 c2c3", BOARD)[0]), ["b2b3", "b7b6", "c2c3"]);
  const trmph = readAny("https://trmph.com/breakthrough/board#8x6,a2a3a5a4", BOARD)[0];
  assert.deepEqual(
    [trmph.fen, moves(trmph)],
    ["pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP w 0 1", ["a2a3", "a5a4"]],
  );
  const played = gameOf(readAny("1. a3 ba6 2. Pbc3 *", BOARD)[0]).game;
  assert.deepEqual(movesTo(played.tree, 3), ["a2a3", "b7a6", "b2c3"]);
  for (const [result, normal] of [
    ["1/2", "1/2-1/2"],
    ["1–0", "1-0"],
    ["0–1", "0-1"],
  ])
    assert.equal(readAny(`1. b2b3 b7b6 ${result}`, BOARD)[0].result, normal, result);
  const named = (/** @type {string} */ tag) => readAny(`${tag}\n\n*`, BOARD)[0].fen;
  assert.equal(named('[Variant "Mini Breakthrough"]'), startOf("5x5").fen);
  assert.equal(named('[Variant "Breakthrough 6x7"]'), startOf("6x7").fen);
  assert.equal(named(`[Fen "${startOf("6x6").fen}"]`), startOf("6x6").fen);
  assert.equal(
    readAny('[White "The "Wall" Smith"]\n\n1. b2b3 *', BOARD)[0].headers.White,
    'The "Wall" Smith',
  );
});

test("lists of positions, and positions with the fields of chess", () => {
  const epd = `${START.replace("0 1", "- -")}; id "1";\n${START.replace("w 0 1", "b - - 0 1")}\n`;
  assert.deepEqual(
    readAny(epd, BOARD).map((game) => game.fen),
    [START, START.replace(" w ", " b ")],
  );
  for (const tail of ["w - -", "w KQkq - 0 1", "w 0 1;"])
    assert.equal(readAny(START.replace("w 0 1", tail), BOARD)[0].fen, START, tail);
});

const ADDRESS = "There is no game in this address, and petard loads nothing from the internet.";

test("a bad game among good ones is left out, and said", () => {
  const text = '[Event "1"]\n\n1. b2b3 *\n\n[Event "2"]\n\n1. Nf3 *\n\n[Event "3"]\n\n1. c2c3 *\n';
  const { games, errors } = readSome(text, BOARD);
  assert.deepEqual(
    games.map((game) => game.headers.Event),
    ["1", "3"],
  );
  assert.deepEqual(errors, ["Game 2: 'Nf3' is not a move such as a2b3."]);
  /** @type {[string, string][]} */
  const refused = [
    ["1. e4 e5 2. Nf3 Nc6", "Game 1: 'e4' is not a move such as a2b3."],
    [
      "(;GM[1]FF[4]SZ[19];B[pd])",
      "This is an SGF file; petard reads PGN, FEN, Little Golem’s text",
    ],
    ["\u0089PNG\r\n\u001a\n\0\0\0\rIHDR", "This is not a text file."],
    ...[
      "https://www.littlegolem.net/jsp/game/game.jsp?gid=2390000",
      "http://example.org/a2a3",
      "www.littlegolem.net",
      "https://trmph.com/breakthrough/board",
      "https://example.org/game 1. a2-a3",
    ].map((address) => /** @type {[string, string]} */ ([address, ADDRESS])),
    [" \n", "Paste a game first, or open a file that has one."],
  ];
  for (const [given, wanted] of refused)
    assert.throws(
      () => readSome(given, BOARD),
      (error) => /** @type {Error} */ (error).message.startsWith(wanted),
      given,
    );
  const many = Array.from({ length: 800 }, (_, at) => `[Event "${at}"]\n\n1. b2b3 *\n`).join("\n");
  assert.equal(readSome(many, BOARD).games.length, 800);
});

test("of more games than can be listed the first are read, and it is said how many are not", () => {
  const bad = '[Event "x"]\n\n1. Nf3 *\n\n';
  for (const [one, first, others] of [
    ['[Event "x"]\n\n1. b2b3 *\n\n', bad, 1],
    ["1. b2b3 *\n", "", 0],
    ["#8,a2a3b7b6\n", "", 0],
    [`${START}\n`, "", 0],
  ]) {
    assert.deepEqual(readSome(one.repeat(MAX_GAMES), BOARD).errors, []);
    const { games, errors } = readSome(first + one.repeat(MAX_GAMES + 3), BOARD);
    assert.equal(games.length, MAX_GAMES, one);
    assert.equal(errors.length, 3 + others, one);
    assert.equal(errors[0], "At most 10000 games of a text are read.");
    assert.ok(!others || errors.includes("Game 1: 'Nf3' is not a move such as a2b3."));
  }
});

test("a text without any move or tag is no game", () => {
  for (const text of ['{"a":1}', "{}", "!", "$1", "...", "1111", "½", "{x} 1. ; y"])
    assert.throws(() => readSome(text, BOARD), {
      message: "There is no game in the text: it has no move and no tag.",
    });
  assert.throws(() => readSome("{open", BOARD), /comment is not closed/);
  for (const text of ["*", "1-0", '[Event "x"]', "board#6,"])
    assert.equal(readSome(text, BOARD).games.length, 1, text);
});

test("of a FEN that is none it is said what is wrong", () => {
  const side = "After the rows, w or b must give the side to move.";
  const chess = "Row 1 has 'r', which is neither a piece nor a number of empty squares.";
  for (const [text, message] of [
    ["pp/pp/2/2/PP/PP", side],
    ["fen pp/pp/2/2/PP/PP", side],
    ["pp/pp/2/2/PP/PP moves a2a3", side],
    ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", chess],
    ["position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", chess],
  ])
    assert.throws(() => readSome(text, BOARD), { message }, text);
  const list = readSome(`${START}\npp/pp/2/2/PP/PP\n`, BOARD);
  assert.deepEqual([list.games.length, list.errors], [1, [`Line 2: ${side}`]]);
});

test("tags without moves between them begin another game", () => {
  const games = readPgn('[Event "1"]\n[White "A"]\n\n[Event "2"]\n[Black "B"]\n\n1. b2b3 *');
  assert.deepEqual(
    games.map((game) => game.headers),
    [
      { Event: "1", White: "A" },
      { Event: "2", Black: "B" },
    ],
  );
});

test("files in other encodings are read", () => {
  const bytes = (/** @type {number[]} */ ...list) => new Uint8Array(list).buffer;
  assert.equal(decode(bytes(0xef, 0xbb, 0xbf, 0x61)), "a");
  assert.equal(decode(bytes(0x4d, 0xfc, 0x6c)), "Mül");
  assert.equal(decode(bytes(0xff, 0xfe, 0x61, 0)), "a");
  assert.equal(decode(bytes(0xfe, 0xff, 0, 0x61)), "a");
});

test("a review is written as glyphs and evaluations", () => {
  const { game } = gameOf(readAny("1. b2b3 b7b6 2. c2c3 *", BOARD)[0]);
  game.review = {
    0: { score: { cp: 200 }, best: "c2c3" },
    1: { score: { cp: 300 }, best: "b7b6" },
    2: { score: { mate: 3 }, best: "c2c3" },
    3: { score: { mate: -2 }, best: "c7c6" },
  };
  const text = writePgn(pgnOf(game, NUMBERS)).split("\n\n")[1].trim().replace(/\n/g, " ");
  assert.equal(text, "1. b2b3 $4 {[%eval -3.00]} 1... b7b6 {[%eval #3]} 2. c2c3 {[%eval #2]} *");
});

test("a whole game in an address, there and back", async () => {
  const text = `[White "Änne"]\n\n1. b2b3 {why?} ${"(1. c2c3 g7g6) ".repeat(50)}b7b6 *`;
  const link = `https://example.org/petard/${wholeLink(await pack(text))}`;
  assert.equal(await unpack(packedIn(link) ?? ""), text);
  assert.ok(link.length < text.length, "it is compressed");
  for (const odd of ["", "a", "AAAA", "%%%"]) assert.equal(await unpack(odd), null, odd);
  const bomb = await pack("x".repeat(3_000_000));
  assert.equal(await unpack(bomb), null);
});

test("a bad game among good ones is left out, whatever they are", () => {
  const rows = "pppppp/pppppp/6/6/PPPPPP/PPPPPP";
  const chess = "'Nf3' is not a move such as a2b3.";
  const words = "'hello' is not a move such as a2b3.";
  /** @type {[string, string[][], string[]][]} */
  const cases = [
    ["1. b2b3 b7b6 *\n\n1. Nf3 *\n\n1. c2c3 *", [["b2b3", "b7b6"], ["c2c3"]], [`Game 2: ${chess}`]],
    ["1. Nf3 (1. e4 *) *\n1. b2b3 *", [["b2b3"]], [`Game 1: ${chess}`]],
    ["1. Nf3 *\n1. b2b3 *\n1. Nf3", [["b2b3"]], [`Game 1: ${chess}`, `Game 3: ${chess}`]],
    ["1. b2b3 (1. Nf3\n\n1. c2c3 *", [["c2c3"]], [`Game 1: ${chess}`]],
    ["1. b2b3 )\n\n1. c2c3 *", [["c2c3"]], ["Game 1: Unmatched ')'."]],
    ["1. b2b3 * (1. c2c3 b7b6) 1. d2d3", [["b2b3"], ["d2d3"]], []],
    [
      '[White "A"]\n\n1. b2b3 *\n\n1. Nf3 *\n\n[White "B"]\n\n1. c2c3 *',
      [["b2b3"], ["c2c3"]],
      [`Game 2: ${chess}`],
    ],
    ["board#8,a2a3\nhello\nboard#8,b2b3", [["a2a3"], ["b2b3"]], [`Game 2: ${words}`]],
    ["#8,a2a3\n#99,a2a3\n# x", [["a2a3"]], ["Game 2: A board of 99 by 99 is not supported."]],
    [
      "1. b2b3 b7b6\nhttps://trmph.com/board#8x6,a2a3a5a4\n#8,c2c3",
      [["b2b3", "b7b6"], ["a2a3", "a5a4"], ["c2c3"]],
      [],
    ],
    [
      "https://trmph.com/board#8,a2\n1. b2b3",
      [["b2b3"]],
      ["Game 1: The moves of the link cannot be read."],
    ],
    [
      `${rows} w - -\nhello\n\n${rows} b - - 0 1 moves b5b4\n${rows} x\n${rows} b`,
      [[], ["b5b4"], []],
      [
        "Line 2: 'hello' is not a position.",
        "Line 5: After the rows, w or b must give the side to move.",
      ],
    ],
  ];
  for (const [text, wanted, errors] of cases) {
    const found = readSome(text, BOARD);
    assert.deepEqual([found.games.map(moves), found.errors], [wanted, errors], text);
  }
  const list = readSome(`# openings\n${rows} w\nhello\n${rows} b`, BOARD).games;
  assert.deepEqual(
    list.map(({ headers, fen }) => [headers.Event, fen]),
    [
      ["Position 1", `${rows} w 0 1`],
      ["Position 2", `${rows} b 0 1`],
    ],
  );
});

test("moves in all that programs write", () => {
  const freeling = '[Variant "freeling"]\n\n';
  for (const [text, wanted] of /** @type {[string, string[]][]} */ ([
    ["https://trmph.com/breakthrough/board#32x4,aa2ab3a3b2", ["aa2ab3", "a3b2"]],
    [`${freeling}1. b2a1 0000 2. c2b3 *`, ["b2a1", "pass", "c2b3"]],
    [`${freeling}1. 0000 pass 2.0000 *`, ["pass", "pass", "pass"]],
    [`${freeling}1. b2a1 Pass 2. c2b3`, ["b2a1", "pass", "c2b3"]],
    ["startpos moves a2-a3", ["a2a3"]],
    ["position startpos moves A2A3 a7xb6", ["a2a3", "a7b6"]],
    ["startpos", []],
    [`${START}; moves a2a3 b7b6`, ["a2a3", "b7b6"]],
    [`${START} ;moves a2a3`, ["a2a3"]],
    [`${START} ; id "x"; moves a2a3`, ["a2a3"]],
    [`position fen ${START}\nmoves A2A3`, ["a2a3"]],
    ["1{x}b2b3 b7b6 2(1... c7c6)c2c3", ["b2b3", "b7b6", "c2c3"]],
    [`1. b2b3 ${"(1. c2c3 ".repeat(100)}${")".repeat(100)} b7b6`, ["b2b3", "b7b6"]],
  ]))
    assert.deepEqual(moves(readAny(text, BOARD)[0]), wanted, text);
  const { cut } = gameOf(readAny("1. b2b3 0000 2. c2c3", BOARD)[0]);
  assert.deepEqual(cut, ["1... pass is not possible."], "no pass is dropped");
});

test("what follows a position is read or refused", () => {
  const rows = START.split(" ")[0];
  for (const [tail, wanted] of [
    ["w 000000 000007", `${rows} w 0 7`],
    ['w - - ce 13; id "x";', START],
    ["w - - ce 13;", START],
    ["w - - bm a2a3", START],
    ["w 0 1 bm a2a3", START],
    ["w 0 1 ; id x", START],
  ])
    assert.equal(readAny(`${rows} ${tail}`, BOARD)[0].fen, wanted, tail);
  for (const tail of ["w XX - 0 1", "w XX;", "w - - ce 13 moves a2a3", "w 0 65536"])
    assert.throws(() => readAny(`${rows} ${tail}`, BOARD), /cannot be read|A counter is/, tail);
  const [played] = readAny(`position fen ${rows} w - - id "x"; moves a2a3`, BOARD);
  assert.deepEqual([played.fen, played.line.map(({ move }) => move)], [START, ["a2a3"]]);
  const tagged = readAny(`[FEN "${rows} b - - 0 3; id x"]\n\n*`, BOARD)[0];
  assert.equal(tagged.fen, `${rows} b 0 3`);
});

test("boards by the names that they are given", () => {
  for (const [name, board] of [
    ["breakthrough6 ", "6x6"],
    ["6x6 Breakthrough", "6x6"],
    ["Breakthrough (6x7)", "6x7"],
    ["Breakthrough (5)", "5x5"],
    ["Breakthrough 6 x 7 ", "6x7"],
    ["Breakthrough", "8x8"],
  ])
    assert.equal(readAny(`[Variant "${name}"]\n\n*`, BOARD)[0].fen, startOf(board).fen, name);
});

test("tags as other programs write them", () => {
  for (const [text, ...wanted] of /** @type {[string, ...Record<string, string>[]][]} */ ([
    [
      '[X-Foo "1"]\n[White+Elo "2"]\n[a_b#c=d:e "3"]',
      { "X-Foo": "1", "White+Elo": "2", "a_b#c=d:e": "3" },
    ],
    ['[Event "C:\\games\\x \\"y\\" \\\\"]', { Event: 'C:\\games\\x "y" \\' }],
    ['; a file\n[White "A"]', { White: "A" }],
    ['{intro}\n\n[White "A"]', { White: "A" }],
    ['\n[White "A"]\n[Black "C"]\n[White "B"]', { White: "B", Black: "C" }],
    ['[White "A"]\n\n[White "B"]', { White: "A" }, { White: "B" }],
    ['[White "A"] 1. b2b3 *\n[White "B"]', { White: "A" }, { White: "B" }],
  ])) {
    const { games, errors } = readSome(`${text}\n\n1. a2a3 *`, BOARD);
    assert.deepEqual([games.map(({ headers }) => ({ ...headers })), errors], [wanted, []], text);
    assert.deepEqual(moves(games.at(-1)), ["a2a3"], text);
    const [first] = readPgn(games.map(writePgn).join("\n"));
    for (const [name, value] of Object.entries(wanted[0])) assert.equal(first.headers[name], value);
  }
  assert.throws(() => readAny("; only\n{a comment}", BOARD), /no game/);
});

test("what a comment holds comes back, also where it means nothing here", () => {
  const squares = Array.from({ length: 64 }, (_, at) => `G${"abcdefgh"[at % 8]}${(at >> 3) + 1}`);
  for (const comment of [
    "[%cal b2b3]",
    "[%cal Gb2]",
    "[%csl ]",
    "[%csl Ga2b3]",
    "[%csl Cc4]",
    "[%cal Ob2b3]",
    `[%csl ${squares}]`,
    "[%clk 0:01:00] [%clk 0:02:00]",
    '[%tqu "En","a ] b"]',
    '"quoted" [%tqu "',
  ])
    assert.equal(again(`1. a2a3 {${comment}} *`).replace(/\s+/g, " "), `1. a2a3 {${comment}} *`);
  assert.deepEqual(readNote("[%cal Ga2a3,Ob2b3,Rc2c3]"), {
    text: "",
    shapes: ["a2a3", "Rc2c3"],
    commands: ["[%cal Ob2b3]"],
  });
});
