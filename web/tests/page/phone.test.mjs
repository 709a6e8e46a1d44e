/** The page on phones, upright and on their side. */
import assert from "node:assert/strict";
import test from "node:test";
import { click, mayMove, moves, openPage, PHONE, show } from "../support/browser.mjs";

const PHONES = /** @type {const} */ ([
  [390, 844],
  [390, 664],
  [844, 390],
]);

/**
 * Waits until all of an element is in the window without scrolling, and nothing covers it.
 * @param {import("playwright-core").Page} page @param {string} selector
 * @param {string} [text] that is in it
 */
const inSight = (page, selector, text = "") =>
  page
    .waitForFunction(
      ([wanted, words]) => {
        const node = [...document.querySelectorAll(wanted)].find((one) =>
          one.textContent?.includes(words),
        );
        const box = node?.getBoundingClientRect();
        if (!node || !box?.height) return false;
        const middle = document.elementFromPoint(
          box.left + box.width / 2,
          box.top + Math.min(12, box.height / 2),
        );
        return box.top >= 0 && box.bottom <= innerHeight + 1 && node.contains(middle);
      },
      [selector, text],
      { timeout: 20_000 },
    )
    .catch(() => assert.fail(`${selector} ${text} is not in sight`));

for (const [width, height] of PHONES) {
  test(`the board and what one does are in sight, ${width}x${height}`, async (t) => {
    const phone = await openPage({
      viewport: { width, height },
      hasTouch: true,
      isMobile: true,
    });
    t.after(() => phone.close());
    const { page } = phone;
    await inSight(page, ".start button", "Start");
    await page.click('button:has-text("Start")');
    await mayMove(page);
    for (const square of ["c2", "c3"]) await click(page, square);
    await moves(page, 2);
    const board = await page.locator(".stage .board").boundingBox();
    assert.ok(board && board.width >= Math.min(width, height) * 0.75, `a board of ${board?.width}`);
    await inSight(page, ".stage .board");
    for (const name of ["Take back", "Hint", "Resign"])
      await inSight(page, ".actions button", name);
    await page.click('button:has-text("Resign")');
    await page.click('button:has-text("Yes, resign")');
    for (const name of ["Rematch", "Analyse"]) await inSight(page, ".actions button", name);

    await show(page, "analyse");
    await page.waitForSelector(".lines li:first-child .pv");
    await inSight(page, ".stage .board");
    await inSight(page, ".lines li");
    assert.deepEqual(phone.faults, []);
  });
}

test("a line's move stays under the finger: the second tap adds it", async (t) => {
  const phone = await openPage(PHONE);
  t.after(() => phone.close());
  const page = await phone.fresh("#analyse?board=8x8");
  // Lines that no longer change.
  await page.waitForFunction(
    () => document.querySelectorAll(".lines li:first-child .pv").length > 3,
  );
  const place = () =>
    page.evaluate(() => {
      const box = document.querySelectorAll(".lines li:first-child .pv")[1].getBoundingClientRect();
      return { x: box.x, y: box.y, width: box.width, height: box.height };
    });
  const before = await place();
  const tap = () => page.touchscreen.tap(before.x + before.width / 2, before.y + before.height / 2);
  await tap();
  await page.waitForFunction(() =>
    /Previewing a line/.test(document.querySelector(".board-status")?.textContent ?? ""),
  );
  const after = await place();
  // Until the finger chose it, the line itself may have changed by a letter's width.
  assert.equal(after.y, before.y);
  assert.ok(Math.abs(after.x - before.x) < before.width / 2, `${before.x} ${after.x}`);
  // The buttons below the board step through the line, and leave it at its start.
  const isPreview = (/** @type {boolean} */ wanted) =>
    page.waitForFunction(
      (is) => /Previewing/.test(document.querySelector(".board-status")?.textContent ?? "") === is,
      wanted,
    );
  const board = () =>
    page.locator(".stage [data-pieces]").evaluateAll((all) =>
      all
        .map((one) => one.getAttribute("data-pieces"))
        .sort()
        .join(),
    );
  const second = await board();
  await page.tap('[aria-label^="Forward"]');
  await isPreview(true);
  assert.notEqual(await board(), second);
  await page.tap('[aria-label^="Back"]');
  await isPreview(true);
  assert.equal(await board(), second);
  for (let step = 0; step < 2; step++) await page.tap('[aria-label^="Back"]');
  await isPreview(false);
  await tap();
  await isPreview(true);
  await tap();
  await page.waitForSelector(".side .moves > .move");
  assert.deepEqual(phone.faults, []);
});

test("a low phone on its side: nothing is cut off", async (t) => {
  const phone = await openPage({ ...PHONE, viewport: { width: 844, height: 340 } });
  t.after(() => phone.close());
  const { page } = phone;
  await page.click('button:has-text("Start")');
  await mayMove(page);
  await inSight(page, ".game-card");
  await inSight(page, ".stage .board");
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight));
  const tops = await page
    .locator(".board-bar .icon-button:visible")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  assert.equal(new Set(tops).size, 2, `rows of buttons at ${tops}`);
  await page.click('[aria-label="Import a game or position"]');
  await inSight(page, "dialog .button.primary", "");
});

