/** What people do on the page, in WebKit, which Playwright cannot drive. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { after, before } from "node:test";
import { readPuzzles } from "../../js/model/puzzles.js";
import { startServer } from "../support/browser.mjs";
import { noWebKit, startWebKit } from "../support/webkit.mjs";

const skip = noWebKit();
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {Awaited<ReturnType<typeof startWebKit>>} */
let webkit;
before(async () => {
  if (skip) return;
  server = await startServer();
  webkit = await startWebKit();
});
after(async () => {
  await webkit?.close();
  await server?.close();
});

/** @typedef {Awaited<ReturnType<(typeof webkit)["open"]>>} Page */

/**
 * A test on a page of a first-time visitor.
 * @param {string} name
 * @param {(page: Page) => Promise<void>} run
 * @param {Parameters<(typeof webkit)["open"]>[0] & {hash?: string}} [how]
 */
const visit = (name, run, { hash = "", ...how } = {}) =>
  test(name, { skip }, async () => {
    const page = await webkit.open(how);
    try {
      await page.goto(server.address + hash);
      await run(page);
      await page.evaluate(() => {});
      assert.deepEqual(page.faults, []);
    } finally {
      await page.close();
    }
  });

const square = (/** @type {string} */ name) => `.stage [data-square="${name}"]`;
// Keys as WebDriver writes them.
const [ENTER, SHIFT, ESCAPE, UP] = ["\uE007", "\uE008", "\uE00C", "\uE013"];
const MOVE = ".side .moves > .move";
const mayMove = (/** @type {Page} */ page) => page.see(".stage .board:not(.ahead) .pieces.movable");
const moves = (/** @type {Page} */ page, /** @type {number} */ count) =>
  page.waitFor(
    (selector, wanted) => document.querySelectorAll(selector).length === wanted,
    MOVE,
    count,
  );
/** @param {Page} page @param {string} move */
async function play(page, move) {
  for (const name of move.match(/[a-z]+\d+/g) ?? []) await page.clickAt(square(name));
}
/** Shows a part of the analysis, once it no longer moves. @param {Page} page @param {string} name */
async function openPanel(page, name) {
  await page.see(".lines li:nth-child(2) .pv");
  await page.click(`.panel-tab[data-panel="${name}"]`);
}
/** In the page. @param {string} selector */
const movesOf = (selector) =>
  [...document.querySelectorAll(selector)].map((one) => one.textContent);
/** @param {Page} page @param {string} selector @param {string} value */
const choose = (page, selector, value) =>
  page.evaluate(
    (wanted, choice) => {
      const select = document.querySelector(wanted);
      select.value = choice;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    },
    selector,
    value,
  );

/**
 * Plays White's foremost piece on a small board until the game ends.
 * @param {Page} page
 * @param {string} board
 * @param {string} level
 */
async function playToTheEnd(page, board, level) {
  await choose(page, ".side select", board);
  await page.click(".levels label", level);
  await page.fill("input[type=number]", "0.1");
  await page.click("button", "Start");
  for (let ply = 0; ply < 60; ply++) {
    await page.waitFor(
      () =>
        document.querySelector(".state .result") ||
        (document.querySelector(".state")?.textContent?.includes("your turn") &&
          document.querySelector(".stage .board:not(.ahead) .pieces.movable")),
    );
    if (await page.evaluate(() => Boolean(document.querySelector(".state .result")))) return;
    const [own, count] = await page.evaluate(
      (selector) => [
        [...document.querySelectorAll(".stage .pieces.movable")].map((one) =>
          one.getAttribute("data-pieces"),
        ),
        document.querySelectorAll(selector).length,
      ],
      MOVE,
    );
    own.sort((/** @type {string} */ a, /** @type {string} */ b) => +b.slice(1) - +a.slice(1));
    await page.clickAt(square(own[0]));
    await page.clickAt('.stage [role=gridcell][aria-label*="can move here"]');
    await page.waitFor(
      (selector, before) => document.querySelectorAll(selector).length > before,
      MOVE,
      count,
    );
  }
  assert.fail("the game goes on and on");
}

