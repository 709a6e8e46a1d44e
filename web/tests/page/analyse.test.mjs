import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import {
  boxOf,
  CHROMIUM_ONLY,
  click,
  IS_FIREFOX,
  mayMove,
  movesOf,
  openPage,
  PHONE,
  panel,
  show,
  typeOver,
} from "../support/browser.mjs";

/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
before(async () => {
  it = await openPage();
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

/** @param {string} hash */
async function open(hash) {
  const page = await it.fresh(hash);
  await page.waitForSelector(".engine-card");
  return page;
}

/** @param {import("playwright-core").Page} page @param {string} text */
async function importText(page, text) {
  await page.click('[aria-label="Import a game or position"]');
  await page.fill("dialog textarea", text);
  await page.click("dialog .button.primary");
  await page.waitForSelector("dialog", { state: "hidden" });
}

const depth = () =>
  it.page
    .waitForSelector(".speed b")
    .then((node) => node.textContent())
    .then(Number);

test("five lines, and a jump in the game while it runs", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3.b7b6.c2c3.c7c6");
  for (let line = 2; line < 7; line++) await page.click('[aria-label="More lines"]');
  await page.waitForFunction(() => document.querySelectorAll(".lines li").length === 7);
  assert.equal(await page.locator(".over .arrow").count(), 5, "more arrows would hide the board");
  for (let line = 7; line > 5; line--) await page.click('[aria-label="Fewer lines"]');
  await page.waitForFunction(() => document.querySelectorAll(".lines li").length === 5);
  await page.waitForFunction(() => Number(document.querySelector(".speed b")?.textContent) >= 6);
  await page.keyboard.press("Home");
  await page.waitForFunction(() =>
    /^1\.a?/.test(document.querySelector(".lines .pv")?.textContent ?? ""),
  );
  await page.keyboard.press("End");
  await page.waitForFunction(() =>
    /^3\./.test(document.querySelector(".lines .pv")?.textContent ?? ""),
  );
  assert.ok((await depth()) > 0);
  await page.keyboard.press("e");
  await page.waitForFunction(() => !document.querySelector(".over .arrow"));
});

test("pointing at a line shows it on a small board, a click adds it to the game", async () => {
  const page = await open("#analyse?board=8x8");
  await page.waitForFunction(
    () => document.querySelectorAll(".lines li:first-child .pv").length > 4,
  );
  const third = page.locator(".lines li:first-child .pv").nth(2);
  const bar = page.locator(".board-bar");
  const pieces = () =>
    page
      .locator(".stage .pieces")
      .evaluateAll((all) => all.map((one) => one.getAttribute("data-pieces")).sort());
  const [place, before] = [await bar.boundingBox(), await pieces()];
  await third.hover();
  await page.waitForSelector(".peek .mark.last");
  assert.deepEqual(await bar.boundingBox(), place, "nothing moves");
  assert.deepEqual(await pieces(), before, "the large board stays");
  await third.click();
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 3);
  assert.ok(await page.isHidden(".peek"));
});

test("one move is searched alone, until all are searched again", async () => {
  const page = await open("#analyse?board=8x8");
  // Found, read and clicked at once: the lines are drawn anew all the time.
  const found = await page.waitForFunction(() => {
    const second = /** @type {HTMLElement | undefined} */ (
      document.querySelectorAll(".lines .alone")[1]
    );
    second?.click();
    return second?.dataset.alone;
  });
  const move = await found.jsonValue();
  await page.waitForFunction(() => {
    const alone = [...document.querySelectorAll(".lines .alone")];
    return alone.length === 1 && alone[0].getAttribute("aria-pressed") === "true";
  });
  assert.equal(await page.locator(".lines .alone").getAttribute("data-alone"), move);
  await page.locator(".lines .alone").click();
  await page.waitForFunction(() => document.querySelectorAll(".lines li").length === 2);
});

test("a capture has its x where it is searched alone, and where it is spoken", async () => {
  // There are two moves, and both capture.
  const page = await open("#analyse?fen=8/8/8/1ppp4/2P5/8/8/8_w_0_1");
  const said = (/** @type {string} */ text) =>
    page.waitForFunction(
      (wanted) => document.querySelector('body > [role="status"]')?.textContent === wanted,
      text,
    );
  const alone = page.locator(".lines .alone");
  await page.waitForFunction(() => document.querySelectorAll(".lines .alone").length === 2);
  const labels = await alone.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  assert.deepEqual(labels.sort(), ["Search c4xb5 alone", "Search c4xd5 alone"]);
  await page.click('.alone[aria-label="Search c4xd5 alone"]');
  await said("Only c4xd5 is searched.");
  await page.click('.alone[aria-label="Search all moves again"]');
  await said("All moves are searched again.");
  await page.fill(".entry", "c4d5");
  await page.press(".entry", "Enter");
  await said("c4xd5");
  await page.keyboard.press("Home");
  await page.keyboard.press("End");
  await said("c4xd5");
});

