import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import {
  boxOf,
  CHROMIUM_ONLY,
  click,
  kept,
  mayMove,
  moves,
  movesOf,
  openPage,
  PHONE,
  panel,
  settled,
  show,
  targetOf,
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

/**
 * @param {{board?: string, level?: string, side?: string, clock?: boolean, seconds?: string}}
 * [game]
 */
async function start({
  board = "5x5",
  level = "First steps",
  side = "White",
  clock = false,
  seconds = "0.1",
} = {}) {
  const { page } = it;
  if (!(await page.isVisible("text=You play")))
    await page.click('.actions button:has-text("New game")');
  await page.selectOption(".side select", board);
  await page.click(`.segment span:text-is("${side}")`);
  await page.locator(`.levels label:has-text("${level}") input`).check({ force: true });
  await page.click(`.segment span:text-is("${clock ? "Clock" : "No clock"}")`);
  if (!clock) await typeOver(page.locator("input[type=number]"), seconds);
  await page.click('button:has-text("Start")');
  await page.waitForSelector(".game-card");
}

const yourTurn = () =>
  it.page.waitForFunction(
    () =>
      document.querySelector(".state .result") ||
      (document.querySelector(".state")?.textContent?.includes("your turn") &&
        document.querySelector(".stage .board:not(.ahead) .pieces.movable")),
  );
const isOver = () => it.page.isVisible(".state .result");
/** Squares of the person's pieces. */
const ownPieces = () =>
  it.page
    .locator(".stage .pieces.movable")
    .evaluateAll((pieces) => pieces.map((one) => one.getAttribute("data-pieces")));

test("a game to its end by clicks at the lowest level", async () => {
  const { page } = it;
  await start();
  await yourTurn();
  for (let ply = 0; ply < 60 && !(await isOver()); ply++) {
    const own = await ownPieces();
    // The foremost piece moves on; that ends every game.
    const piece = own.sort((a, b) => Number(b?.slice(1)) - Number(a?.slice(1)))[0];
    await click(page, piece ?? "");
    const target = await targetOf(page);
    const before = (await movesOf(page)).length;
    await click(page, target);
    await page.waitForFunction(
      (count) => document.querySelectorAll(".side .moves > .move").length > count,
      before,
    );
    await yourTurn();
  }
  assert.match(
    (await page.textContent(".state .result")) ?? "",
    /(1–0|0–1)You (won|lost): a piece reached the far side/,
  );
  assert.match((await page.textContent("[role=status]")) ?? "", /wins/);
  await page.evaluate(() => document.querySelector(".game-card")?.setAttribute("data-old", ""));
  await page.click('.actions button:has-text("Rematch")');
  await page.waitForSelector(".state:has-text('your turn')");
  assert.equal((await movesOf(page)).length, 1, "petard has White now and has moved");
  assert.equal(
    await page.locator(".game-card[data-old]").count(),
    1,
    "the next game is shown where the last one was",
  );
});

test("White's first move starts the game", async () => {
  const page = await it.fresh("");
  await page.waitForSelector(".board.ahead .pieces.movable");
  for (const square of ["c2", "d3"]) await click(page, square);
  await moves(page, 2);
  assert.equal((await movesOf(page))[0], "c2d3");
});

test("a game to its end by the keyboard alone", async () => {
  const { page } = it;
  await start();
  await yourTurn();
  /** @param {string} square */
  const walkTo = async (square) => {
    for (let step = 0; step < 20; step++) {
      const at = await page.evaluate(
        () => document.activeElement?.getAttribute("data-square") ?? "",
      );
      if (at === square) return;
      const [file, rank] = [
        square.charCodeAt(0) - at.charCodeAt(0),
        Number(square.slice(1)) - Number(at.slice(1)),
      ];
      await page.keyboard.press(
        file ? (file > 0 ? "ArrowRight" : "ArrowLeft") : rank > 0 ? "ArrowUp" : "ArrowDown",
      );
    }
    assert.fail(`the cursor does not come to ${square}`);
  };
  // From the top: past its end, Firefox's own buttons would have the focus.
  await page.focus(".skip");
  for (
    let tabs = 0;
    tabs < 30 && !(await page.evaluate(() => document.activeElement?.hasAttribute("data-square")));
    tabs++
  )
    await page.keyboard.press("Tab");
  assert.ok(
    await page.evaluate(() => document.activeElement?.hasAttribute("data-square")),
    "Tab comes to the board",
  );
  for (let ply = 0; ply < 60 && !(await isOver()); ply++) {
    const own = await ownPieces();
    await walkTo(own.sort((a, b) => Number(b?.slice(1)) - Number(a?.slice(1)))[0] ?? "");
    await page.keyboard.press("Enter");
    const target = await targetOf(page);
    const before = (await movesOf(page)).length;
    await walkTo(target);
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      (count) => document.querySelectorAll(".side .moves > .move").length > count,
      before,
    );
    await yourTurn();
  }
  assert.ok(await isOver());
});