visit("what is chosen among is as tall as it looks", async (page) => {
  const gaps = await page.evaluate(() =>
    [...document.querySelectorAll("fieldset")]
      .filter((one) => one.checkVisibility())
      .map((one) => {
        const last = /** @type {Element} */ (one.lastElementChild);
        return Math.round(one.getBoundingClientRect().bottom - last.getBoundingClientRect().bottom);
      }),
  );
  assert.deepEqual(gaps, [0, 0, 0]);
});

visit("a game to its end by clicks at the lowest level, and the next one", async (page) => {
  await playToTheEnd(page, "5x5", "First steps");
  await page.see(".state .result", "a piece reached the far side");
  await page.click(".actions button", "Rematch");
  await page.see(".state", "your turn");
  await moves(page, 1);
});

visit("take back, hint, a typed move, a drag, a reload, resign", async (page) => {
  await page.click("button", "Start");
  await mayMove(page);
  await page.press("m");
  await page.press(`b2b3${ENTER}`);
  await moves(page, 2);
  await mayMove(page);
  await page.click("button", "Take back");
  await moves(page, 0);
  await mayMove(page);
  await page.click("button", "Hint");
  await page.see(".arrow.hint");
  await page.drag(square("c2"), square("d3"));
  await moves(page, 2);
  assert.equal(await page.evaluate((it) => document.querySelector(it)?.textContent, MOVE), "c2d3");
  await mayMove(page);
  const before = await page.evaluate(movesOf, MOVE);
  await page.reload();
  await moves(page, 2);
  assert.deepEqual(await page.evaluate(movesOf, MOVE), before);
  await page.click("button", "Resign");
  await page.click("button", "Yes, resign");
  await page.see(".state .result", "You resigned. Black wins.");
});

visit("a lost game is reviewed and becomes questions", async (page) => {
  await playToTheEnd(page, "6x6", "Expert");
  await page.see(".state", "You lost: ");
  await page.click("button", "Learn from this game");
  await page.see(".lesson-card", "gave it away");
  for (let isLast = false; !isLast; ) {
    await page.click(".practice-card button", "Show");
    isLast = (await page.text(".practice-card .primary")).includes("Done");
    await page.click(".practice-card .primary");
  }
  await page.see(".lesson-card button", "Rematch");
});

visit(
  "lines, arrows of one's own, and a game written and read",
  async (page) => {
    await mayMove(page);
    await page.click('[aria-label="More lines"]');
    await page.waitFor(
      () =>
        document.querySelectorAll(".lines li").length === 3 &&
        Number(document.querySelector(".speed b")?.textContent) >= 6,
    );
    assert.equal(await page.evaluate(() => document.querySelectorAll(".over .arrow").length), 3);
    // By keys, as the driver cannot let go of the right button.
    await page.evaluate((wanted) => document.querySelector(wanted).focus(), square("e4"));
    await page.press(ENTER, SHIFT);
    await page.press(UP);
    await page.press(ENTER, SHIFT);
    await page.see(".over .arrow.mine");
    await page.click('[aria-label="Share or save"]');
    await page.see('[aria-label="Game (PGN)"]');
    const text = await page.evaluate(
      () => document.querySelector('[aria-label="Game (PGN)"]')?.value,
    );
    assert.match(text, /\{\[%cal Ge4e5\]\}/);
    await page.press(ESCAPE);
    await page.waitFor(() => !document.querySelector("dialog[open]"));

    await page.click('[aria-label="Import a game or position"]');
    await page.fill("dialog textarea", '[White "Ann"]\n[Black "Bob"]\n\n1. b2b3 b7b6 2. c2c3 0-1');
    await page.click("dialog .button.primary");
    await moves(page, 3);
    await page.see(".strip.bottom .name", "Ann");
  },
  { hash: "#analyse?board=8x8" },
);

