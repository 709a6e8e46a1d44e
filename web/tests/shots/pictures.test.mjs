import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import test from "node:test";
import { fileURLToPath } from "node:url";
import {
  click,
  mayMove,
  moves,
  openPage,
  PHONE,
  panel,
  settled,
  show,
} from "../support/browser.mjs";

const FOLDER = fileURLToPath(new URL("../pictures/", import.meta.url));
const SHAPES = /** @type {const} */ ({
  wide: { viewport: { width: 1280, height: 800 } },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  tablet: { viewport: { width: 820, height: 1180 }, hasTouch: true },
  phone: { ...PHONE, deviceScaleFactor: 2 },
});

for (const [name, shape] of Object.entries(SHAPES)) {
  test(`pictures of the main views, ${name}`, async (t) => {
    await mkdir(FOLDER, { recursive: true });
    const it = await openPage({ ...shape });
    t.after(() => it.close());
    let { page } = it;
    const picture = async (/** @type {string} */ view, full = false) =>
      page.screenshot({ path: `${FOLDER}${view}-${name}.png`, fullPage: full });
    await picture("setup");
    await page.click('button:has-text("Start")');
    await mayMove(page);
    await click(page, "c2");
    await click(page, "d3");
    await moves(page, 2);
    await mayMove(page);
    await click(page, "f2");
    await settled(page);
    await picture("play");

    page = await it.fresh(
      "#analyse?board=8x8&moves=b2b3.g7f6.g2f3.b7b6.f3g4.a8b7.a2a3.h8g7.b3c4.e7d6",
    );
    await page.click('[aria-label="More lines"]');
    await page.waitForFunction(
      () =>
        document.querySelectorAll(".lines li").length === 3 &&
        Number(document.querySelector(".speed b")?.textContent) >= 9,
    );
    await picture("analyse");
    await panel(page, "review");
    await page.fill(".review-card input", "0.1");
    await page.click('button:has-text("Review the game")');
    await page.waitForSelector('button:has-text("Review again")');
    await picture("review", name === "phone");

    page = await it.fresh(
      "#analyse?board=7x7&moves=b2b3.b6b5.d2d3.d6d5.d3d4.e6e5.b3a4.e5d4.a2b3.d4e3.f2e3.d5d4",
    );
    await panel(page, "review");
    await page.fill(".review-card input", "0.1");
    await page.click('button:has-text("Review the game")');
    await page.click('button:has-text("Learn from White’s mistakes")');
    await page.waitForSelector(".practice-card");
    await page.locator(".practice-card").scrollIntoViewIfNeeded();
    await picture("mistakes");

    page = await it.fresh("#analyse?board=8x8&moves=b2c3.f7e6");
    await panel(page, "explorer");
    await page.waitForSelector(".explorer .score");
    await page.waitForFunction(() => Number(document.querySelector(".speed b")?.textContent) >= 8);
    await picture("explorer");

    page = await it.fresh("#analyse?board=freeling&moves=b2a1.b8a9.c1b2.c9b8");
    await page.waitForFunction(() => Number(document.querySelector(".speed b")?.textContent) >= 8);
    await picture("freeling");

    page = await it.fresh("#analyse?board=5x5");
    await page.click('button:has-text("Prove")');
    await page.waitForSelector(".proof-card.proven");
    await page.click('button:has-text("Add the line")');
    await page.waitForSelector(".move .proven");
    await settled(page);
    await picture("proof");
    await show(page, "learn");
    await picture("learn", true);
    assert.deepEqual(it.faults, []);
  });
}
