import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { isBoard } from "../../js/rules/picture.js";
import { CHROMIUM_ONLY, click, mayMove, movesOf, nightly, openPage } from "../support/browser.mjs";

/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
before(async () => {
  it = await openPage();
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

test("every board from 2x4 to 32x4, and tall ones", async () => {
  const { page } = it;
  const widths = nightly ? Array.from({ length: 31 }, (_, index) => index + 2) : [2, 3, 32];
  const sizes = widths.map((width) => [width, 4]);
  sizes.push([8, 8], [11, 11], [10, 12], [2, 64], [5, 9]);
  for (const [width, height] of sizes) {
    assert.ok(isBoard(width, height));
    await page.evaluate((hash) => (location.hash = hash), `#analyse?board=${width}x${height}`);
    await page.waitForFunction(
      ([w, h]) =>
        document.querySelectorAll(".stage [role=gridcell]").length === w * h &&
        document.querySelectorAll(".stage [role=row]").length === h,
      [width, height],
    );
    await mayMove(page);
    const { page: wide, square } = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth - innerWidth,
      square: document.querySelector(".stage .square")?.getBoundingClientRect().width ?? 0,
    }));
    assert.ok(wide <= 0, `${width}x${height}: the page does not scroll sideways`);
    assert.ok(square >= 20, `${width}x${height}: squares of ${square} pixels`);
    await click(page, "a2").catch(() => undefined);
    if (height > 4) {
      await page.locator('.stage [data-square="a3"]').scrollIntoViewIfNeeded();
      await click(page, "a3");
      await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 1);
      assert.deepEqual(await movesOf(page), ["a2a3"], `${width}x${height}`);
    }
  }
});

test("a board that does not fit is first seen from the side that plays upwards", async () => {
  const page = await it.fresh("#analyse?board=2x64");
  const seen = () =>
    page.waitForFunction(
      () =>
        (document.querySelector('[data-square="a2"]')?.getBoundingClientRect().bottom ?? 9999) <
          innerHeight && document.querySelectorAll(".stage [role=gridcell]").length === 128,
    );
  await seen();
  await page.click('.tab[data-view="learn"]');
  await page.click('.tab[data-view="analyse"]');
  await seen();
});

test("on a low screen and at 400% the board keeps its place", async (t) => {
  for (const [width, height] of [
    [320, 256],
    [568, 320],
  ]) {
    const low = await openPage({ viewport: { width, height } });
    t.after(() => low.close());
    for (const board of nightly ? ["8x8", "16x8", "2x24", "26x4"] : ["8x8", "26x4"]) {
      const page = await low.fresh(`#analyse?board=${board}`);
      const [shown, below, seen] = await page.evaluate(() =>
        [".stage .board", ".board-bar", ".board-host"].map((one) =>
          /** @type {Element} */ (document.querySelector(one)).getBoundingClientRect(),
        ),
      );
      assert.ok(shown.bottom <= below.top, `${board}: nothing lies over it`);
      assert.ok(
        seen.height >= Math.min(shown.height, 240),
        `${board}: ${seen.height} pixels of it are seen`,
      );
    }
  }
});

test("labels of arrows do not cover each other", async () => {
  const page = await it.fresh("#analyse?board=8x8");
  const covered = await page.evaluate(async () => {
    const [{ Board }, { parseFen }] = await Promise.all(
      ["board/board.js", "rules/picture.js"].map(
        (name) => import(new URL(`js/${name}`, document.baseURI).href),
      ),
    );
    const host = document.createElement("div");
    document.body.append(host);
    const board = new Board(host);
    const found = [];
    // All that ends on one square, and all that crosses.
    for (const moves of [
      ["d2e3", "e2e3", "f2e3"],
      ["f2e3", "e2f3", "e2e3", "f2f3"],
      ["e2e3", "d2e3", "e2d3", "f2e3", "d2d3"],
      ["e7d6", "c7d6", "d7d6", "d7e6", "e7e6"],
    ]) {
      board.show({
        picture: parseFen("8/pppppppp/8/8/8/8/PPPPPPPP/8 w 0 1"),
        arrows: moves.map((move, index) => ({
          move,
          kind: index ? "other" : "best",
          label: "100%",
        })),
      });
      const boxes = [...host.querySelectorAll(".tag rect")].map((tag) =>
        tag.getBoundingClientRect(),
      );
      if (boxes.length !== moves.length) found.push(`${boxes.length} labels of ${moves}`);
      boxes.forEach((a, one) =>
        boxes
          .slice(one + 1)
          .forEach(
            (b) =>
              Math.abs(a.x - b.x) < a.width &&
              Math.abs(a.y - b.y) < a.height &&
              found.push(`${moves}`),
          ),
      );
    }
    host.remove();
    return found;
  });
  assert.deepEqual(covered, []);
});

