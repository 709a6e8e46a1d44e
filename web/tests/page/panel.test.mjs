/** What matters of an analysis is in sight together: on a desk, and on a phone with the board. */
import assert from "node:assert/strict";
import test from "node:test";
import { IS_FIREFOX, mayMove, moves, movesOf, openPage, panel } from "../support/browser.mjs";

const GAME = "#analyse?board=6x6&moves=b2b3.a5a4.b3a4.b5a4.c2d3.e5d4";

/**
 * Waits until all of an element is in the window, and nothing covers it.
 * @param {import("playwright-core").Page} page @param {string} selector
 * @param {boolean} [scrolls] whether the user scrolls to it
 */
const inSight = (page, selector, scrolls = false) =>
  page
    .waitForFunction(
      ([wanted, isScrolled]) => {
        const node = document.querySelector(wanted);
        if (isScrolled) node?.scrollIntoView({ block: "end" });
        const box = node?.getBoundingClientRect();
        if (!node || !box?.height) return false;
        const at = (/** @type {number} */ y) =>
          node.contains(document.elementFromPoint(box.left + box.width / 2, y));
        return (
          box.top >= 0 && box.bottom <= innerHeight + 1 && at(box.top + 2) && at(box.bottom - 2)
        );
      },
      /** @type {const} */ ([selector, scrolls]),
      { timeout: 20_000 },
    )
    .catch(() => assert.fail(`${selector} is not in sight`));

/** Reviews the game that is shown, quickly. @param {import("playwright-core").Page} page */
async function review(page) {
  await panel(page, "review");
  await page.fill(".review-card input", "0.05");
  await page.click('button:has-text("Review the game")');
  await page.waitForSelector('button:has-text("Review again")');
}

test("on a desk lines, moves, explorer and review are in sight without scrolling, 1280x720", async (t) => {
  const it = await openPage({ viewport: { width: 1280, height: 720 } });
  t.after(() => it.close());
  const page = await it.fresh(GAME);
  await moves(page, 6);
  await review(page);
  await panel(page, "moves");
  // The list has the space until a comment is to be written, and no row of it is cut.
  const { rows, cut } = await page.evaluate(() => {
    const { top, height } =
      document.querySelector(".moves")?.getBoundingClientRect() ?? new DOMRect();
    return { rows: (height - 2) / 30, cut: top + height };
  });
  assert.ok(rows >= 8 && Number.isInteger(rows) && cut < 720, `${rows} rows`);
  await page.click(".annotate");
  /** @type {[Parameters<typeof panel>[1], string[]][]} */
  const parts = [
    ["moves", [".move[aria-current]", ".comment-field", ".glyphs", "input.entry"]],
    ["explorer", [".explorer thead", ".explorer tbody tr:nth-child(3)"]],
    ["review", [".graph svg", ".learn-row .button", ".sums tr:last-child"]],
    ["board", [".board-part select", ".board-part .button:last-child"]],
  ];
  for (const [name, selectors] of parts) {
    await panel(page, name);
    if (name === "explorer") await page.click(".explorer-card .link");
    for (const selector of [".lines li:last-child", ".board-host", ...selectors])
      await inSight(page, selector);
  }
  // One thing scrolls: what is in the tab.
  const isScrolled = () =>
    page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll(".side")].some(
        (one) => one.scrollHeight > one.clientHeight + 1,
      ),
    );
  assert.equal(await isScrolled(), false);
  // The list has the place of the lines that are off; nothing moves under the pointer, wherever it is.
  const tabs = async () => (await page.locator(".panel-tabs").boundingBox())?.y ?? NaN;
  const power = () => page.locator('[aria-label="Analyse"]').boundingBox();
  const [place, switched] = [await tabs(), await power()];
  await page.click('[aria-label="Analyse"]');
  await page.getByText("The engine is off.").waitFor();
  assert.ok((await tabs()) < place - 60, "no empty place");
  assert.deepEqual(await power(), switched);
  assert.equal(await page.locator(".evaluation.away").count(), 0, "the review is still there");
  await page.click('[aria-label="Analyse"]');
  await page.getByText("The engine is off.").waitFor({ state: "hidden" });
  assert.equal(await tabs(), place);
  await page.hover(".tab-body:not([hidden])");
  await page.keyboard.press("e");
  await page.getByText("The engine is off.").waitFor();
  assert.equal(await tabs(), place, "the pointer is on it");
  await page.hover(".board-host");
  const higher = await tabs();
  assert.ok(higher < place - 60);
  await page.hover(".tab-body:not([hidden])");
  await page.keyboard.press("e");
  await page.getByText("The engine is off.").waitFor({ state: "hidden" });
  assert.equal(await tabs(), higher, "the pointer is on it");
  await page.hover(".board-host");
  assert.equal(await tabs(), place);
  for (let more = 2; more < 8; more++) await page.click('[aria-label="More lines"]');
  await panel(page, "explorer");
  await inSight(page, ".explorer tbody tr:nth-child(2)");
  assert.deepEqual(it.faults, []);
});

