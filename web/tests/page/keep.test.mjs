import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { click, movesOf, openPage, show } from "../support/browser.mjs";

/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
before(async () => {
  it = await openPage();
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

const twoMoves = (page) => page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length === 2);

test("a game survives a reload, a closed tab and a restarted server", async () => {
  const { page } = it;
  await page.click('button:has-text("Start")');
  await page.waitForSelector(".men.movable");
  await click(page, "c2");
  await click(page, "c3");
  await twoMoves(page);
  const moves = await movesOf(page);

  await page.reload();
  await twoMoves(page);
  assert.deepEqual(await movesOf(page), moves);

  await page.waitForSelector(".men.movable");
  await it.stopServer();
  await page.waitForSelector(".link-bar:not([hidden])");
  assert.match((await page.textContent(".link-bar")) ?? "", /Trying again; your game is kept/);
  await click(page, "e2");
  await click(page, "e3");
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length === 3);
  await it.startServer();
  await page.waitForSelector(".link-bar", { state: "hidden", timeout: 20_000 });
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length === 4, null, { timeout: 20_000 });
  const four = await movesOf(page);

  await page.waitForTimeout(400);
  await page.close();
  const again = await it.context.newPage();
  await again.goto(it.address);
  await again.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length === 4);
  assert.deepEqual(await movesOf(again), four);
  it.page = again;
});

test("two tabs do not touch each other's game", async () => {
  const { page } = it;
  const other = await it.context.newPage();
  await other.goto(it.address);
  await other.waitForSelector(".tab[aria-current]");
  await other.click('button:has-text("Start")');
  await other.waitForSelector(".men.movable");
  await click(other, "a2");
  await click(other, "a3");
  await twoMoves(other);
  assert.equal((await movesOf(page)).length, 4);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length === 4);
  await other.reload();
  await twoMoves(other);
  await show(other, "games");
  assert.equal(await other.locator(".games li").count(), 2);
  await other.close();
});

test("settings are kept", async () => {
  const { page } = it;
  await page.click('[aria-label="Settings"]');
  await page.click('dialog .segment:has-text("Dark")');
  await page.keyboard.press("Escape");
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

test("past games are listed, opened and deleted", async () => {
  const { page } = it;
  await show(page, "games");
  const count = await page.locator(".games li").count();
  await page.locator(".games .open").first().click();
  await page.waitForSelector(".stage .board");
  await show(page, "games");
  await page.locator('.games [aria-label^="Delete"]').last().click();
  assert.equal(await page.locator(".games .open").count(), count - 1);
});