test("captures are written with an x, and counted beside the names", async () => {
  const page = await open("#analyse?board=6x6&moves=b2b3.a5a4.b3a4.b5a4");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 4);
  assert.deepEqual(await movesOf(page), ["b2b3", "a5a4", "b3xa4", "b5xa4"]);
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector('.strip.bottom .taken[title="1 captured, 1 ahead"]');
  await page.keyboard.press("End");
  await page.waitForSelector('.strip.top .taken[title="1 captured"]');
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => location.hash.endsWith("b3a4"));
  // So they are in a game that goes on from there, and in the next one.
  await page.evaluate(() => localStorage.setItem("petard.settings", '{"side":"both"}'));
  await page.reload();
  // What came by a link is not lost when an earlier move is shown.
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 4);
  await page.keyboard.press("End");
  await page.waitForSelector('.strip.top .taken[title="1 captured"]');
  await panel(page, "board");
  await page.click('button:has-text("Play from here")');
  for (const which of ["this game", "its rematch"]) {
    await page.waitForSelector('.strip.top .taken[title="1 captured"]');
    await page.waitForSelector('.strip.bottom .taken[title="1 captured"]');
    if (which === "its rematch") break;
    await page.click('.actions button:has-text("Resign")');
    await page.click('button:has-text("Yes, resign")');
    await page.click('button:has-text("Rematch")');
    await page.waitForSelector('.actions button:has-text("Resign")');
  }
});

test("one-letter keys work on a layout without Latin letters", async () => {
  const page = await open("#analyse?board=8x8");
  await mayMove(page);
  await page.evaluate(() =>
    document.body.dispatchEvent(
      new KeyboardEvent("keydown", { key: "а", code: "KeyF", bubbles: true }),
    ),
  );
  await page.waitForFunction(
    () => document.querySelector(".stage .square")?.getAttribute("data-square") === "h1",
  );
});

test("a move typed before the engine has said which moves there are is made", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3.b7b6");
  await mayMove(page);
  await page.evaluate(() => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    const field = /** @type {HTMLInputElement} */ (document.querySelector(".entry"));
    field.value = "a7a6";
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  await page.waitForFunction(() =>
    document.querySelector(".move[aria-current]")?.textContent?.endsWith("a7a6"),
  );
});

test("a file dropped on the page is imported", async () => {
  const page = await open("#analyse?board=8x8");
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["1. a2a3 a7a6 2. b2b3 *"], "game.pgn"));
    for (const type of ["dragover", "drop"])
      document.body.dispatchEvent(
        new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
      );
  });
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 3);
});

test(
  "a tap plays a line out, also where a click does not say what made it",
  CHROMIUM_ONLY,
  async (t) => {
    const phone = await openPage(PHONE);
    t.after(() => phone.close());
    const page = await phone.fresh("#analyse?board=8x8");
    // As on an iPhone.
    await page.evaluate(() =>
      document.addEventListener(
        "click",
        (event) => Object.defineProperty(event, "pointerType", { value: undefined }),
        { capture: true },
      ),
    );
    await page.waitForFunction(
      () => document.querySelectorAll(".lines li:first-child .pv").length > 4,
    );
    await page.locator(".lines li:first-child .pv").nth(1).tap();
    await page.waitForFunction(() =>
      /Previewing a line/.test(document.querySelector(".board-status")?.textContent ?? ""),
    );
    assert.deepEqual(await movesOf(page), []);
  },
);

test("a comment belongs to the position where it was typed", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3.b7b6");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 2);
  await mayMove(page);
  await page.locator(".comment-field").pressSequentially("Solid");
  // As if a link had come: the focus stays in the field.
  await page.evaluate(() => (location.hash = location.hash.replace(".b7b6", "")));
  await page.waitForFunction(
    () => document.querySelector(".move[aria-current]")?.textContent === "b2b3",
  );
  assert.equal(await page.inputValue(".comment-field"), "");
  await page.press(".comment-field", "Tab");
  await page.waitForSelector(".moves .comment");
  assert.equal(await page.textContent(".moves"), "1b2b3b7b6Solid");
});

test("a comment is kept while it is typed, on an empty board too", async () => {
  let page = await open("#analyse?board=8x8&moves=b2b3");
  await mayMove(page);
  await page.locator(".comment-field").pressSequentially("Solid");
  // Left by Escape; the next key is the board's.
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  await page.reload();
  await page.waitForFunction(() => document.querySelector(".moves")?.textContent === "1b2b3…Solid");
  page = await open("#analyse?board=8x8");
  await page.locator(".comment-field").pressSequentially("Empty");
  await page.reload();
  await page.waitForFunction(
    () => document.querySelector(".moves")?.textContent === "EmptyNo moves yet.",
  );
});

test("a link to moves that were deleted brings them back", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3.b7b6");
  await page.waitForFunction(
    () => document.querySelector(".move[aria-current]")?.textContent === "b7b6",
  );
  const link = await page.evaluate(() => location.hash);
  await page.click('[aria-label^="Delete this move"]');
  await page.waitForFunction(() => location.hash.endsWith("=b2b3"));
  await page.evaluate((hash) => (location.hash = hash), link);
  await page.waitForFunction(
    () => document.querySelector(".move[aria-current]")?.textContent === "b7b6",
  );
});