test("take back, hint, a typed move, resign", async () => {
  const { page } = it;
  await start({ board: "8x8" });
  await yourTurn();
  assert.ok(await page.isDisabled('button:has-text("Take back")'));
  await page.keyboard.press("m");
  await page.keyboard.type("b2-b3");
  await page.keyboard.press("Enter");
  await moves(page, 2);
  await yourTurn();
  await page.click('button:has-text("Take back")');
  await moves(page, 0);
  assert.equal(await page.getAttribute('[data-square="b2"]', "aria-label"), "b2 white piece");
  await page.click('button:has-text("Hint")');
  await page.waitForSelector(".arrow.hint");
  await show(page, "watch");
  await page.waitForSelector(".arrow.hint", { state: "detached" });
  await show(page, "play");
  await page.fill(".entry", "a2a8");
  await page.press(".entry", "Enter");
  assert.match((await page.textContent(".notice")) ?? "", /not possible/);
  const focused = () =>
    page.evaluate(
      () =>
        document.activeElement?.getAttribute("data-square") ?? document.activeElement?.textContent,
    );
  await page.focus('button:has-text("Resign")');
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Yes, resign");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Resign");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  assert.match((await page.textContent(".state .result")) ?? "", /0–1You resigned\. Black wins\./);
  assert.equal(await focused(), "Rematch");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".state .result", { state: "detached" });
  assert.match((await focused()) ?? "", /^[a-h][1-8]$/);
});

test("a move typed at an earlier position, or for petard, is not swallowed", async () => {
  const { page } = it;
  await start({ board: "8x8" });
  await yourTurn();
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 2);
  await page.keyboard.press("Home");
  await page.fill(".entry", "b2b3");
  await page.press(".entry", "Enter");
  await page.waitForSelector('.notice:has-text("b2b3 is not possible here.")');
  assert.equal(await page.inputValue(".entry"), "b2b3");
  await page.click('button:has-text("Back to the game")');
  await page.press(".entry", "Enter");
  await moves(page, 4);
  assert.equal(await page.inputValue(".entry"), "");
});

test("a new game that is not begun leaves the old one alone", async () => {
  const { page } = it;
  await start({ board: "8x8" });
  await yourTurn();
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 2);
  await page.click('.actions button:has-text("New game")');
  await page.keyboard.press("u");
  await page.click('button:has-text("Cancel")');
  assert.equal((await movesOf(page)).length, 2);
  await page.click('.actions button:has-text("New game")');
  await show(page, "watch");
  await show(page, "play");
  await page.locator(".side select").focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(
    () => document.querySelectorAll(".stage [role=gridcell]").length === 49,
  );
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(
    () => document.querySelectorAll(".stage [role=gridcell]").length === 36,
  );
  await show(page, "watch");
  assert.equal(await page.inputValue(".side select"), "6x6", "the menu there says the same");
  await show(page, "analyse");
  await panel(page, "board");
  await page.click('button:has-text("Play from here")');
  await page.waitForSelector(".game-card");
});

test("a game goes on while another is set up, and is shown as it is after that", async () => {
  const { page } = it;
  await start({ board: "8x8", seconds: "2" });
  await yourTurn();
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 1);
  await page.click('.actions button:has-text("New game")');
  await kept(page, "play", 2);
  await page.click('[aria-label^="First position"]');
  await page.click('button:has-text("Cancel")');
  await moves(page, 2);
  await yourTurn();
});