test("a review is in sight below what the lesson says, 1440x900", async (t) => {
  const it = await openPage({ viewport: { width: 1440, height: 900 } });
  t.after(() => it.close());
  const page = await it.fresh("#analyse");
  await page.click('[aria-label="Import a game or position"]');
  await page.fill(
    "dialog textarea",
    "1. b2b3 g7f6 2. b3b4 f6f5 3. b4b5 f5f4 4. b5b6 f4e3 5. d2e3 a7b6 0-1",
  );
  await page.click("dialog .button.primary");
  await page.click('.offer .segment span:text-is("Both")');
  await panel(page, "review");
  await page.fill(".review-card input", "0.1");
  await page.click('.offer button:has-text("Review the game")');
  await page.click('.practice-card button:has-text("End")');
  await page.waitForSelector(".lesson-card .report");
  await panel(page, "review");
  await inSight(page, ".lesson-card");
  assert.equal(await page.locator(".learn-row .button").count(), 2);
  for (const part of [".learn-row .button", ".sums tr:last-child", ".review-card .between .button"])
    await inSight(page, part);
  assert.deepEqual(it.faults, []);
});

test("on a phone the board stays in sight while what is below it is read and tapped", async (t) => {
  const it = await openPage({
    viewport: { width: 390, height: 664 },
    hasTouch: true,
    isMobile: true,
  });
  t.after(() => it.close());
  const page = await it.fresh(GAME);
  await moves(page, 6);
  await review(page);
  for (const selector of [".graph svg", ".sums tr:last-child"]) {
    await inSight(page, selector, true);
    await inSight(page, ".stage .board");
  }
  for (let more = 2; more < 5; more++) await page.click('[aria-label="More lines"]');
  await page.waitForSelector(".lines li:nth-child(5)");
  await inSight(page, ".lines li:nth-child(5)", true);
  await inSight(page, ".stage .board");
  await panel(page, "explorer");
  await page.click(".explorer-card .link");
  const last = page.locator(".explorer tbody tr").last();
  await inSight(page, ".explorer tbody tr:last-child", true);
  await inSight(page, ".stage .board");
  await mayMove(page);
  const move = (await last.getAttribute("data-move")) ?? "";
  await (IS_FIREFOX ? last.click() : last.tap());
  await moves(page, 7);
  assert.equal((await movesOf(page))[6].replace("x", "").slice(0, 4), move);
  await inSight(page, ".stage .board");
  assert.deepEqual(it.faults, []);
});

test("on tablets and half a desk the board is as large as the window allows", async (t) => {
  const it = await openPage({
    viewport: { width: 900, height: 700 },
    hasTouch: true,
    isMobile: true,
  });
  t.after(() => it.close());
  const page = await it.fresh(GAME);
  await moves(page, 6);
  const boxOf = async (/** @type {string} */ selector) => {
    const box = await page.locator(selector).first().boundingBox();
    assert.ok(box, selector);
    return box;
  };
  /** Of the window, without what is outside it. */
  const over = () =>
    page.evaluate(() => {
      // Firefox's scroll bar has a place of its own.
      const root = document.documentElement;
      return [root.scrollWidth - root.clientWidth, root.scrollHeight - root.clientHeight];
    });
  const sizes = /** @type {const} */ ([
    [900, 700, 490],
    [800, 600, 410],
    [700, 500, 330],
    [768, 1024, 510],
    [820, 1180, 585],
  ]);
  for (const [width, height, least] of sizes) {
    const size = `${width}x${height}`;
    await page.setViewportSize({ width, height });
    for (const selector of [".stage .board", ".board-bar", ".lines li:last-child", ".panel-tabs"])
      await inSight(page, selector);
    const [board, card] = [await boxOf(".stage .board"), await boxOf(".engine-card")];
    assert.ok(board.width >= least, `${size}: ${board.width}`);
    const isBeside = card.x >= board.x + board.width;
    assert.equal(isBeside, width > height, size);
    if (isBeside) assert.deepEqual(await over(), [0, 0], size);
  }
  // What is said of a preview stands in the place of the name, not of the buttons.
  if (!IS_FIREFOX) {
    await page.locator(".lines li:first-child .pv").nth(1).tap();
    await page.waitForSelector('.board-status:has-text("Previewing")');
  }
  await inSight(page, ".board-bar .icon-button");
  await page.click('.tab[data-view="play"]');
  await page.click('button:has-text("Start")');
  await mayMove(page);
  for (const [width, height, least] of sizes) {
    const size = `${width}x${height}`;
    await page.setViewportSize({ width, height });
    await inSight(page, ".game-card .state");
    const [board, card] = [await boxOf(".stage .board"), await boxOf(".game-card")];
    assert.ok(board.width >= least, `${size}: ${board.width}`);
    for (const one of await page.locator(".game-card .actions .button:visible").all()) {
      const box = await one.boundingBox();
      assert.ok(box && box.x >= card.x && box.x + box.width <= card.x + card.width, size);
      assert.ok(await one.evaluate((node) => node.scrollWidth <= node.clientWidth), size);
    }
    assert.equal((await over())[0], 0, size);
  }
  await page.click('.tab[data-view="learn"]');
  await page.waitForSelector(".lesson-name");
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await inSight(page, ".lesson-board");
    assert.equal((await over())[0], 0, `${width}x${height}`);
  }
  assert.deepEqual(it.faults, []);
});