test("Back leads through the views and links", async () => {
  const page = await it.fresh("#analyse?board=6x6&moves=b2b3");
  await page.waitForURL(/b2b3$/);
  for (let time = 0; time < 2; time++) {
    await show(page, "learn");
    await page.waitForURL(/#learn$/);
    await page.goBack();
    await page.waitForFunction(() => document.title.startsWith("Analyse"));
    assert.match(page.url(), /b2b3$/);
    // The page writes the address a moment later.
    await page.waitForTimeout(450);
  }
});

test("variations, comments, glyphs, promotion, deletion and the arrow keys", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3.b7b6");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 2);
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(
    () => document.querySelector(".move[aria-current]")?.textContent === "b2b3",
  );
  await mayMove(page);
  await click(page, "g7");
  await click(page, "g6");
  await page.waitForSelector(".variation .move");
  await page.fill(".comment-field", "<b>Solid</b>");
  await page.press(".comment-field", "Tab");
  await page.click('.glyph:text-is("!?")');
  await page.waitForSelector(".variation .comment");
  assert.equal(await page.textContent(".variation"), "1...g7g6!? <b>Solid</b>");
  await page.click('[aria-label="Promote variation"]');
  await page.waitForFunction(
    () => document.querySelectorAll(".moves > .move")[1]?.textContent === "g7g6!?",
  );
  await page.click('[aria-label^="Delete this move"]');
  assert.deepEqual(await movesOf(page), ["b2b3", "b7b6"]);
});

test("the move that is shown stays in sight in a long list", async () => {
  const page = await open("#analyse?board=8x8");
  await importText(
    page,
    "b2b3 b7b6 c2c3 (2. d2d3) c7c6 d2d3 d7d6 e2e3 e7e6 f2f3 f7f6 g2g3 g7g6 a2a3 a7a6 h2h3 h7h6 " +
      "b1b2 b8b7 c1c2 c8c7 d1d2 d8d7 e1e2 e8e7 f1f2 f8f7 g1g2 g8g7 a1a2 a8a7 h1h2 h8h7",
  );
  await page.waitForSelector(".variation .move");
  const inSight = (/** @type {string} */ move) =>
    page.waitForFunction((text) => {
      const now = document.querySelector(".side .moves [aria-current]");
      const list = now?.closest(".moves")?.getBoundingClientRect();
      const box = now?.getBoundingClientRect();
      const isIn = list && box?.height && box.top >= list.top && box.bottom <= list.bottom + 1;
      return now?.textContent?.includes(text) && isIn;
    }, move);
  for (let ply = 0; ply < 3; ply++) await page.keyboard.press("ArrowRight");
  await inSight("c2c3");
  await page.keyboard.press("ArrowDown");
  await inSight("d2d3");
  await panel(page, "review");
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  for (let ply = 0; ply < 30; ply++) await page.keyboard.press("ArrowRight");
  await panel(page, "moves");
  await inSight("a8a7");
});

test("the right button on a move promotes its variation by one level, or deletes it", async () => {
  const page = await open("#analyse?board=8x8");
  await importText(
    page,
    "1. b2b3 b7b6 (1... g7g6 2. c2c3 (2. d2d3 $5 {Sound.} a7a6) 2... g6g5) 2. a2a3 *",
  );
  const variation = page.locator(".variation");
  await variation.waitFor();
  assert.equal(
    await variation.textContent(),
    "1...g7g6 2.c2c3 (2.d2d3!? Sound. 2...a7a6) 2...g6g5",
  );
  const pick = async (/** @type {string} */ move, /** @type {string} */ item) => {
    await page.locator(`.move:has-text("${move}")`).click({ button: "right" });
    await page.click(`.menu [role=menuitem]:text-is("${item}")`);
    await page.waitForSelector(".menu", { state: "detached" });
  };
  await pick("d2d3", "Promote variation");
  assert.equal(await variation.textContent(), "1...g7g6 2.d2d3!? Sound. (2.c2c3 g6g5) 2...a7a6");
  assert.deepEqual(await movesOf(page), ["b2b3", "b7b6", "a2a3"]);
  await pick("d2d3", "Make main line");
  assert.deepEqual(await movesOf(page), ["b2b3", "g7g6", "d2d3!?", "a7a6"]);
  await pick("g7g6", "Delete from here");
  assert.deepEqual(await movesOf(page), ["b2b3", "b7b6", "a2a3"]);
  // By the keyboard, and back to the move.
  await page.locator('.move:has-text("b7b6")').focus();
  await page.locator('.move:has-text("b7b6")').dispatchEvent("contextmenu");
  await page.waitForSelector('.menu button:text-is("Copy line"):focus');
  await page.keyboard.press("Escape");
  await page.waitForSelector('.move:has-text("b7b6"):focus');
});

test("a comment before a variation stays when that becomes the main line", async () => {
  const page = await open("#analyse?board=8x8");
  await importText(page, "1. b2b3 b7b6 ({Or this:} 1... g7g6 {Sound.} 2. c2c3) 2. a2a3 *");
  await page.locator('.move:has-text("g7g6")').click({ button: "right" });
  await page.click('.menu [role=menuitem]:text-is("Make main line")');
  await page.waitForSelector(".menu", { state: "detached" });
  const texts = page.locator(".moves .aside .comment");
  assert.deepEqual(await texts.allTextContents(), ["Or this:", "Sound."]);
  await page.locator('.move:has-text("b7b6")').click({ button: "right" });
  await page.click('.menu [role=menuitem]:text-is("Delete from here")');
  await page.waitForSelector(".variation", { state: "detached" });
  assert.deepEqual(await texts.allTextContents(), ["Or this:", "Sound."]);
});

test("keys play the best move, comment, and remove arrows", async () => {
  const page = await open("#analyse?board=8x8");
  await page.waitForSelector(".lines .pv");
  await mayMove(page);
  await page.locator('.stage [data-square="e4"]').focus();
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Shift+Enter");
  await page.waitForSelector(".over .arrow.mine");
  await page.keyboard.press("x");
  await page.waitForSelector(".over .arrow.mine", { state: "detached" });
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await page.keyboard.press("Space");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 1);
  await page.keyboard.press("c");
  await page.keyboard.type("c x");
  await page.waitForFunction(
    () => document.querySelector(".aside .comment")?.textContent === "c x",
  );
});