test("a link is followed though the address was about to be written", async () => {
  const { page } = it;
  await page.evaluate(() => (location.hash = "#analyse?board=7x7"));
  await page.waitForFunction(
    () => document.querySelectorAll(".stage [role=gridcell]").length === 49,
  );
  await mayMove(page);
  await click(page, "a2");
  await click(page, "a3");
  await page.waitForFunction(() => location.hash.includes("a2a3"));
  await page.keyboard.press("Home");
  await page.waitForFunction(() => !location.hash.includes("a2a3"));
  await page.evaluate(() => {
    const later = window.setTimeout;
    // The link comes when the page is about to write, and before the page hears of it.
    window.setTimeout = /** @type {any} */ (
      (/** @type {() => void} */ run, /** @type {number} */ delay) => {
        if (run.name !== "write") return later(run, delay);
        return later(() => {
          window.setTimeout = later;
          location.hash = "#analyse?board=6x6";
          run();
        }, delay);
      }
    );
  });
  await page.keyboard.press("End");
  await page.waitForFunction(
    () => document.querySelectorAll(".stage [role=gridcell]").length === 36,
  );
});

test("Freeling's game: each step of a chain is seen, and announced", async () => {
  const { page } = it;
  await page.evaluate(() => (location.hash = "#analyse?board=freeling"));
  await page.waitForFunction(() => document.querySelectorAll(".wall").length === 10);
  await mayMove(page);
  await page.evaluate(() => {
    /** @type {string[]} */
    const seen = /** @type {any} */ ((window.seen = []));
    new MutationObserver(() => {
      const at = document.querySelectorAll(".burst").length;
      const pieces = [...document.querySelectorAll(".standing [data-pieces]")]
        .map(
          (one) =>
            one.getAttribute("data-pieces") + (one.querySelector(".count")?.textContent ?? ""),
        )
        .join(" ");
      if (seen.at(-1) !== pieces && at) seen.push(pieces);
    }).observe(/** @type {Node} */ (document.querySelector(".stage .board")), {
      subtree: true,
      childList: true,
    });
  });
  await click(page, "b2");
  await click(page, "a1");
  await page.waitForSelector(".badge.explosion");
  await page.waitForFunction(() => document.querySelectorAll(".burst").length === 0);
  assert.equal(await page.locator(".badge.explosion").count(), 2);
  assert.match(
    (await page.textContent(".chain")) ?? "",
    /2 explosions.*a1 explodes: to a2; to b1\.a2 explodes: to a3; to b2\./,
  );
  await page.waitForFunction(() => /** @type {any} */ (window).seen.length >= 2);
  assert.equal(await page.getAttribute('[data-square="b1"]', "aria-label"), "b1 white 2 pieces");
  assert.match(
    (await page.getAttribute('[data-square="a3"]', "aria-label")) ?? "",
    /white piece, wall/,
  );
  await page.click('[aria-label="Show the last move again"]');
  await page.waitForSelector(".burst");
});

test("with reduced motion nothing moves, and the end is the same", CHROMIUM_ONLY, async (t) => {
  const still = await openPage({ reducedMotion: "reduce" });
  t.after(() => still.close());
  const { page } = still;
  await page.evaluate(() => (location.hash = "#analyse?board=freeling"));
  await page.waitForSelector(".wall");
  await mayMove(page);
  await click(page, "b2");
  await click(page, "a1");
  await page.waitForSelector(".badge.explosion");
  assert.equal(await page.locator(".burst").count(), 0);
  assert.equal(await page.locator(".badge.explosion").count(), 2);
  assert.deepEqual(still.faults, []);
});
