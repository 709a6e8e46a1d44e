import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test from "node:test";
import {
  CHROMIUM_ONLY,
  mayMove,
  openPage,
  panel,
  settled,
  show,
  typeOver,
} from "../support/browser.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * All rules in the light scheme; in the dark one only the colours differ.
 * @param {import("playwright-core").Page} page @param {string} name
 */
async function check(page, name) {
  await settled(page);
  await page.evaluate(AXE);
  const run = (/** @type {object} */ options) =>
    page.evaluate(async (options) => {
      const found = await /** @type {any} */ (window).axe.run(document, options);
      return found.violations.map(
        (one) =>
          `${one.impact} ${one.id}: ${one.nodes
            .slice(0, 3)
            .map(
              (node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? node.failureSummary}`,
            )
            .join(" | ")}`,
      );
    }, options);
  assert.deepEqual(await run({ runOnly: TAGS }), [], name);
  await page.emulateMedia({ colorScheme: "dark" });
  await settled(page);
  const dark = await run({ runOnly: { type: "rule", values: ["color-contrast"] } });
  assert.deepEqual(dark, [], `${name}, dark`);
  await page.emulateMedia({ colorScheme: "light" });
}

test("axe finds nothing", async (t) => {
  const it = await openPage({ colorScheme: "light", bypassCSP: true });
  t.after(() => it.close());
  const { page } = it;
  await check(page, "new game");
  await page.click('button:has-text("Start")');
  await mayMove(page);
  await check(page, "play");
  await page.click('button:has-text("Resign")');
  await page.click('button:has-text("Yes, resign")');
  await check(page, "the end");
  for (const view of ["watch", "games", "learn"]) {
    await show(page, view);
    if (view === "learn") await page.waitForSelector(".lesson-name");
    await check(page, view);
  }
  const game = await it.fresh("#analyse?board=6x6&moves=b2b3.a5a4.b3a4.b5a4.c2d3.e5d4");
  await panel(game, "review");
  await typeOver(game.locator(".review-card input"), "0.05");
  await game.click('button:has-text("Review the game")');
  await game.waitForSelector('button:has-text("Review again")');
  await game.click('button:has-text("Threat")');
  await check(game, "analyse");
  for (const label of ["Import a game or position", "Share or save", "Settings", "Keys"]) {
    await game.click(`[aria-label="${label}"]`);
    await check(game, label);
    await game.keyboard.press("Escape");
  }
  await game.click('[aria-label="Import a game or position"]');
  await game.fill("textarea.bring", '[White "A"]\n\n1. a2a3 *\n\n[White "C"]\n\n1. b2b3 *\n');
  await game.click('dialog button:has-text("Import")');
  await game.waitForSelector("dialog .games .open");
  await check(game, "games of a file");
  await game.click("dialog .games .open");
  await game.waitForSelector(".chapters");
  await check(game, "a game of a file");
  await game.click('[aria-label^="Make a study"]');
  await game.click('[aria-label="Change the chapter"]');
  await check(game, "the menu of a chapter");
  await game.keyboard.press("Escape");
  await panel(game, "board");
  await game.click('button:has-text("Set up a position")');
  await check(game, "editor");
  const learn = await it.fresh("#analyse?fen=8/8/3P4/8/8/2p5/PP6/8_w_0_1&moves=a2a3.c3c2");
  await panel(learn, "review");
  await typeOver(learn.locator(".review-card input"), "0.05");
  await learn.click('button:has-text("Review the game")');
  await learn.click('button:has-text("Learn from White’s mistakes")');
  await learn.waitForSelector(".practice-card");
  await check(learn, "mistakes");
  assert.deepEqual(it.faults, []);
});

test("axe finds nothing on a phone, and nothing is cut off", async (t) => {
  const it = await openPage({
    viewport: { width: 320, height: 640 },
    hasTouch: true,
    isMobile: true,
    bypassCSP: true,
    colorScheme: "light",
  });
  t.after(() => it.close());
  const { page } = it;
  const fits = async (/** @type {string} */ name) => {
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll("body *")]
        .filter(
          (node) =>
            document.documentElement.scrollWidth > 320 && node.getBoundingClientRect().right > 320,
        )
        .map((node) => node.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(wide, [], name);
  };
  for (const view of ["play", "puzzles", "watch", "games", "learn", "analyse"]) {
    await show(page, view);
    if (view === "learn") await page.waitForSelector(".lesson-name");
    await check(page, view);
    await fits(view);
    assert.ok(
      await page.locator(".masthead nav").evaluate((nav) => nav.scrollWidth <= nav.clientWidth),
      "all tabs are seen",
    );
  }
  // As in WCAG 1.4.12, and in a wide font.
  await page.addStyleTag({
    content:
      '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important; font-family: "DejaVu Sans", Verdana, sans-serif !important; }',
  });
  for (const view of ["play", "puzzles", "watch", "games", "learn", "analyse"]) {
    await show(page, view);
    await settled(page);
    await fits(`${view}, wide letters`);
  }
  // As where the text of all pages is set larger.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await page.evaluate(() => {
    const parts = [...document.querySelectorAll(".masthead, .masthead *")];
    const sizes = parts.map((part) => parseFloat(getComputedStyle(part).fontSize));
    parts.forEach((part, index) => {
      if (part instanceof HTMLElement) part.style.fontSize = `${1.3 * sizes[index]}px`;
    });
  });
  for (const tab of await page.locator(".tab").all()) {
    const isSeen = await tab.evaluate((node) => {
      const [own, nav] = [node, node.parentElement ?? node].map((one) =>
        one.getBoundingClientRect(),
      );
      return own.left >= nav.left && own.right <= nav.right && node.scrollWidth <= own.width + 1;
    });
    assert.ok(isSeen, `${await tab.textContent()} in large text`);
  }
  assert.deepEqual(it.faults, []);
});

test("what is chosen is seen with the system's few colours", CHROMIUM_ONLY, async (t) => {
  const it = await openPage({ forcedColors: "active" });
  t.after(() => it.close());
  const colours = () =>
    it.page.evaluate(() =>
      ["input:checked + span", "input:not(:checked) + span"].map(
        (one) =>
          getComputedStyle(/** @type {Element} */ (document.querySelector(`.segment ${one}`)))
            .backgroundColor,
      ),
    );
  const [chosen, other] = await colours();
  assert.notEqual(chosen, other);
  const lines = await it.page
    .locator(".tab")
    .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBottomColor));
  assert.deepEqual(
    lines.map((line) => line !== "rgb(255, 255, 255)"),
    lines.map((_, index) => index === 0),
    "the current view's line alone",
  );
});
