/** A click or tap that makes no move is answered in a sentence, and nothing moves for it. */
import assert from "node:assert/strict";
import test from "node:test";
import { boxOf, click, mayMove, openPage, PHONE, show } from "../support/browser.mjs";

const SHAPES = /** @type {const} */ ([
  { viewport: { width: 1280, height: 720 } },
  { ...PHONE, viewport: { width: 390, height: 664 } },
]);

for (const shape of SHAPES) {
  test(`a piece that cannot move says why, ${shape.viewport.width} wide`, async (t) => {
    const it = await openPage(shape);
    t.after(() => it.close());
    const { page } = it;
    const told = (/** @type {string} */ words) =>
      page.waitForSelector(`.stage .refusal:has-text("${words}")`);
    const places = () =>
      page.evaluate(() =>
        [".board", ".foot", ".side"].map((one) =>
          JSON.stringify(document.querySelector(one)?.getBoundingClientRect()),
        ),
      );
    // Before the game, too: White's first move would start it.
    await click(page, "d1");
    await told("your own pieces stand in front");
    await page.click('button:has-text("Start")');
    await mayMove(page);
    const before = await places();
    await click(page, "d1");
    await told("That piece cannot move: your own pieces stand in front.");
    assert.deepEqual(await places(), before, "nothing moves");
    const line = page.locator(".refusal");
    const [text, board] = [await line.boundingBox(), await boxOf(page, "a1")];
    assert.ok(text && text.y >= board.y + board.height - 1, "it covers no square");
    assert.ok(await line.evaluate((node) => node.scrollWidth <= node.clientWidth));
    await click(page, "d2");
    await click(page, "d5");
    await told("A piece moves one step forward, straight or diagonally.");
    await click(page, "c7");
    await told("pick one of White’s");
    await click(page, "d2");
    await click(page, "d3");
    await line.waitFor({ state: "hidden" });
    assert.deepEqual(it.faults, []);
  });
}

test("a lesson says why a piece does not move", async (t) => {
  const it = await openPage();
  t.after(() => it.close());
  const { page } = it;
  await show(page, "learn");
  await page.waitForSelector(".lesson-board .pieces.movable");
  const tap = (/** @type {string} */ square) =>
    page.click(`.lesson-board [data-square="${square}"]`, { force: true });
  await tap("c4");
  await tap("c3");
  await page.waitForSelector('.lesson-words:has-text("A piece moves one step forward")');
  assert.deepEqual(it.faults, []);
});