test("a piece picked or dragged stays so when petard moves", async () => {
  const { page } = it;
  await start({ board: "8x8", level: "Full strength", seconds: "1" });
  await yourTurn();
  for (const square of ["c2", "c3"]) await click(page, square);
  const [from, to] = [await boxOf(page, "g2"), await boxOf(page, "g3")];
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 3 });
  await moves(page, 2);
  await yourTurn();
  await page.mouse.up();
  await moves(page, 3);
  await click(page, "a2");
  await moves(page, 4);
  await yourTurn();
  await click(page, "a3");
  await moves(page, 5);
  assert.deepEqual(
    (await movesOf(page)).filter((_, ply) => ply % 2 === 0),
    ["c2c3", "g2g3", "a2a3"],
  );
});

test("drag, and let go where it cannot go", async () => {
  const { page } = it;
  await start({ board: "8x8" });
  await yourTurn();
  const drag = async (from, to) => {
    const [a, b] = [await boxOf(page, from), await boxOf(page, to)];
    await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
    await page.mouse.down();
    await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 6 });
    await page.mouse.up();
  };
  await drag("c2", "c5");
  assert.equal((await movesOf(page)).length, 0);
  assert.equal(await page.getAttribute('[data-square="c2"]', "aria-label"), "c2 white piece");
  // An arrow drawn in a game takes no focus, and is gone with the position.
  await page.mouse.down({ button: "right" });
  const aim = await boxOf(page, "e5");
  await page.mouse.move(aim.x + 9, aim.y + 9, { steps: 3 });
  await page.mouse.up({ button: "right" });
  await page.waitForSelector(".over .arrow.mine");
  assert.equal(await page.evaluate(() => document.activeElement?.closest(".board")), null);
  await drag("c2", "d3");
  await page.waitForSelector(".over .arrow.mine", { state: "hidden" });
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length > 0);
  assert.equal((await movesOf(page))[0], "c2d3");
});

test("the right button ends a drag", async () => {
  const { page } = it;
  await start({ board: "8x8" });
  await yourTurn();
  const box = await boxOf(page, "c2");
  const place = () => page.getAttribute('.stage [data-pieces="c2"]', "transform");
  const before = await place();
  await page.mouse.move(box.x + 9, box.y + 9);
  await page.mouse.down();
  await page.mouse.move(box.x + 9, box.y - 50, { steps: 3 });
  await page.mouse.down({ button: "right" });
  await page.mouse.up();
  await page.mouse.up({ button: "right" });
  await page.mouse.move(box.x + 90, box.y - 90, { steps: 3 });
  assert.equal(await place(), before);
  await page.keyboard.press("Escape");
});

test("a piece that is picked is dropped by Escape, wherever the focus is, and by a new game", async () => {
  const { page } = it;
  await start({ board: "8x8" });
  await yourTurn();
  const picked = page.locator(".stage [aria-selected=true]");
  await click(page, "c2");
  assert.equal(await picked.count(), 1);
  await page.focus('button:has-text("Hint")');
  await page.keyboard.press("Escape");
  assert.equal(await picked.count(), 0);
  await click(page, "c2");
  assert.equal(await picked.count(), 1);
  await start({ board: "8x8" });
  await yourTurn();
  assert.equal(await picked.count(), 0);
  // One that is dragged goes back, and stays there.
  const [from, to] = [await boxOf(page, "c2"), await boxOf(page, "c3")];
  await page.mouse.move(from.x + 9, from.y + 9);
  await page.mouse.down();
  await page.mouse.move(to.x + 9, to.y + 9, { steps: 3 });
  await page.waitForSelector('.pieces.lifted[data-pieces="c2"]');
  await page.keyboard.press("Escape");
  await page.waitForSelector(".pieces.lifted", { state: "detached" });
  await page.mouse.up();
  assert.equal(await picked.count(), 0);
  assert.equal((await movesOf(page)).length, 0);
});

test("a click without a pointer, as a screen reader makes it, picks a piece and moves it", async () => {
  const { page } = it;
  await start({ board: "8x8" });
  await yourTurn();
  for (const square of ["c2", "c3"])
    await page.dispatchEvent(`.stage [data-square="${square}"]`, "click");
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length > 0);
  assert.equal((await movesOf(page))[0], "c2c3");
});

