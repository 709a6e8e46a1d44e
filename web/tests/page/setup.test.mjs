import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { mayMove, movesOf, openPage, show, typeOver } from "../support/browser.mjs";

/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
before(async () => {
  it = await openPage();
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

/** What the keyboard is at. */
const focused = () =>
  it.page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.hasAttribute("data-square")
      ? "board"
      : at instanceof HTMLSelectElement
        ? "menu"
        : (at?.textContent ?? "");
  });

/** Waits until the keyboard is there. @param {string} wanted */
async function comesTo(wanted) {
  for (let attempt = 0; attempt < 50 && (await focused()) !== wanted; attempt++)
    await it.page.waitForTimeout(20);
  assert.equal(await focused(), wanted.slice(0, 100));
}

/** @param {string} text */
async function press(text) {
  await it.page.locator(`.side button:visible:has-text("${text}")`).focus();
  await it.page.keyboard.press("Enter");
}

/**
 * By the keyboard to the settings of the next game and back.
 * @param {string} again the button that leads there
 */
async function thereAndBack(again) {
  const { page } = it;
  await press(again);
  await comesTo("menu");
  await press("Cancel");
  await comesTo(again);
  for (const field of [
    "select",
    "input[type=radio]:checked",
    "input[type=number]",
    'button:has-text("Start")',
  ]) {
    await page.keyboard.press("Enter");
    await comesTo("menu");
    await page.locator(`.side ${field}`).first().focus();
    await page.keyboard.press("Escape");
    await comesTo(again);
  }
}

test("a game is set up and begun, or not, by the keyboard", async () => {
  const { page } = it;
  assert.ok(await page.isHidden('button:has-text("Cancel")'), "there is nothing to go back to");
  await page.keyboard.press("Escape");
  await press("Start");
  await comesTo("board");
  await mayMove(page);
  await page.keyboard.press("m");
  await page.keyboard.type("b2b3\n");
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length === 2);
  await thereAndBack("New game");
  assert.equal((await movesOf(page)).length, 2, "the game is the old one");
  await press("New game");
  await comesTo("menu");
  await page.keyboard.press("ArrowDown");
  await press("Start");
  await comesTo("board");
  assert.equal((await movesOf(page)).length, 0);
  assert.equal(await page.locator(".stage [role=gridcell]").count(), 49);
});

test("a number that was typed counts, though Escape comes before Start", async () => {
  const { page } = it;
  await press("New game");
  await typeOver(page.locator(".side input[type=number]"), "7");
  await page.keyboard.press("Escape");
  await comesTo("New game");
  assert.equal(
    await page.evaluate(() => JSON.parse(localStorage.getItem("petard.settings") ?? "{}").seconds),
    7,
  );
});

test("a match is set up and begun, or not, by the keyboard, and goes on meanwhile", async () => {
  const { page } = it;
  // By a key: after a click, Firefox shows no focus that a script sets.
  await page.focus('.tab[data-view="watch"]');
  await page.keyboard.press("Enter");
  await typeOver(page.locator(".side input[type=number]").first(), "30");
  await press("Start");
  await comesTo("Pause");
  await thereAndBack("New match");
  await page.waitForSelector('.state:has-text("The engines are playing.")');
  await press("Pause");
  await comesTo("Resume");
  await page.keyboard.press("Enter");
  await comesTo("Pause");
  await press("New match");
  await press("Start");
  await comesTo("Pause");
  await press("New match");
  await page.selectOption(".side select", "5x5");
  for (const field of [0, 1])
    await typeOver(page.locator(".side input[type=number]").nth(field), "0.1");
  await press("Start");
  await comesTo("Pause");
  await page.waitForSelector(".state .result");
  await comesTo("New match");
});

test("what the mouse begins leaves the arrow keys to the moves, and Escape works without a focus", async () => {
  const { page } = it;
  await show(page, "play");
  await page.click('.side button:has-text("New game")');
  await page.waitForSelector(".side select");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".game-card");
  await page.click('.side button:has-text("New game")');
  await page.click('.side button:has-text("Start")');
  await page.waitForSelector(".game-card");
  assert.notEqual(await focused(), "board");
});