test("evaluations and signs of other programs stand beside the moves", async () => {
  const page = await open("#analyse?board=8x8");
  await importText(
    page,
    "1. b2b3 {[%eval 0.25]} b7b6?! $14 {[%eval -1.26]} 2. a2a3 {[%eval #-3]} *",
  );
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 3);
  assert.deepEqual(await movesOf(page), ["b2b3+0.3", "b7b6?! +=−1.3", "a2a3#−3"]);
});

test("every change of the tree is undone and redone, in the order in which it was made", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3.b7b6");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 2);
  await mayMove(page);
  const text = () => page.textContent(".moves");
  await page.locator(".comment-field").pressSequentially("Solid");
  await page.click('.glyph:text-is("!?")');
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(
    () => document.querySelector(".move[aria-current]")?.textContent === "b2b3",
  );
  await page.focus(".comment-field");
  await page.keyboard.press("Control+z");
  assert.equal(await text(), "1b2b3b7b6!?Solid", "another position's text does not come back");
  await page.click('[aria-label^="Delete this move"]');
  assert.equal(await text(), "No moves yet.");
  await page.click('.notice button:has-text("Undo")');
  /** @type {[string, string][]} */
  const steps = [
    ["Control+z", "1b2b3b7b6Solid"],
    ["u", "1b2b3b7b6"],
    ["Control+Shift+z", "1b2b3b7b6Solid"],
    ["Control+y", "1b2b3b7b6!?Solid"],
  ];
  for (const [key, wanted] of steps) {
    await page.keyboard.press(key);
    await page.waitForFunction(
      (one) => document.querySelector(".moves")?.textContent === one,
      wanted,
    );
  }
  await page.keyboard.press("Control+z");
  // In the field, the browser's own undo is at work; Firefox's does not know what was filled in.
  if (IS_FIREFOX) return;
  await page.fill(".comment-field", "Solid, more");
  await page.press(".comment-field", "Control+z");
  await page.waitForFunction(
    () => document.querySelector(".moves")?.textContent === "1b2b3b7b6Solid",
  );
});

test("keys lead from one variation to the next, from the field for moves too", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3");
  const current = (/** @type {string} */ move) =>
    page.waitForFunction(
      (wanted) => document.querySelector(".move[aria-current]")?.textContent?.includes(wanted),
      move,
    );
  await current("b2b3");
  const type = async (/** @type {string} */ text) => {
    await mayMove(page);
    await page.keyboard.press("m");
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  await type("b7b6");
  await current("b7b6");
  // The focus is in the field, which is empty.
  await page.keyboard.press("ArrowLeft");
  await current("b2b3");
  await page.keyboard.type("b7b2");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".notice.error");
  // What cannot be played is replaced by what is typed next.
  await page.keyboard.type("g7g6");
  await page.keyboard.press("Enter");
  await current("g7g6");
  await page.keyboard.press("ArrowUp");
  await current("b7b6");
  await page.keyboard.press("ArrowDown");
  await current("g7g6");
});

test("arrows and circles of one's own are drawn, kept and written", async () => {
  const page = await open("#analyse?board=8x8");
  await mayMove(page);
  const drag = async (from, to) => {
    const [a, b] = [await boxOf(page, from), await boxOf(page, to)];
    await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
    await page.mouse.down({ button: "right" });
    await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2);
    await page.mouse.up({ button: "right" });
  };
  await drag("c2", "f5");
  await drag("d4", "d4");
  await page.waitForSelector(".circle.mine");
  assert.equal(await page.locator(".arrow.mine").count(), 1);
  await page.click('[aria-label="Share or save"]');
  assert.match(
    await page.locator('[aria-label="Game (PGN)"]').inputValue(),
    /\{\[%cal Gc2f5\] \[%csl Gd4\]\}/,
  );
  await page.keyboard.press("Escape");
  await drag("c2", "f5");
  await page.waitForFunction(() => document.querySelectorAll(".arrow.mine").length === 0);
  await page.locator('.stage [data-square="e4"]').focus();
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Shift+Enter");
  await page.waitForFunction(() => document.querySelectorAll(".over .arrow.mine").length === 1);
});

test("a shape let go beside the board leaves the next click alone", async () => {
  const page = await open("#analyse?board=8x8");
  await mayMove(page);
  const [from, to] = [await boxOf(page, "c2"), await boxOf(page, "a8")];
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down({ button: "right" });
  await page.mouse.move(to.x + to.width / 2, to.y - 60, { steps: 4 });
  await page.mouse.up({ button: "right" });
  for (const square of ["b2", "b3"]) await click(page, square);
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 1);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => !document.querySelector(".mark.last"));
  assert.equal(await page.locator(".arrow.mine").count(), 0);
});