visit(
  "a press counts although what is written there is drawn anew meanwhile",
  async (page) => {
    await openPanel(page, "explorer");
    await page.see(".explorer-card .link", "Show all");
    await page.hold(".explorer-card .link");
    await page.evaluate(() => {
      const fold = /** @type {HTMLElement} */ (document.querySelector(".explorer-card .link"));
      const watch = new MutationObserver(() => fold.setAttribute("data-drawn", ""));
      watch.observe(fold, { childList: true, subtree: true });
    });
    await page.waitFor(() => document.querySelector(".explorer-card .link[data-drawn]"));
    await page.release();
    await page.see(".explorer-card .link", "Hide the moves");
  },
  { hash: "#analyse?board=8x8&moves=a2a3.h7h6.a3a4.h6h5" },
);

visit(
  "a review, and a question answered wrongly",
  async (page) => {
    await openPanel(page, "review");
    await page.fill(".review-card input", "0.1");
    await page.click("button", "Review the game");
    await page.click("button", "Learn from White’s mistakes");
    await page.see(".practice-card", "a2a3 was a blunder");
    await mayMove(page);
    await play(page, "a2b3");
    await page.see(".practice-card", "a2b3 is not the best move");
    await page.see(".practice-card button", "Try again");
  },
  { hash: "#analyse?fen=8/8/3P4/8/8/2p5/PP6/8_w_0_1&moves=a2a3.c3c2" },
);

visit("a puzzle solved, and one refuted", async (page) => {
  const all = readPuzzles(
    await readFile(new URL("../../data/puzzles.csv", import.meta.url), "utf8"),
  );
  const shown = async () => {
    await page.see(".puzzle-card.ask");
    await page.see(".stage .pieces.movable");
    const id = await page.evaluate(
      () => /** @type {HTMLElement} */ (document.querySelector(".puzzle-card")).dataset.puzzle,
    );
    const puzzle = all.find((one) => one.id === id);
    assert.ok(puzzle, `puzzle ${id}`);
    return puzzle.moves;
  };
  await page.click('.tab[data-view="puzzles"]');
  const solution = await shown();
  for (let at = 1; at < solution.length; at += 2) {
    await page.see(`.stage .pieces.movable[data-pieces="${/[a-z]+\d+/.exec(solution[at])}"]`);
    await play(page, solution[at]);
  }
  await page.see(".puzzle-card.right", "Solved: +");
  await page.click("button", "Next puzzle");
  const [, right] = await shown();
  const own = await page.evaluate(() =>
    [...document.querySelectorAll(".stage .pieces.movable")].map((one) =>
      one.getAttribute("data-pieces"),
    ),
  );
  for (const from of own) {
    await page.clickAt(square(from));
    const goals = await page.evaluate(() =>
      [...document.querySelectorAll('.stage [aria-label*="can move here"]')].map((one) =>
        one.getAttribute("data-square"),
      ),
    );
    const goal = goals.find((/** @type {string} */ to) => from + to !== right);
    if (goal) {
      await page.clickAt(square(goal));
      break;
    }
    await page.press(ESCAPE);
  }
  await page.see(".puzzle-card.wrong", "refutes it");
});

visit(
  "on a phone's screen all that one does is in sight",
  async (page) => {
    const inSight = (/** @type {string} */ selector, words = "") =>
      page.waitFor(
        (wanted, text) => {
          const node = [...document.querySelectorAll(wanted)].find((one) =>
            one.textContent.includes(text),
          );
          const box = node?.getBoundingClientRect();
          if (!box?.height) return false;
          const over = document.elementFromPoint(box.x + box.width / 2, box.y + 12);
          return box.top >= 0 && box.bottom <= innerHeight + 1 && node.contains(over);
        },
        selector,
        words,
      );
    await inSight(".start button", "Start");
    await page.click("button", "Start");
    await mayMove(page);
    await play(page, "c2c3");
    await moves(page, 2);
    for (const selector of [".stage .board", ".actions button"]) await inSight(selector);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.click('.tab[data-view="analyse"]');
    await page.see(".lines li:first-child .pv");
    for (const selector of [".stage .board", ".lines li"]) await inSight(selector);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  },
  { width: 390, height: 844 },
);

visit(
  "dark where the system is, and light when that is chosen",
  async (page) => {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await theme(), "dark");
    await page.click('[aria-label="Dark or light"]');
    assert.equal(await theme(), "light");
    await page.reload();
    assert.equal(await theme(), "light");
  },
  { dark: true },
);
