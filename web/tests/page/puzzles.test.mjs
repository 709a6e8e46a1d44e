/** Puzzles: solved, refuted, rated, by theme, in a row, of the day, and one's own. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { after, before } from "node:test";
import { readPuzzles } from "../../js/model/puzzles.js";
import { click, openPage, panel, show, typeOver } from "../support/browser.mjs";

const DATA = new URL("../../data/puzzles.csv", import.meta.url);
/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
/** @type {import("../../js/model/puzzles.js").Puzzle[]} */
let puzzles;
/** Files that the page has asked for. @type {string[]} */
const asked = [];
before(async () => {
  puzzles = readPuzzles(await readFile(DATA, "utf8"));
  it = await openPage({ viewport: { width: 1280, height: 800 } });
  it.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

/** The puzzle on the board, by its squares. */
async function shown() {
  const { page } = it;
  await page.waitForSelector(".puzzle-card.ask");
  await page.waitForSelector(".stage .pieces.movable");
  const id = await page.getAttribute(".puzzle-card", "data-puzzle");
  const puzzle = puzzles.find((one) => one.id === id);
  assert.ok(puzzle, `puzzle ${id}`);
  return puzzle;
}

/** Plays a move, once its piece can be moved. @param {string} move */
async function play(move) {
  const [, from, to] = /^([a-z]+\d+)([a-z]+\d+)$/.exec(move) ?? [];
  await it.page.waitForSelector(`.stage .pieces.movable[data-pieces="${from}"]`);
  await click(it.page, from);
  await click(it.page, to);
}

/** A move as it is written: with an x where it captures. @param {string} move */
const written = (move) => new RegExp(move.replace(/(?<=\d)(?=[a-z])/, "x?"));

/** Plays the solution from where it stands. @param {{moves: string[]}} puzzle */
async function solve({ moves }) {
  for (let at = 1; at < moves.length; at += 2) {
    await play(moves[at]);
    if (at + 1 < moves.length)
      await it.page.locator(".puzzle-card.ask", { hasText: written(moves[at + 1]) }).waitFor();
  }
  await it.page.waitForSelector(".puzzle-card.right");
}

/** Plays a move that is not the solution. @param {{moves: string[]}} puzzle */
async function err({ moves }) {
  const { page } = it;
  for (const own of await page.locator(".stage .pieces.movable").all()) {
    const from = await own.getAttribute("data-pieces");
    await click(page, from ?? "");
    const targets = await page
      .locator('.stage [aria-label*="can move here"]')
      .evaluateAll((squares) => squares.map((one) => one.getAttribute("data-square") ?? ""));
    const to = targets.find((square) => `${from}${square}` !== moves[1]);
    if (to) {
      await click(page, to);
      return `${from}${to}`;
    }
    await page.keyboard.press("Escape");
  }
  return assert.fail("there is no other move");
}

const rating = async () =>
  Number((await it.page.textContent(".figures dd"))?.split(" ")[0] ?? Number.NaN);

test("the rating to start with is chosen, until the first puzzle has changed it", async (t) => {
  const other = await openPage();
  t.after(() => other.close());
  const { page } = other;
  await show(page, "puzzles");
  await page.waitForSelector('.puzzle-card.ask:has-text("viewing the solution counts as a fail")');
  await page.selectOption(".puzzle-choice .field:last-child select", "200");
  await page.waitForSelector('.figures dd:has-text("200 ± 350")');
  await page.click('.puzzle-card button:has-text("Solution")');
  await page.waitForSelector(".puzzle-card.shown");
  await page.locator(".puzzle-choice .field:last-child select").waitFor({ state: "hidden" });
  assert.deepEqual(other.faults, []);
});

test("puzzles come when their tab is opened; solving one raises the rating", async () => {
  const { page } = it;
  assert.ok(!asked.some((path) => path.endsWith("puzzles.csv")));
  await show(page, "puzzles");
  const puzzle = await shown();
  assert.ok(asked.some((path) => path.endsWith("puzzles.csv")));
  assert.equal(await page.isVisible(".evaluation"), false);
  const before = await rating();
  await solve(puzzle);
  await page.waitForSelector('.puzzle-card b:has-text("Solved: +")');
  assert.ok((await rating()) > before);
  assert.match((await page.textContent(".puzzle-card .about")) ?? "", /rated −?\d+ ± \d+ · \w/);
});

test("a wrong move is refuted on the board, costs rating once, and the puzzle can be solved yet", async () => {
  const { page } = it;
  await page.click('button:has-text("Next puzzle")');
  const puzzle = await shown();
  const before = await rating();
  const kinds = () => page.locator(".puzzle-choice").boundingBox();
  const place = await kinds();
  const wrong = await err(puzzle);
  const reported = new RegExp(`${written(wrong).source} loses`);
  await page.locator(".puzzle-card.wrong", { hasText: reported }).waitFor();
  await page.waitForSelector('.puzzle-card:has-text("refutes it")');
  const after = await rating();
  assert.ok(after < before);
  assert.deepEqual(await kinds(), place, "what is below stays where it is");
  await page.click('button:has-text("Try again")');
  await shown();
  await solve(puzzle);
  await page.waitForSelector('.puzzle-card b:has-text("Solved at last")');
  assert.equal(await rating(), after);
  await page.reload();
  await page.waitForSelector(".puzzle-card.ask");
  assert.equal(await rating(), after, "the rating is kept");
});

test("the solution is shown, and then analysed", async () => {
  const { page } = it;
  const puzzle = await shown();
  await page.click('.puzzle-card button:has-text("Solution")');
  const whole = puzzle.moves.slice(1).map((move) => `\\(?${written(move).source}\\)?`);
  const reported = new RegExp(`The solution: ${whole.join(" ")}\\.`);
  await page.locator(".puzzle-card.shown", { hasText: reported }).waitFor();
  await page.click('.puzzle-card button:has-text("Analyse")');
  await page.waitForSelector(".engine-card");
  const moves = await page.locator(".side .moves > .move").allTextContents();
  // Captures are shown with an x, and the engine's verdict may follow a move.
  assert.deepEqual(
    moves.map((text, index) => text.replace("x", "").slice(0, puzzle.moves[index]?.length)),
    puzzle.moves,
  );
});

test("by theme and board; a streak ends with the first mistake; the day's puzzle", async () => {
  const { page } = it;
  await show(page, "puzzles");
  await page.click('.segment span:text-is("Theme")');
  await page.selectOption(".puzzle-choice select", "sacrifice");
  await page.waitForSelector(".puzzle-card.ask");
  const themed = await shown();
  assert.ok(themed.themes.includes("sacrifice"));
  const before = await rating();
  await solve(themed);
  assert.equal(await rating(), before);

  await page.click('.segment span:text-is("Streak")');
  const first = await shown();
  await solve(first);
  await page.waitForSelector('.puzzle-card b:has-text("Solved: 1 in a row")');
  await page.click('button:has-text("Next puzzle")');
  await page.waitForSelector('.puzzle-card.ask .about:has-text("1 in a row · ")');
  // A reload neither ends it nor passes over the puzzle.
  const second = await shown();
  await page.reload();
  await page.waitForSelector('.puzzle-card.ask .about:has-text("1 in a row · ")');
  assert.ok(await page.isChecked('.segment:has-text("Streak") input'));
  assert.equal((await shown()).id, second.id);
  await err(second);
  await page.waitForSelector('.puzzle-card b:has-text("The streak ends at 1")');
  await page.reload();
  await page.waitForSelector(".puzzle-card.ask");
  assert.ok(await page.isChecked('.segment:has-text("Rated") input'));

  await page.click('.segment span:text-is("Daily")');
  const daily = await shown();
  assert.equal(daily.board, "8x8");
  await page.click('.segment span:text-is("Rated")');
  await shown();
  await page.click('.segment span:text-is("Daily")');
  assert.equal((await shown()).id, daily.id);
  await solve(daily);
  await page.waitForSelector('.figures:has-text("solved")');
});

test("the mistakes of one's own reviewed games are asked, before the puzzles have come too", async () => {
  const page = await it.fresh("#analyse?board=6x6&moves=b2b3.a5a4.b3a4.b5a4.c2d3.e5d4");
  /** @type {(value?: unknown) => void} */
  let release = () => {};
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route(/puzzles\.csv/, async (route) => {
    await held;
    await route.continue();
  });
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 6);
  await panel(page, "review");
  await typeOver(page.locator(".review-card input"), "0.1");
  await page.click('button:has-text("Review the game")');
  await page.waitForSelector('button:has-text("Review again")');
  await page.waitForFunction(() =>
    Object.keys(localStorage).some((key) => (localStorage[key] ?? "").includes('"review"')),
  );
  await show(page, "puzzles");
  await page.click('.segment span:text-is("Mine")');
  await page.waitForSelector('.puzzle-card.ask:has-text(". Find a better move.")');
  assert.match(
    (await page.textContent(".puzzle-text")) ?? "",
    /^\w+ was (an inaccuracy|a mistake|a blunder)/,
  );
  await page.click('.puzzle-card button:has-text("Solution")');
  await page.waitForSelector(".puzzle-card.shown");
  const arrived = page.waitForResponse(/puzzles\.csv/);
  release();
  await (await arrived).finished();
  await page.waitForFunction(async () => (await fetch("data/puzzles.csv")).ok);
  assert.ok(await page.isVisible(".puzzle-card.shown"));
});

test("a damaged file is reported in one sentence", async () => {
  await it.fresh("");
  const { page } = it;
  await page.route(/puzzles\.csv/, (route) =>
    route.fulfill({ body: "PuzzleId,FEN\nx", contentType: "text/csv" }),
  );
  await show(page, "puzzles");
  await page.waitForSelector('.puzzle-card:has-text("This is not a puzzle file.")');
});
