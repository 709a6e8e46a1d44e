import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { openPage, show } from "../support/browser.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** @param {import("playwright-core").Page} page @param {string} name */
async function check(page, name) {
  await page.waitForTimeout(400);
  await page.evaluate(AXE);
  const faults = await page.evaluate(async (tags) => {
    const found = await /** @type {any} */ (window).axe.run(document, { runOnly: tags });
    return found.violations.map((one) => `${one.impact} ${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? node.failureSummary}`).join(" | ")}`);
  }, TAGS);
  assert.deepEqual(faults, [], name);
}

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds nothing, ${colorScheme}`, async (t) => {
    const it = await openPage({ colorScheme, bypassCSP: true });
    t.after(() => it.close());
    const { page } = it;
    await check(page, "new game");
    await page.click('button:has-text("Start")');
    await page.waitForSelector(".men.movable");
    await check(page, "play");
    await page.click('button:has-text("Resign")');
    await page.click('button:has-text("Yes, resign")');
    await check(page, "the end");
    for (const view of ["watch", "games", "learn"]) {
      await show(page, view);
      await check(page, view);
    }
    const game = await it.fresh("#analyse?board=6x6&moves=b2b3.a5a4.b3a4.b5a4.c2d3.e5d4");
    await game.fill(".review-card input", "0.05");
    await game.click('button:has-text("Review the game")');
    await game.waitForSelector('button:has-text("Review again")');
    await game.click('button:has-text("Threat")');
    await check(game, "analyse");
    for (const label of ["Bring a game or position", "Share or save", "Settings", "Keys"]) {
      await game.click(`[aria-label="${label}"]`);
      await check(game, label);
      await game.keyboard.press("Escape");
    }
    await game.click('summary:has-text("Another board")');
    await game.click('button:has-text("Set up a position")');
    await check(game, "editor");
    assert.deepEqual(it.faults, []);
  });
}

test("axe finds nothing on a phone, and nothing is cut off", async (t) => {
  const it = await openPage({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, bypassCSP: true });
  t.after(() => it.close());
  for (const view of ["play", "watch", "games", "learn", "analyse"]) {
    await show(it.page, view);
    await check(it.page, view);
    assert.ok((await it.page.evaluate(() => document.documentElement.scrollWidth)) <= 320, view);
  }
});
