import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { click, kept, moves, movesOf, openPage, show } from "../support/browser.mjs";

/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
before(async () => {
  it = await openPage();
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

/** @param {import("playwright-core").Page} page @param {number} count */
const listed = (page, count) =>
  page.waitForFunction(
    (wanted) => document.querySelectorAll(".games .open").length === wanted,
    count,
  );

test("a game survives a reload, a closed tab and a restarted server", async () => {
  const { page } = it;
  await page.click('button:has-text("Start")');
  await page.waitForSelector(".pieces.movable");
  await click(page, "c2");
  await click(page, "c3");
  await moves(page, 2);
  const two = await movesOf(page);

  await page.reload();
  await moves(page, 2);
  assert.deepEqual(await movesOf(page), two);

  await page.waitForSelector(".pieces.movable");
  await it.stopServer();
  await page.waitForSelector(".link-bar:not([hidden])");
  assert.match((await page.textContent(".link-bar")) ?? "", /Trying again; your game is kept/);
  await click(page, "e2");
  await click(page, "e3");
  await moves(page, 3);
  await it.startServer();
  await page.waitForSelector(".link-bar", { state: "hidden" });
  await moves(page, 4);
  const four = await movesOf(page);

  await kept(page, "play", 4);
  await page.close();
  const again = await it.context.newPage();
  await again.goto(it.address);
  await moves(again, 4);
  assert.deepEqual(await movesOf(again), four);
  it.page = again;
});

test("an engine that does not answer is told, and the page goes on once it does", async (t) => {
  const silent = await openPage();
  t.after(() => silent.close());
  const { page } = silent;
  let answers = () => {};
  const awaited = new Promise((resolve) => (answers = () => resolve(undefined)));
  await page.routeWebSocket("**/engine", (socket) => {
    /** @type {(string | Buffer)[]} */
    const held = [];
    socket.onMessage((line) => held.push(line));
    awaited.then(() => {
      const server = socket.connectToServer();
      socket.onMessage((line) => server.send(line));
      held.forEach((line) => server.send(line));
    });
  });
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await page.click('button:has-text("Start")');
  assert.ok(await page.isHidden(".link-bar"), "it may be slow");
  await page.getByText("The engine does not answer.").waitFor();
  answers();
  await page.waitForSelector(".link-bar", { state: "hidden" });
  await page.waitForSelector(".pieces.movable");
  assert.deepEqual(silent.faults, []);
});

test("two tabs do not touch each other's game", async () => {
  const { page } = it;
  const other = await it.context.newPage();
  await other.goto(it.address);
  await other.waitForSelector(".tab[aria-current]");
  await other.click('button:has-text("Start")');
  await other.waitForSelector(".pieces.movable");
  await click(other, "a2");
  await click(other, "a3");
  await moves(other, 2);
  assert.equal((await movesOf(page)).length, 4);
  await page.reload();
  await moves(page, 4);
  await other.reload();
  await moves(other, 2);
  await show(other, "games");
  await listed(other, 2);
  // An open list follows what the other tab saves.
  await show(page, "games");
  await show(other, "analyse");
  await other.waitForSelector(".pieces.movable");
  for (const square of ["b2", "b3"]) await click(other, square);
  await listed(page, 3);
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
  await listed(page, 3);
  await page.locator(".games .open").first().click();
  await page.waitForSelector(".stage .board");
  await show(page, "games");
  await page.locator('.games [aria-label^="Delete"]').last().click();
  await listed(page, 2);
  await page.click('.notice button:has-text("Undo")');
  await listed(page, 3);
  await page.locator('.games [aria-label^="Delete"]').last().click();
  await listed(page, 2);
});

test("where storage is full, that is told once; where it is forbidden, games last as long as the page", async () => {
  const full = await it.context.newPage();
  /** @type {string[]} */
  const faults = [];
  full.on("pageerror", (error) => faults.push(String(error)));
  await full.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await full.goto(`${it.address}#analyse?board=8x8`);
  for (const [square, to, count] of /** @type {const} */ ([
    ["b2", "b3", 1],
    ["b7", "b6", 2],
  ])) {
    await full.waitForSelector(".pieces.movable");
    await click(full, square);
    await click(full, to);
    await moves(full, count);
    if (count > 1) continue;
    await full.waitForSelector('.notice:has-text("no space left")');
    await full.click('.notice [aria-label="Close"]');
  }
  await full.waitForTimeout(600);
  assert.ok(await full.isHidden(".notice"));
  await full.close();

  const none = await it.context.newPage();
  none.on("pageerror", (error) => faults.push(String(error)));
  await none.addInitScript(() => {
    const denied = () => new DOMException("denied", "SecurityError");
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get() {
          throw denied();
        },
      });
    }
    if (navigator.locks) navigator.locks.request = () => Promise.reject(denied());
  });
  await none.goto(it.address);
  for (const count of [2, 0]) {
    if (!count) await none.click('.actions button:has-text("New game")');
    await none.click('button:has-text("Start")');
    await none.waitForSelector(".pieces.movable");
    if (!count) break;
    for (const square of ["c2", "c3"]) await click(none, square);
    await moves(none, count);
  }
  await show(none, "games");
  await none.click(".games .open");
  await moves(none, 2);
  assert.match(none.url(), /#games$|#play$/, "the game itself, not a copy of it to analyse");
  assert.deepEqual(faults, []);
  await none.close();
});