test(
  "a finger that rests on a square draws from there, one that scrolls sets up nothing",
  CHROMIUM_ONLY,
  async (t) => {
    const phone = await openPage(PHONE);
    t.after(() => phone.close());
    const page = await phone.fresh("#analyse?board=8x8");
    await mayMove(page);
    const finger = await phone.context.newCDPSession(page);
    const [from, to] = [await boxOf(page, "c2"), await boxOf(page, "e5")];
    const at = (/** @type {typeof from} */ box) => [
      { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    ];
    await finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(from) });
    await page.waitForSelector(".effects .circle.mine");
    await finger.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(to) });
    await page.waitForSelector(".effects .arrow.mine");
    await finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await page.waitForSelector(".over .arrow.mine");
    assert.deepEqual(await movesOf(page), []);
    await panel(page, "board");
    await page.click('button:has-text("Set up a position")');
    await page.waitForSelector(".brushes");
    await page.evaluate(() => scrollTo(0, 0));
    const [point] = at(await boxOf(page, "d4"));
    await finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
    for (let step = 1; step <= 8; step++)
      await finger.send("Input.dispatchTouchEvent", {
        type: "touchMove",
        touchPoints: [{ x: point.x, y: point.y - step * 20 }],
      });
    await finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await page.waitForFunction(() => scrollY > 50);
    assert.equal(await page.getAttribute('.stage [data-square="d4"]', "aria-label"), "d4 empty");
    // The page may still be gliding.
    await page.evaluate(async () => {
      for (let last = NaN; scrollY !== last; ) {
        last = scrollY;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    });
    const [tap] = at(await boxOf(page, "d4"));
    await page.touchscreen.tap(tap.x, tap.y);
    await page.waitForSelector('.stage [aria-label="d4 white piece"]');
    assert.deepEqual(phone.faults, []);
  },
);

test("a position of a solved board says so", async () => {
  const page = await open("#analyse?board=5x5&moves=b2b3");
  await page.waitForSelector('.proof-card.proven:has-text("Proven: Black wins")');
  await page.waitForSelector(".evaluation.proven");
  assert.ok(await page.isEnabled('button:has-text("Prove")'), "for the line");
});

test("what is proven is said everywhere: bar, lines and arrows", async () => {
  const page = await open("#analyse?board=5x5");
  await page.waitForSelector('.evaluation.proven[aria-label="Proven: Black wins"]');
  await page.waitForFunction(() => {
    const texts = (/** @type {string} */ selector) =>
      [...document.querySelectorAll(selector)].map((one) => one.textContent ?? "");
    const [scores, labels] = [texts(".lines .score"), texts(".over .tag")];
    return (
      scores.length > 1 &&
      scores.every((text) => /^Black (wins|in \d+)$/.test(text)) &&
      labels.length > 1 &&
      labels.every((text) => /^B\d*$/.test(text))
    );
  });
  // Of Black's replies, the winning ones are named and no other.
  await click(page, "b2");
  await click(page, "b3");
  await page.waitForFunction(() =>
    /^Black (wins|in \d+)$/.test(document.querySelector(".lines .score")?.textContent ?? ""),
  );
});

test("the proof of a board is loaded once, and says who wins from then on", async () => {
  const page = await open("#analyse?board=6x6");
  // The opening book knows the move that wins: bar, card and arrows say so.
  await page.waitForSelector('.evaluation.proven[aria-label="Proven: White wins"]');
  await page.waitForSelector('.proof-card.proven:has-text("against any defence, by a2b3")');
  const frame = () => {
    const bar = document.querySelector(".evaluation") ?? document.body;
    return getComputedStyle(bar, "::after").borderLeftWidth;
  };
  assert.equal(await page.evaluate(frame), "3px", "above what moves inside");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".over .tag")].some((one) =>
      /^W\d*$/.test(one.textContent ?? ""),
    ),
  );
  await panel(page, "explorer");
  await page.waitForSelector('.explorer tr[data-move="a2b3"] .proven');
  await page.waitForSelector('.explorer tr[data-move="c2c3"]:has-text("not known")');
  await page.click('[aria-label="Import a game or position"]');
  const file = fileURLToPath(new URL("../../../docs/certificates/6x6.proof", import.meta.url));
  await page.setInputFiles("dialog input[type=file]", file);
  await page.waitForSelector('.notice:has-text("Proof of 6×6 loaded: White wins, ")');
  await page.waitForSelector('.proof-card.proven:has-text("Proven: White wins")');
  await page.waitForSelector('.evaluation.proven[aria-label="Proven: White wins"]');
  await page.reload();
  await page.waitForSelector('.proof-card.proven:has-text("Proven: White wins")');
  // The move of the proof, and any reply.
  for (const [from, to] of [
    ["a2", "b3"],
    ["f5", "f4"],
  ]) {
    await mayMove(page);
    await click(page, from);
    await click(page, to);
    await page.waitForSelector('.proof-card.proven:has-text("Proven: White wins")');
  }
  await page.waitForFunction(() => document.querySelectorAll(".moves .proven").length >= 2);
  await panel(page, "board");
  await page.waitForSelector('.proofs li:has-text("Proof of 6×6: White wins, ")');
  await page.click('[aria-label="Forget the proof of 6×6"]');
  await page.waitForSelector(".proofs", { state: "hidden" });
  // The opening book knows it, too.
  await page.keyboard.press("Home");
  await page.waitForSelector('.proof-card.proven:has-text("against any defence, by a2b3")');
});

