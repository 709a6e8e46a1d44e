/** Nothing is lost by a mistake: by a second click, by what is hidden, or by another board. */
import assert from "node:assert/strict";
import test from "node:test";
import { click, mayMove, moves, movesOf, panel, show, visitor } from "../support/browser.mjs";

/** Imports a file by the dialog. @param {import("playwright-core").Page} page @param {string} name @param {string} text */
async function importFile(page, name, text) {
  await page.click('[aria-label="Import a game or position"]');
  const buffer = Buffer.from(text);
  await page.setInputFiles("dialog input[type=file]", { name, mimeType: "text/plain", buffer });
}

const GAME = "1. b2c3 b7c6 2. g2f3 g7f6";

test("a move that was deleted comes back, with all after it", async (t) => {
  const page = await (await visitor(t)).fresh("#analyse?board=8x8&moves=b2c3.b7c6.g2f3.g7f6");
  await moves(page, 4);
  await page.click('.moves > .move:has-text("b2c3")');
  await page.click('[aria-label="Delete this move and all after it"]');
  await moves(page, 0);
  await mayMove(page);
  // What comes between is kept as well.
  await click(page, "a2");
  await click(page, "a3");
  await moves(page, 1);
  await page.click('.notice button:has-text("Undo")');
  await moves(page, 4);
  assert.deepEqual(await movesOf(page), ["b2c3", "b7c6", "g2f3", "g7f6"]);
  await page.waitForSelector('.variation .move:has-text("a2a3")');
});

test("games that a search hides are not chosen any more", async (t) => {
  const { page } = await visitor(t);
  await importFile(page, "two.pgn", `[White "Ann"]\n\n${GAME} *\n\n[White "Bob"]\n\n${GAME} *\n`);
  await page.click('dialog .open:has-text("Ann")');
  await moves(page, 4);
  // What is only looked at is not kept beside its file.
  await show(page, "games");
  assert.equal(await page.locator(".games input[type=checkbox]").count(), 0);
  for (const name of ["Ann", "Bob"]) {
    await page.click(".games .open:has-text('two.pgn')");
    if (name === "Bob") await page.click('[aria-label="Next game"]');
    await page.waitForSelector(`.strip.bottom .name:has-text("${name}")`);
    await page.keyboard.press("End");
    await page.click('.glyph:text-is("!")');
    await show(page, "games");
    await page.waitForSelector(`[aria-label^="Choose ${name}"]`);
  }
  await page.check('[aria-label^="Choose Ann"]');
  await page.check('[aria-label^="Choose Bob"]');
  await page.fill(".search", "Bob");
  await page.waitForSelector('.many-bar:has-text("1 chosen")');
  await page.click('.many-bar button:has-text("Delete")');
  await page.fill(".search", "");
  await page.waitForSelector('.games .open:has-text("Ann")');
  assert.equal(await page.locator('.games .open:has-text("Bob"):visible').count(), 0);
});

test("all imported files stay", async (t) => {
  const { page } = await visitor(t);
  const names = ["a", "b", "c", "d", "e", "f"].map((name) => `${name}.pgn`);
  for (const name of names) {
    const text = `[White "${name}"]\n\n${GAME} *\n\n[White "B"]\n\n${GAME} *\n`;
    await importFile(page, name, text);
    await page.click(`dialog .open:has-text("${name}")`);
    await page.waitForSelector("dialog", { state: "hidden" });
  }
  await page.reload();
  await show(page, "games");
  for (const name of names) await page.waitForSelector(`section .open:has-text("${name}")`);
});

test("a game without a start is put on the board that its moves are of", async (t) => {
  const page = await (await visitor(t)).fresh("#analyse?board=5x5");
  await panel(page, "board");
  await page.selectOption(".board-part select", "5x5");
  await importFile(page, "one.pgn", `[White "A"]\n[Black "B"]\n\n${GAME} 1-0\n`);
  await moves(page, 4);
  await page.waitForSelector('.stage [data-square="h8"]');
  // Moves of the chosen board stay there.
  await importFile(page, "small.pgn", `[White "A"]\n\n1. b2b3 c4c3 *\n`);
  await moves(page, 2);
  await page.waitForSelector('.stage [data-square="h8"]', { state: "detached" });
});

test("a double click on Resign, or on its answer, does one thing", async (t) => {
  const { page } = await visitor(t);
  await page.click('button:has-text("Start")');
  await mayMove(page);
  const buttons = page.locator(".actions");
  const before = await buttons.boundingBox();
  await page.dblclick('.actions button:has-text("Resign")');
  await page.waitForSelector(".confirm");
  assert.deepEqual(await buttons.boundingBox(), before, "nothing moves");
  await page.dblclick('button:has-text("Yes, resign")');
  await page.waitForSelector(".state .result");
  assert.ok(await page.isVisible('.actions button:has-text("Rematch")'), "it is still this game");
});

test("a second press counts when the first made no click", async (t) => {
  const { page } = await visitor(t);
  await page.locator('button:has-text("Start")').hover();
  // As where what the first press was on is redrawn before it is released.
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await mayMove(page);
});

test("a double click on Next puzzle does not give the next one away", async (t) => {
  const { page } = await visitor(t);
  await show(page, "puzzles");
  await page.click('button:has-text("Solution")');
  await page.waitForSelector('.puzzle-card button:has-text("Next puzzle")');
  const first = await page.getAttribute(".puzzle-card", "data-puzzle");
  await page.dblclick('button:has-text("Next puzzle")');
  await page.waitForFunction(
    (id) => document.querySelector(".puzzle-card")?.getAttribute("data-puzzle") !== id,
    first,
  );
  await page.waitForSelector('.puzzle-card:has-text("Find the only move that wins")');
});

test("from the lessons one comes to a new game, whatever was played before", async (t) => {
  const { page } = await visitor(t);
  await page.waitForSelector('.welcome:has-text("whoever first reaches the far side wins")');
  await page.click('button:has-text("Start")');
  await mayMove(page);
  await show(page, "learn");
  await page.click('.learn button:has-text("Play a game")');
  await page.waitForSelector('.form button:has-text("Start")');
  await page.click('.form button:has-text("Cancel")');
  await page.waitForSelector('.actions button:has-text("Resign")');
});