test("a move for later is shown, dropped, and made when its turn comes", async () => {
  const { page } = it;
  await start({ board: "8x8", level: "Full strength", seconds: "300" });
  await yourTurn();
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 1);
  for (const square of ["a2", "a3"]) await click(page, square);
  await page.waitForFunction(() => document.querySelectorAll(".mark.planned").length === 2);
  assert.match((await page.textContent(".state")) ?? "", /Premove: a2a3/);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".mark.planned"));
  await page.click('button:has-text("Resign")');
  await page.click('button:has-text("Yes, resign")');
  await start({ board: "8x8", level: "Full strength", seconds: "2" });
  await yourTurn();
  for (const square of ["c2", "c3"]) await click(page, square);
  // petard's move may come between the two clicks: then click again.
  while ((await movesOf(page)).length < 3) {
    for (const square of ["a2", "a3"]) await click(page, square);
    await page.waitForFunction(
      () =>
        document.querySelectorAll(".side .moves > .move").length >= 3 ||
        (!document.querySelector(".mark.planned") &&
          document.querySelector(".stage .board:not(.ahead) .pieces.movable")),
    );
  }
  const played = await movesOf(page);
  assert.deepEqual([played[0], played[2]], ["c2c3", "a2a3"]);
});

test("a game with clocks, the person has Black", async () => {
  const { page } = it;
  await start({ board: "6x6", side: "Black", clock: true });
  await yourTurn();
  assert.equal((await movesOf(page)).length, 1);
  const clock = page.locator(".strip.bottom .clock");
  assert.match((await clock.textContent()) ?? "", /^[45]:\d\d$/);
  await page.waitForFunction(() =>
    /^4:/.test(document.querySelector(".strip.bottom .clock")?.textContent ?? ""),
  );
  const top = await boxOf(page, "a1");
  assert.ok(top.y < (await boxOf(page, "a6")).y, "Black is at the bottom");
  const piece = (await ownPieces())[0] ?? "";
  await click(page, piece);
  await page.locator(".stage .target").first().click({ force: true });
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length >= 2);
  await page.click('[aria-label="Share or save"]');
  const pgn = await page.locator('[aria-label="Game (PGN)"]').inputValue();
  assert.match(pgn, /\[TimeControl "300\+5"\]/);
  assert.match(pgn, /1\. \S+ \{\[%clk 0:0[45]:\d\d[^\]]*\]\} 1\.\.\. \S+ \{\[%clk 0:0[45]:\d\d/);
  await page.keyboard.press("Escape");
});

test("a clock that is switched off and on again has the time that was set", async () => {
  const { page } = it;
  await page.click('.actions button:has-text("New game")');
  const minutes = page.getByLabel("Minutes per side");
  const clock = (/** @type {string} */ name) => page.click(`.segment span:text-is("${name}")`);
  await clock("No clock");
  await clock("Clock");
  assert.equal(await minutes.inputValue(), "5");
  await typeOver(minutes, "12");
  await minutes.blur();
  for (const name of ["No clock", "Clock"]) await clock(name);
  assert.equal(await minutes.inputValue(), "12");
  await clock("No clock");
  await page.click('.form button:has-text("Cancel")');
});

test("the buttons below the list of moves stay where they are, and the list fills the height", async () => {
  const { page } = it;
  await start({ board: "8x8", side: "White" });
  await yourTurn();
  const places = [];
  for (const [from, to, count] of /** @type {const} */ ([
    ["a2", "a3", 2],
    ["h2", "h3", 4],
    ["a1", "a2", 6],
  ])) {
    await click(page, from);
    await click(page, to);
    await moves(page, count);
    await yourTurn();
    places.push((await page.locator('button:has-text("Take back")').boundingBox())?.y);
  }
  assert.equal(new Set(places).size, 1, `${places}`);
  // Nor does the list move when an earlier position is looked at.
  const list = () => page.locator(".moves").boundingBox();
  const before = await list();
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector('.state button:has-text("Back to the game")');
  assert.deepEqual(await list(), before);
  await page.keyboard.press("End");
  const bottom = await page
    .locator(".game-card")
    .evaluate((card) => innerHeight - card.getBoundingClientRect().bottom);
  assert.ok(bottom >= 0 && bottom < 60, `${bottom} pixels below the card`);
});

/**
 * A game with clocks that has just been reloaded, White to move after two plies.
 * @param {number} left White's time, in milliseconds
 */
