import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { movesOf, openPage, panel } from "../support/browser.mjs";

/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
before(async () => {
  it = await openPage();
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

/** The explorer's rows, cell by cell. @param {import("playwright-core").Page} page */
const rows = (page) =>
  page.$$eval(".explorer tbody tr", (list) =>
    list.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
  );

/** @param {import("playwright-core").Page} page @param {string} move */
const row = (page, move) => page.locator(`.explorer tr[data-move="${move}"]`);

test("the opening book's moves, best first; pointing shows one, a click plays it", async () => {
  const page = await it.fresh("#analyse?board=8x8");
  await panel(page, "explorer");
  await page.waitForSelector(".explorer .score");
  const shown = await rows(page);
  assert.equal(shown.length, 22);
  assert.match(shown[0][1], /^\d+%[+−]\d\.\d\d$/);
  assert.ok(Number(shown[0][2]) > 0, shown[0].join(" "));
  const move = shown[0][0];
  await row(page, move).hover();
  // A small board beside the table shows it; the large one stays.
  const target = move.slice(2);
  await page.waitForSelector(`.peek [data-square="${target}"][aria-label*="white"]`);
  const large = page.locator(`.stage [data-square="${target}"]`);
  assert.doesNotMatch((await large.getAttribute("aria-label")) ?? "", /white/);
  await row(page, move).click();
  await page.waitForSelector(".peek", { state: "hidden" });
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 1);
  assert.deepEqual(await movesOf(page), [move]);
  // Black's replies.
  await page.waitForSelector('.explorer tr[data-move^="a7"]');
});

test("on a solved board every move has its result", async () => {
  const page = await it.fresh("#analyse?board=4x5");
  await panel(page, "explorer");
  await page.waitForSelector(".explorer .score.proven");
  const shown = await rows(page);
  assert.ok(shown.length > 5);
  for (const cells of shown) assert.equal(cells[1], "Black wins");
  const first = page.locator(".explorer tbody button").first();
  await first.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 1);
  await page.waitForFunction(() =>
    /Black wins/.test(document.querySelector(".explorer tbody tr")?.textContent ?? ""),
  );
});

test("moves that the proof of a board does not cover are proven in the background", async () => {
  // Black wins by one move; the proof says nothing about the others.
  const page = await it.fresh("#analyse?board=4x5&moves=a2b3");
  await panel(page, "explorer");
  await page.waitForSelector('.explorer tr[data-move="a4b3"] .score.proven');
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".explorer tbody tr td:nth-child(2)")].every((cell) =>
      / wins$/.test(cell.textContent ?? ""),
    ),
  );
  const shown = await rows(page);
  assert.equal(shown.length, 9);
  assert.ok(
    shown.some(([, result]) => result === "White wins"),
    shown.join("\n"),
  );
});

test("the engine's chance comes with the search", async () => {
  const page = await it.fresh("#analyse?board=9x9");
  await panel(page, "explorer");
  await page.getByText("Not in the opening book, and in none of your games.").waitFor();
  assert.ok(await page.isHidden(".explorer"), "a list without anything to say");
  await page.click('.explorer-card button:has-text("Show all 25 moves")');
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".explorer tbody tr td:nth-child(4)")].some((cell) =>
      /^\d+%$/.test(cell.textContent ?? ""),
    ),
  );
});

test("finished games are counted where they were played, imported ones too", async () => {
  const page = await it.fresh("#analyse?board=8x8");
  await panel(page, "explorer");
  const game = (/** @type {string} */ moves, /** @type {string} */ result) =>
    `[White "A"]\n[Black "B"]\n[Result "${result}"]\n\n${moves} ${result}\n\n`;
  const text = game("1. b2b3 b7b6", "1-0") + game("1. b2b3 g7g6", "0-1") + game("1. c2c3", "1-0");
  await page.click('[aria-label="Import a game or position"]');
  await page.fill("dialog[open] textarea", text);
  await page.click('dialog[open] button:has-text("Import")');
  await page.waitForSelector("dialog[open] .offered, dialog[open] li");
  await page.keyboard.press("Escape");
  await row(page, "b2b3").locator(".tally").waitFor();
  const cells = await rows(page);
  const games = Object.fromEntries(cells.map((row) => [row[0], row[4]]));
  assert.equal(games.b2b3, "2");
  assert.equal(games.c2c3, "1");
  assert.equal(games.d2d3, "");
  const title = await row(page, "b2b3").locator(".tally").getAttribute("title");
  assert.equal(title, "White won 1, Black 1");
});