test("what nothing but a proof says is an estimate again without it", async () => {
  const page = await open("#analyse?board=5x6");
  const isMarked = page.locator('.moves [data-node="1"] .proven');
  await page.waitForSelector(".lines li");
  assert.equal(await page.locator(".proof-card.proven").count(), 0);
  await page.click('[aria-label="Import a game or position"]');
  const file = fileURLToPath(new URL("../../../docs/certificates/5x6.proof", import.meta.url));
  await page.setInputFiles("dialog input[type=file]", file);
  await mayMove(page);
  const said = await page.textContent('.proof-card.proven:has-text("any defence, by ")');
  for (const square of /by (\w\d)(\w\d)/.exec(said ?? "")?.slice(1) ?? [])
    await click(page, square);
  await isMarked.waitFor({ state: "attached" });
  await panel(page, "board");
  await page.click('[aria-label="Forget the proof of 5×6"]');
  await isMarked.waitFor({ state: "detached" });
  await page.click('.notice button:has-text("Undo")');
  await isMarked.waitFor({ state: "attached" });
  await page.click('[aria-label="Forget the proof of 5×6"]');
  await isMarked.waitFor({ state: "detached" });
});

test("proofs of boards of more than 40 squares are read, too", async () => {
  const page = await open("#analyse?board=6x6");
  await page.click('[aria-label="Import a game or position"]');
  const file = fileURLToPath(new URL("../../../docs/certificates/9x5.proof", import.meta.url));
  await page.setInputFiles("dialog input[type=file]", file);
  await page.click(
    '.notice:has-text("Proof of 9×5 loaded: Black wins, ") button:has-text("Show the board")',
  );
  await page.waitForSelector('.proof-card.proven:has-text("Proven: Black wins")');
  // Every move loses, and the explorer says so at once.
  await panel(page, "explorer");
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll(".explorer tbody tr td:nth-child(2)")];
    return rows.length > 20 && rows.every(({ textContent }) => textContent === "Black wins");
  });
});

test("a proof beside the page is loaded by a button", async () => {
  const page = await open("#analyse?board=5x6");
  const certificate = (/** @type {string} */ name) =>
    fileURLToPath(new URL(`../../../docs/certificates/${name}`, import.meta.url));
  const there = [
    { name: "5x6.proof", board: "5x6", bytes: 85655 },
    { name: "6x6.proof", board: "6x6", bytes: 5949339 },
  ];
  await page.route("**/certificates.json", (route) => route.fulfill({ json: there }));
  await page.route("**/certificates/5x6.proof", (route) =>
    route.fulfill({ path: certificate("5x6.proof") }),
  );
  await page.route("**/certificates/6x6.proof", (route) => route.fulfill({ body: "no proof" }));
  await panel(page, "board");
  const offers = page.locator('.proofs li:has(button:has-text("Load"))');
  await page.waitForSelector('.proofs li:has-text("There is a proof of 5×6 (86 kB).")');
  assert.equal(await offers.count(), 1, "that of the board shown");
  // What lies there ready is not searched for.
  await page.click('button:has-text("Prove")');
  await page.waitForSelector('.notice:has-text("Proof of 5×6 loaded: ")');
  await page.waitForSelector('.proof-card.proven:has-text("Proven: White wins")');
  await page.click('[aria-label^="Forget"]');
  await offers.getByRole("button").click();
  await page.waitForSelector('.notice:has-text("Proof of 5×6 loaded: ")');
  await page.waitForSelector('.proofs li:has-text("Proof of 5×6: ")');
  assert.equal(await offers.count(), 0);
  // What is no proof says so, and the offer stays.
  await page.selectOption(".board-part select", "6x6");
  await page.click('button:has-text("New analysis")');
  await panel(page, "board");
  await page.click('.proofs li:has-text("proof of 6×6 (5.9 MB)") button');
  await page.waitForSelector('.notice:has-text("Only short certificates (version 2)")');
  assert.equal(await offers.count(), 1);
  await page.selectOption(".board-part select", "8x8");
  await page.click('button:has-text("New analysis")');
  await panel(page, "board");
  await offers.waitFor({ state: "detached" });
});

test("a proof that one tab loads or forgets is known in the others", async () => {
  const page = await open("#analyse?board=5x6");
  const other = await it.context.newPage();
  await other.goto(`${it.address}#analyse?board=5x6`);
  const isProven = other.locator('.proof-card.proven:has-text("Proven: White wins")');
  await other.waitForSelector(".lines li");
  assert.equal(await isProven.count(), 0);
  const file = fileURLToPath(new URL("../../../docs/certificates/5x6.proof", import.meta.url));
  await page.click('[aria-label="Import a game or position"]');
  await page.setInputFiles("dialog input[type=file]", file);
  await isProven.waitFor();
  await panel(page, "board");
  await panel(other, "board");
  await other.waitForSelector('.proofs li:has-text("Proof of 5×6")');
  await page.click('[aria-label="Forget the proof of 5×6"]');
  await other.waitForSelector(".proofs", { state: "hidden" });
  await isProven.waitFor({ state: "hidden" });
  await other.close();
});

test("the graph leaves open what is not known", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3.b7b6.c2c3.c7c6.d2d3.d7d6");
  await page.waitForSelector(".lines li");
  await page.keyboard.press("Home");
  await page.waitForFunction(
    () =>
      document.querySelectorAll(".graph .curve").length === 2 &&
      document.querySelector(".lines li"),
  );
  const widths = await page
    .locator(".graph .known")
    .evaluateAll((parts) => parts.map((part) => Number(part.getAttribute("width"))));
  assert.deepEqual(widths, [0, 0], "two points are known, and nothing between them");
});