async function withClock(left) {
  const page = await it.fresh("");
  await page.addInitScript((white) => {
    const node = { children: [], comment: "" };
    const fens = [
      "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1",
      "pppppppp/pppppppp/8/8/8/1P6/P1PPPPPP/PPPPPPPP b 1 1",
      "pppppppp/p1pppppp/1p6/8/8/1P6/P1PPPPPP/PPPPPPPP w 2 2",
    ];
    const nodes = fens.map((fen, id) => ({
      ...node,
      ...{ id, fen, ply: id, parent: id ? id - 1 : null, move: [null, "b2b3", "b7b6"][id] },
      children: id < 2 ? [id + 1] : [],
    }));
    const game = {
      ...{ id: "clock", mode: "play", tree: { variant: "breakthrough", nodes }, at: 2 },
      ...{ headers: {}, result: "*", reason: "", flipped: false, created: 1, changed: 1 },
      players: { white: { kind: "person" }, black: { kind: "engine", level: "0" } },
      control: { main: 300000, increment: 5000 },
      clocks: { white, black: 300000 },
    };
    const entry = { id: "clock", mode: "play", white: "", black: "", board: "8x8" };
    localStorage.setItem("petard.game.clock", JSON.stringify(game));
    localStorage.setItem(
      "petard.games",
      JSON.stringify([{ ...entry, result: "*", plies: 2, changed: 1 }]),
    );
    sessionStorage.setItem("petard.tab", JSON.stringify({ view: "play", play: "clock" }));
  }, left);
  await page.reload();
  await moves(page, 2);
  return page;
}

test("a flag falls, or a player resigns: the clock stays at what was left", async () => {
  let page = await withClock(1500);
  await page.waitForSelector('.state .result:has-text("out of time")');
  assert.equal(await page.textContent(".strip.bottom .clock"), "0:00.0");
  page = await withClock(19_000);
  await page.waitForFunction(
    () => Number(document.querySelector(".strip.bottom .clock")?.textContent?.slice(2)) < 18.5,
  );
  await page.click('button:has-text("Resign")');
  await page.click('button:has-text("Yes, resign")');
  await page.waitForSelector(".state .result");
  const left = Number((await page.textContent(".strip.bottom .clock"))?.slice(2));
  assert.ok(left < 18.5, `${left} s`);
});

test("touch on a phone", CHROMIUM_ONLY, async (t) => {
  const phone = await openPage(PHONE);
  t.after(() => phone.close());
  const { page } = phone;
  await page.click('button:has-text("Start")');
  await mayMove(page);
  for (const square of ["e2", "f3"]) {
    const box = await boxOf(page, square);
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  }
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length > 0);
  assert.equal((await movesOf(page))[0], "e2f3");
  await mayMove(page);
  await settled(page);
  const finger = await phone.context.newCDPSession(page);
  const at = async (/** @type {string} */ square) => {
    const box = await boxOf(page, square);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const touch = (/** @type {string} */ type, /** @type {object[]} */ touchPoints) =>
    finger.send("Input.dispatchTouchEvent", { type: /** @type {any} */ (type), touchPoints });
  const [from, to, other] = [await at("a2"), await at("a3"), await at("h2")];
  // Chromium learns a moment after it has drawn them which pieces a finger may drag; until then it
  // scrolls.
  for (const patience of [500, 2000, 10000]) {
    await touch("touchStart", [{ ...from, id: 1 }]);
    for (let step = 1; step <= 4; step++)
      await touch("touchMove", [{ x: from.x, y: from.y + ((to.y - from.y) * step) / 4, id: 1 }]);
    const lifted = await page
      .waitForSelector('.pieces.lifted[data-pieces="a2"]', { timeout: patience })
      .catch(() => null);
    if (lifted) break;
    await touch("touchEnd", []);
    await page.evaluate(() => scrollTo(0, 0));
  }
  await page.waitForSelector('.pieces.lifted[data-pieces="a2"]');
  await touch("touchStart", [
    { ...to, id: 1 },
    { ...other, id: 2 },
  ]);
  await touch("touchEnd", [{ ...to, id: 1 }]);
  await page.waitForFunction(() => document.querySelectorAll(".side .moves > .move").length > 2);
  assert.equal(
    (await movesOf(page))[2],
    "a2a3",
    "a piece is dragged by a finger, whatever another one does",
  );
  await touch("touchEnd", []);
  assert.deepEqual(phone.faults, []);
});
