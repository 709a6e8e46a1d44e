/** What happens on the page while the engine answers late, or not at all. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  between,
  click,
  kept,
  mayMove,
  moves,
  movesOf,
  panel,
  reload,
  show,
  visitor,
} from "../support/browser.mjs";

/** A visitor whose engine can be held up. @param {import("node:test").TestContext} t */
async function heldUp(t) {
  const { page } = await visitor(t);
  return { page, engine: await between(page) };
}

test("an engine that does not answer is reported, and the page goes on once it does", async (t) => {
  const { page, engine } = await heldUp(t);
  engine.silence();
  await reload(page);
  await page.click('button:has-text("Start")');
  assert.ok(await page.isHidden(".link-bar"), "it may be slow");
  await page.getByText("The engine does not answer.").waitFor();
  engine.answer();
  await page.waitForSelector(".link-bar", { state: "hidden" });
  await mayMove(page);
});

/** A game in which the engine has not said what is legal. @param {import("node:test").TestContext} t */
async function silentGame(t) {
  const { page, engine } = await heldUp(t);
  await page.click('button:has-text("Start")');
  await mayMove(page);
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 2);
  engine.silence();
  await page.reload();
  await page.waitForSelector(".board.ahead .pieces.movable");
  return { page, engine };
}

test("a move made before the engine has said what is legal is played once it has", async (t) => {
  const { page, engine } = await silentGame(t);
  for (const square of ["e2", "e3"]) await click(page, square);
  await page.waitForSelector(".mark.planned");
  assert.equal((await movesOf(page)).length, 2);
  engine.answer();
  await moves(page, 4);
  assert.equal((await movesOf(page))[2], "e2e3");
});

test("a move typed before the engine has said what is legal is played once it has", async (t) => {
  const { page, engine } = await silentGame(t);
  await page.fill(".entry", "e2e3");
  await page.press(".entry", "Enter");
  engine.answer();
  await moves(page, 4);
  assert.equal((await movesOf(page))[2], "e2e3");
  assert.equal(await page.inputValue(".entry"), "");
});

test("a piece clicked before the engine's move, its target just after: the move is played", async (t) => {
  const { page, engine } = await heldUp(t);
  await reload(page);
  await page.click('button:has-text("Start")');
  await mayMove(page);
  engine.hold((line) => line.startsWith("bestmove"));
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 1);
  await page.waitForSelector(".board.ahead .pieces.movable");
  await click(page, "g2");
  await page.waitForSelector(".mark.selected");
  // The engine's move comes, and what is legal after it does not yet. Without its move held back,
  // it may not even have been asked for one, which it is after it has said what is legal.
  await engine.held();
  engine.release();
  engine.hold((line) => line.startsWith("{"));
  await moves(page, 2);
  await click(page, "g3");
  engine.release();
  await moves(page, 4);
  assert.equal((await movesOf(page))[2], "g2g3");
});

test("an engine that falls silent while it thinks is reported within seconds", async (t) => {
  const { page, engine } = await heldUp(t);
  await reload(page);
  await page.click('button:has-text("Start")');
  await mayMove(page);
  engine.hold(() => true);
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 1);
  // It says so when the browser is offline.
  await page.evaluate(() => Object.defineProperty(navigator, "onLine", { get: () => false }));
  await page.waitForSelector('.link-bar:not([hidden]):has-text("You are offline. Reconnecting…")', {
    timeout: 30_000,
  });
  await page.waitForSelector('.state:has-text("Waiting for the engine…")');
  engine.release();
  await page.waitForSelector(".link-bar", { state: "hidden" });
  await moves(page, 2);
});

test("a deleted game stays deleted, however late the engine's answer, until one goes on with it", async (t) => {
  const { page, engine } = await heldUp(t);
  await page.goto(`${new URL(page.url()).origin}/#analyse?board=8x8`);
  await reload(page);
  const list = () => page.evaluate(() => JSON.parse(localStorage.getItem("petard.games") ?? "[]"));
  for (const [from, to] of ["c2c3", "b7b6"].map((move) => [move.slice(0, 2), move.slice(2)])) {
    await mayMove(page);
    for (const square of [from, to]) await click(page, square);
  }
  await kept(page, "analyse", 2);
  await panel(page, "review");
  engine.hold((line) => line.startsWith("bestmove"));
  await page.click('.review-card button:has-text("Review the game")');
  await engine.held();
  await show(page, "games");
  await page.click('.games [aria-label^="Delete"]');
  await page.waitForSelector('.games [aria-label^="Delete"]', { state: "detached" });
  engine.release();
  // The review has ended, and after it the page has written what it keeps.
  await page.getByText("The review is complete.").waitFor({ state: "attached" });
  await show(page, "learn");
  await page.waitForFunction(
    () => JSON.parse(sessionStorage.getItem("petard.tab") ?? "{}").view === "learn",
  );
  assert.deepEqual(await list(), []);
  await show(page, "analyse");
  await panel(page, "moves");
  await mayMove(page);
  for (const square of ["d2", "d3"]) await click(page, square);
  await kept(page, "analyse", 3);
});