test("a proof looks different from an opinion", async () => {
  const page = await open("#analyse?board=4x5");
  await page.waitForSelector(".lines li");
  await page.click('button:has-text("Prove")');
  await page.waitForSelector('.proof-card.proven:has-text("Proven: Black wins")');
  await page.waitForSelector(".evaluation.proven");
  await page.click('button:has-text("Add the line")');
  await page.waitForSelector(".move .proven");
  await panel(page, "board");
  await page.selectOption(".board-part select", "8x8");
  await page.click('button:has-text("New analysis")');
  await page.click('button:has-text("Prove")');
  await page.waitForFunction(() =>
    /nodes/.test(document.querySelector(".proof-card")?.textContent ?? ""),
  );
  await page.click('.proof-card button:has-text("Stop")');
  await page.waitForFunction(() =>
    /Not proven/.test(document.querySelector(".proof-card")?.textContent ?? ""),
  );
  assert.equal(await page.locator(".proof-card.proven").count(), 0);
});

test("a game goes on while a proof is looked for", async () => {
  const page = await open("#analyse?board=8x8");
  await page.waitForSelector(".lines li");
  await page.click('button:has-text("Prove")');
  await page.waitForFunction(() =>
    /nodes/.test(document.querySelector(".proof-card")?.textContent ?? ""),
  );
  await mayMove(page);
  for (const square of ["c2", "c3"]) await click(page, square);
  await page.waitForFunction(
    () =>
      document.querySelectorAll(".moves > .move").length === 1 &&
      !document.querySelector(".lines li"),
  );
  await show(page, "play");
  await page.click('button:has-text("Start")');
  await mayMove(page);
  for (const square of ["c2", "c3"]) await click(page, square);
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length === 2);
  await show(page, "analyse");
  await page.click('.proof-card button:has-text("Stop")');
  await page.waitForFunction(() =>
    /Stopped/.test(document.querySelector(".proof-card")?.textContent ?? ""),
  );
  await page.waitForSelector(".lines li");
});

test("threats and values of pieces", async () => {
  const page = await open("#analyse?board=8x8&moves=b2b3.b7b6");
  await page.click('button:has-text("Threat")');
  await page.waitForSelector(".arrow.threat");
  await page.click('button:has-text("Values")');
  await page.waitForFunction(() => document.querySelectorAll(".board .value").length === 32);
  await panel(page, "board");
  await page.click('button:has-text("Play from here")');
  await page.waitForSelector(".game-card");
  await page.waitForSelector(".arrow.threat", { state: "detached" });
  await page.click('.actions button:has-text("Threat")');
  await page.waitForSelector(".arrow.threat");
  assert.equal(await page.locator(".board .value").count(), 0, "a game shows no values");
  await page.click('button:has-text("Resign")');
  await page.click('button:has-text("Yes, resign")');
  await page.waitForSelector(".arrow.threat", { state: "detached" });
});

test("a review, interrupted and gone on with", async () => {
  const page = await open("#analyse?board=6x6&moves=b2b3.a5a4.b3a4.b5a4.c2d3.e5d4");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 6);
  await panel(page, "review");
  await typeOver(page.locator(".review-card input"), "0.4");
  await page.click('button:has-text("Review the game")');
  await page.waitForSelector(".sums td");
  await page.click('.review-card button:has-text("Stop")');
  await page.waitForSelector('button:has-text("Continue the review")');
  await page.click('button:has-text("Continue the review")');
  await page.waitForSelector('button:has-text("Review again")');
  assert.match(
    (await page.textContent(".sums")) ?? "",
    /Accuracy.*Inaccuracies.*Mistakes.*Blunders.*Missed wins/,
  );
  await page.click('[aria-label="Next mistake"]');
  await page.waitForSelector(".badge");
  assert.equal(await page.locator(".graph .curve").count(), 1);
});

test("a missed win is seen", async () => {
  const page = await open("#analyse?fen=8/8/3P4/8/8/2p5/PP6/8_w_0_1&moves=a2a3.c3c2");
  await panel(page, "review");
  await typeOver(page.locator(".review-card input"), "0.05");
  await page.click('button:has-text("Review the game")');
  await panel(page, "moves");
  await page.waitForSelector(".move.missed");
});

test("mistakes are asked once more", async () => {
  const page = await open("#analyse?fen=8/8/3P4/8/8/2p5/PP6/8_w_0_1&moves=a2a3.c3c2");
  await panel(page, "review");
  await typeOver(page.locator(".review-card input"), "0.1");
  await page.click('button:has-text("Review the game")');
  await page.click('button:has-text("Learn from White’s mistakes")');
  const card = page.locator(".practice-card");
  const words =
    /a2a3 was a blunder and gave a win away: Black wins in \d moves?, whatever you do: \S+ answers it. Find/;
  await card.getByText(words).waitFor();
  await page.waitForSelector(".over .arrow.threat");
  await mayMove(page);
  assert.equal(await page.locator(".lines li").count(), 0, "the engine gives nothing away");
  for (const square of ["a2", "b3"]) await click(page, square);
  // The engine's reply refutes it on the board.
  await card
    .getByText(
      /a2b3 is not the best move: .+ answers it(, and White’s chance falls from \d+% to \d+%)?\.$/,
    )
    .waitFor();
  // All buttons are in one row.
  const tops = await card
    .locator("button:visible")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  assert.deepEqual([tops.length, new Set(tops).size], [3, 1]);
  await card.getByRole("button", { name: "Try again" }).click();
  await mayMove(page);
  await card.getByText(/a2b3 is not the best move: .+ Find a better move for White\./).waitFor();
  for (const square of ["a2", "b3"]) await click(page, square);
  await card.getByRole("button", { name: "Try again" }).waitFor();
  // A click on the board does so as well.
  for (const square of ["d6", "d7"]) await click(page, square);
  await card.getByText(/^Right\. d6d7 is (the best move|good)/).waitFor();
  await card.getByText("0 of 1 on the first try.").waitFor();
  await page.waitForSelector(".lines li");
  assert.equal((await movesOf(page)).length, 2, "the game is as it was");
  await card.getByRole("button", { name: "Done" }).click();
  await card.waitFor({ state: "hidden" });
});