test("a page that is enlarged on a phone is no wider than the window", async (t) => {
  const phone = await openPage({ ...PHONE, viewport: { width: 300, height: 511 } });
  t.after(() => phone.close());
  const { page } = phone;
  await page.click('button:has-text("Start")');
  await mayMove(page);
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(await width(), 300);
  for (const name of ["Take back", "Resign", "New game"])
    await inSight(page, ".actions button", name);
  await show(page, "analyse");
  await page.waitForSelector(".lines .pv");
  assert.equal(await width(), 300);
});

test("what a tab opens is in sight below the board", async (t) => {
  const phone = await openPage({ ...PHONE, viewport: { width: 390, height: 664 } });
  t.after(() => phone.close());
  const page = await phone.fresh("#analyse?board=8x8&moves=b2b3.b7b6.c2c3.c7c6");
  await moves(page, 4);
  await page.tap('.panel-tab[data-panel="review"]');
  await inSight(page, ".review-card button", "Review the game");
  await inSight(page, '.panel-tab[data-panel="moves"]');
  await inSight(page, ".stage .board-bar");
});

test("the names of an analysis's tabs stand apart, on a phone on its side too", async (t) => {
  const phone = await openPage({ ...PHONE, viewport: { width: 664, height: 390 } });
  t.after(() => phone.close());
  const page = await phone.fresh("#analyse?board=8x8");
  await page.waitForSelector(".panel-tab");
  for (const width of [664, 390, 320]) {
    await page.setViewportSize({ width, height: width > 400 ? 390 : 664 });
    const gaps = await page.locator(".panel-tab").evaluateAll((tabs) => {
      const boxes = tabs.map((tab) => {
        const range = document.createRange();
        range.selectNodeContents(tab);
        return range.getBoundingClientRect();
      });
      return boxes.slice(1).map(({ left }, index) => left - boxes[index].right);
    });
    assert.ok(
      gaps.every((gap) => gap >= 6),
      `${width}: ${gaps}`,
    );
  }
});

test("the lessons' names stand in one row each", async (t) => {
  const phone = await openPage(PHONE);
  t.after(() => phone.close());
  await phone.page.evaluate(() =>
    localStorage.setItem("petard.progress", JSON.stringify({ lessons: { step: [0, 1] } })),
  );
  await show(phone.page, "learn");
  await phone.page.waitForSelector(".lesson-name");
  const rows = await phone.page.locator(".lesson-name").evaluateAll((names) =>
    names.map((name) => {
      const tops = [...name.children].map((part) => {
        const { top, height } = part.getBoundingClientRect();
        return top + height / 2;
      });
      return name.clientHeight <= 44 && Math.max(...tops) - Math.min(...tops) < 8;
    }),
  );
  assert.ok(rows.length > 3 && rows.every(Boolean), String(rows));
});

/** Buttons in sight that a finger would miss. @param {import("playwright-core").Page} page */
const smallOnes = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("main button, .engine-name, .check")]
      .map((node) => ({ box: node.getBoundingClientRect(), text: node.outerHTML.slice(0, 90) }))
      .filter(({ box }) => box.height && (box.height < 39.5 || box.width < 28))
      .map(({ box, text }) => `${box.width}x${box.height} ${text}`),
  );

test("a finger hits what it is meant for; nothing moves, and what is new is seen from its top", async (t) => {
  const phone = await openPage({ ...PHONE, viewport: { width: 844, height: 390 } });
  t.after(() => phone.close());
  const { page } = phone;
  await page.click('button:has-text("Start")');
  const list = () => page.locator(".game-card .moves").boundingBox();
  const first = await list();
  for (const [from, to, count] of /** @type {const} */ ([
    ["c2", "c3", 2],
    ["g2", "g3", 4],
    ["b2", "b3", 6],
    ["f2", "f3", 8],
    ["a2", "a3", 10],
  ])) {
    await mayMove(page);
    for (const square of [from, to]) await click(page, square);
    await moves(page, count);
  }
  assert.deepEqual(await list(), first, "the list scrolls in its place");
  await inSight(page, ".moves .move[aria-current]");
  assert.deepEqual(await smallOnes(page), []);
  // The threat of one game is not that of the next.
  await page.click('.actions button:has-text("Threat")');
  await page.waitForSelector('.actions [aria-pressed="true"]');
  await page.click('button:has-text("Resign")');
  const [yes, no] = await Promise.all(
    [0, 1].map((at) => page.locator(".confirm button").nth(at).boundingBox()),
  );
  assert.ok(yes && no && no.x - yes.x - yes.width >= 20, "far enough apart");
  await page.click('button:has-text("Yes, resign")');
  await page.waitForSelector('.state:has-text("You resigned. Black wins.")');
  await page.click('.actions button:has-text("Rematch")');
  await page.waitForSelector('.actions [aria-pressed="false"]');

  await page.setViewportSize({ width: 390, height: 664 });
  await page.evaluate(() => scrollTo(0, 200));
  await show(page, "puzzles");
  await page.waitForSelector(".puzzle-card.ask");
  await mayMove(page);
  assert.equal(await page.evaluate(() => scrollY), 0);
  await show(page, "analyse");
  await page.waitForSelector(".lines li:first-child .pv");
  assert.deepEqual(await smallOnes(page), []);
  assert.deepEqual(phone.faults, []);
});
