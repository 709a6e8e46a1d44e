/** A click or tap that makes no move is answered in a sentence, and nothing moves or is covered. */
import assert from "node:assert/strict";
import test from "node:test";
import { boxOf, click, mayMove, moves, openPage, PHONE, show } from "../support/browser.mjs";

const SHAPES = /** @type {const} */ ([
  { viewport: { width: 1280, height: 720 } },
  { viewport: { width: 900, height: 700 } },
  { viewport: { width: 700, height: 500 } },
  { viewport: { width: 768, height: 1024 } },
  { ...PHONE, viewport: { width: 390, height: 664 } },
  { ...PHONE, viewport: { width: 844, height: 390 } },
]);

for (const shape of SHAPES) {
  test(`a piece that cannot move says why, ${shape.viewport.width} wide`, async (t) => {
    const it = await openPage(shape);
    t.after(() => it.close());
    const { page } = it;
    const reported = (/** @type {string} */ words) =>
      page.waitForSelector(`.notice:has-text("${words}")`);
    const places = () =>
      page.evaluate(() =>
        [".board", ".foot", ".side"].map((one) =>
          JSON.stringify(document.querySelector(one)?.getBoundingClientRect()),
        ),
      );
    // Before the game, too: White's first move would start it.
    await click(page, "d1");
    await reported("your own pieces stand in front");
    await page.click('button:has-text("Start")');
    await mayMove(page);
    const before = await places();
    await click(page, "d1");
    await reported("That piece cannot move: your own pieces stand in front.");
    assert.deepEqual(await places(), before, "nothing moves");
    const line = page.locator(".notice");
    // Only the tabs of a phone on its side have no room elsewhere.
    const covered = await line.evaluate((node) => {
      const one = node.getBoundingClientRect();
      const others = innerHeight < 500 ? ".board, main button" : ".board, main button, header a";
      return [...document.querySelectorAll(others)]
        .filter((other) => {
          const two = other.getBoundingClientRect();
          const [x, y] = [two.left + two.width / 2, two.top + Math.min(10, two.height / 2)];
          return two.height && x > one.left && x < one.right && y > one.top && y < one.bottom;
        })
        .map((other) => other.outerHTML);
    });
    assert.deepEqual(covered, []);
    assert.ok(await line.evaluate((node) => node.scrollWidth <= node.clientWidth));
    // A piece that was dragged there is let go too: the next click picks it.
    const [from, to] = [await boxOf(page, "d2"), await boxOf(page, "d5")];
    await page.mouse.move(from.x + 9, from.y + 9);
    await page.mouse.down();
    await page.mouse.move(to.x + 9, to.y + 9, { steps: 4 });
    await page.mouse.up();
    await reported("A piece moves one step forward, straight or diagonally.");
    await page.click('.notice [aria-label="Close"]');
    await click(page, "d2");
    await click(page, "d5");
    await reported("A piece moves one step forward, straight or diagonally.");
    await click(page, "c7");
    await reported("pick one of White’s");
    await click(page, "d2");
    await click(page, "d3");
    await line.waitFor({ state: "hidden" });
    await moves(page, 2);
    await mayMove(page);
    await click(page, "a1");
    await reported("in front");
    await show(page, "learn");
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