test("a position is set up, and refused where it is none", async () => {
  const page = await open("#analyse?board=5x5");
  await panel(page, "board");
  await page.click('button:has-text("Set up a position")');
  await page.evaluate(() => document.querySelector(".brushes")?.setAttribute("data-old", ""));
  await page.click('button:has-text("Cancel")');
  await page.click('button:has-text("Set up a position")');
  assert.equal(await page.locator(".brushes[data-old]").count(), 1, "made once");
  assert.ok(await page.isHidden(".evaluation"));
  const focus = () =>
    page.evaluate(
      () =>
        document.activeElement?.getAttribute("aria-label") ??
        /** @type {HTMLInputElement | null} */ (document.activeElement)?.value,
    );
  assert.equal(await focus(), "White piece");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector('[aria-label="Black piece"][aria-pressed="true"]');
  assert.equal(await focus(), "Black piece", "the keyboard stays at the brush");
  await page.locator('.panel input[value="w"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector('.panel input[value="b"]:checked', { state: "attached" });
  assert.equal(await focus(), "b");
  await page.keyboard.press("ArrowLeft");
  await page.click('[aria-label="White piece"]');
  const files = page.locator(".panel input[type=number]").first();
  await typeOver(files, "6");
  await page.keyboard.press("Tab");
  await page.waitForFunction(
    () => document.querySelectorAll(".stage [role=gridcell]").length === 30,
  );
  assert.equal(await focus(), "5", "the field of the ranks");
  await typeOver(files, "5");
  await page.click('button:has-text("Clear")');
  await page.click('button:has-text("Analyse it")');
  await page.waitForFunction(() =>
    /refuses/.test(document.querySelector(".panel .error")?.textContent ?? ""),
  );
  await click(page, "c4");
  await page.click('[aria-label="Black piece"]');
  await click(page, "a3");
  // A text that is still being typed comes before the click that follows it.
  const text = await page.inputValue('[aria-label="Position as FEN"]');
  await page.locator('[aria-label="Position as FEN"]').focus();
  await page.keyboard.press("End");
  await page.keyboard.type("0");
  await click(page, "a4");
  assert.equal(
    await page.getAttribute('.stage [data-square="a4"]', "aria-label"),
    "a4 black piece",
  );
  await page.keyboard.press("Tab");
  await click(page, "a4");
  assert.equal(await page.inputValue('[aria-label="Position as FEN"]'), `${text}0`);
  await page.click('button:has-text("Analyse it")');
  // The rules say who wins at once, the engine in how many moves.
  await page.waitForSelector('.score.proven:has-text("White in 1")');
});

test("while a position is set up, keys and buttons leave the game alone, and a text that is none is kept", async () => {
  const page = await open("#analyse?board=5x5&moves=b2b3.a4a3");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 2);
  await panel(page, "board");
  await page.click('button:has-text("Set up a position")');
  await page.keyboard.press("ArrowLeft");
  await page.click('[aria-label^="First position"]');
  await typeOver(page.locator('[aria-label="Position as FEN"]'), "ppp/5/5/5/PPPPP w");
  await page.keyboard.press("Tab");
  await page.getByText("Row 2 has 5 squares, row 1 has 3.").waitFor();
  assert.equal(await page.inputValue('[aria-label="Position as FEN"]'), "ppp/5/5/5/PPPPP w");
  await page.click('button:has-text("Analyse it")');
  assert.ok(await page.isVisible(".brushes"), "another position would come as a surprise");
  await page.click('[aria-label="Share or save"]');
  assert.equal(await page.locator("dialog .copy").count(), 1, "the game is not what is shown");
  await page.keyboard.press("Escape");
  await page.click('button:has-text("Cancel")');
  await page.waitForFunction(() =>
    document.querySelector(".move[aria-current]")?.textContent?.startsWith("a4a3"),
  );
});

test("a review can be stopped beside another game", async () => {
  const page = await open("#analyse?board=6x6&moves=b2b3.a5a4.b3a4");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 3);
  await panel(page, "review");
  await typeOver(page.locator(".review-card input"), "30");
  await page.click('button:has-text("Review the game")');
  await panel(page, "board");
  await page.click('button:has-text("New analysis")');
  await page.getByText("The engine is busy with the review.").waitFor();
  await panel(page, "review");
  await page.click('.review-card button:has-text("Stop")');
  await page.waitForSelector(".lines li");
});

test("two engines play each other", async () => {
  const { page } = it;
  await show(page, "watch");
  await page.selectOption(".side select", "5x5");
  await typeOver(page.locator(".side input[type=number] >> nth=0"), "0.1");
  await page.click('button:has-text("Start")');
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length > 3);
  await page.click('button:has-text("Pause")');
  await page.waitForFunction(() =>
    /Paused/.test(document.querySelector(".side .state")?.textContent ?? ""),
  );
  await page.click('button:has-text("Resume")');
  await page.waitForSelector(".side .result");
});
