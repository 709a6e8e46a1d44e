/** From losing a game to learning from it. */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import {
  boxOf,
  click,
  mayMove,
  movesOf,
  openPage,
  panel,
  show,
  targetOf,
  typeOver,
} from "../support/browser.mjs";

/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
before(async () => {
  it = await openPage({ viewport: { width: 1280, height: 720 } });
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

/** Plays the foremost piece until the game is over: that loses quickly. */
async function lose() {
  const { page } = it;
  await show(page, "play");
  if (!(await page.isVisible("text=You play")))
    await page.click('.actions button:has-text("New game")');
  await page.selectOption(".side select", "6x6");
  await page.click('.segment span:text-is("White")');
  await page.locator('.levels label:has-text("Expert") input').check({ force: true });
  await typeOver(page.locator("input[type=number]"), "0.1");
  await page.click('button:has-text("Start")');
  for (let turn = 0; turn < 30; turn++) {
    await page.waitForFunction(
      () =>
        document.querySelector(".state .result") ||
        (document.querySelector(".state")?.textContent?.includes("your turn") &&
          document.querySelector(".stage .board:not(.ahead) .pieces.movable")),
    );
    if (await page.isVisible(".state .result")) return;
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.equal(tall, 720, "the page does not scroll");
    const own = await page
      .locator(".stage .pieces.movable")
      .evaluateAll((pieces) => pieces.map((one) => one.getAttribute("data-pieces") ?? ""));
    await click(page, own.sort((a, b) => Number(b.slice(1)) - Number(a.slice(1)))[0]);
    const target = await targetOf(page);
    const played = (await movesOf(page)).length;
    await click(page, target);
    await page.waitForFunction(
      (count) => document.querySelectorAll(".side .moves > .move").length > count,
      played,
    );
  }
  assert.fail("the game goes on and on");
}

/** Whether all of an element can be seen in the window. @param {string} selector */
const inSight = (selector) =>
  it.page.locator(selector).evaluate((node) => {
    const box = node.getBoundingClientRect();
    const middle = document.elementFromPoint(box.left + box.width / 2, box.top + 12);
    return box.top >= 0 && box.bottom <= innerHeight + 1 && node.contains(middle);
  });

test("a lost game becomes a lesson: what lost it, questions beside the board, and the way on", async () => {
  const { page } = it;
  await lose();
  assert.match((await page.textContent(".state")) ?? "", /You lost: /);
  await page.click('button:has-text("Learn from this game")');
  await page.waitForSelector(".lesson-card progress");
  assert.ok(await inSight(".lesson-card"), "the progress is in sight");
  await page.waitForSelector(".practice-card:not([hidden])");
  const said = (await page.textContent(".lesson-card")) ?? "";
  const [, lost] = /You lost: (\d+)\..* gave it away/.exec(said) ?? [];
  assert.ok(lost, said);
  const question = (await page.textContent(".practice-card .report b")) ?? "";
  const [, of] = /^Question 1 of (\d+)/.exec(question) ?? [];
  const [, count] = /worst of (\d+) mistakes/.exec(question) ?? ["", of];
  for (;;) {
    assert.ok(await inSight(".practice-card"), "the question is in sight");
    assert.ok(await inSight(".board-host"), "and the board");
    assert.equal(await page.textContent(".board-status"), "", "an answer is no line to leave");
    await page.click('.practice-card button:has-text("Show")');
    const next = page.locator(".practice-card .primary:visible");
    const last = (await next.textContent())?.includes("Done");
    await next.click();
    if (last) break;
  }
  await page.waitForSelector('.lesson-card button:has-text("Rematch")');
  assert.ok(await inSight(".lesson-card"));
  const ofWhite = await page
    .locator(".sums tr:not(:first-child, :last-child) td:first-child")
    .allTextContents();
  const marked = ofWhite.reduce((sum, text) => sum + Number(text), 0);
  // Fewer were bad if moves are asked that only hastened the end.
  assert.ok(marked === Number(count) || (marked < 3 && count === of), `${marked}: ${question}`);
  await page.click(`.lesson-card button:has-text("Play on from move ${lost}")`);
  await page.waitForSelector(".game-card .state");
  assert.match((await page.textContent(".state")) ?? "", /your turn/);
});

/** A game in which both sides miss a win, White's first. */
const MISSED =
  '[White "Ann"]\n[Black "Bob"]\n[FEN "8/7p/3P4/8/8/2p5/PP6/8 w 0 1"]\n\n' +
  "1. a2a3 h7h6 2. d6d7 c3c2 3. d7d8 1-0\n";

/** @param {string} text */
async function importGame(text) {
  const { page } = it;
  await page.click('[aria-label="Import a game or position"]');
  await page.fill("dialog textarea", text);
  await page.click("dialog .button.primary");
  await page.waitForSelector("dialog", { state: "hidden" });
}

test("an imported game is offered its review, and the mistakes of whom one chooses: the loser’s at first", async () => {
  const page = await it.fresh("#analyse?board=8x8");
  await panel(page, "review");
  await page.evaluate(() =>
    localStorage.setItem("petard.settings", JSON.stringify({ reviewSeconds: 0.05 })),
  );
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  /** @type {[string | null, RegExp, string][]} */
  const cases = [
    [null, /h7h6 was a blunder.*Find a better move for Black\./, "1"],
    ["White", /a2a3 was a blunder.*Find a better move for White\./, "1"],
    ["Both", /a2a3 was a blunder.*Find a better move for White\./, "2"],
  ];
  for (const [whose, question, count] of cases) {
    await importGame(MISSED);
    await page.waitForSelector(".over .arrow");
    await page.waitForSelector('.proof-card:has-text("White wins against any defence, by")');
    const offer = page.locator(".lesson-card .offer");
    await offer.getByRole("button", { name: "Review the game" }).waitFor();
    assert.ok(await inSight(".lesson-card"));
    assert.equal(await offer.locator("input:checked").getAttribute("value"), "black");
    if (whose) await offer.locator(`.segment:has-text("${whose}")`).click();
    await offer.getByRole("button", { name: "Review the game" }).click();
    await page.locator(".practice-card").getByText(question).waitFor();
    await page.getByText(`Question 1 of ${count}`).waitFor();
    // The engine has seen White's position before; it does not say so.
    await page.waitForSelector(".over .arrow.threat");
    assert.equal(await page.locator(".over .arrow").count(), 1, "the answer is not given away");
    assert.ok(await page.isHidden(".proof-card"), "nor by a proof");
    assert.ok(await inSight(".practice-card"), "as after a game that was played");
    assert.equal(await offer.locator("button").count(), 0);
    if (whose === null) {
      await page.reload();
      await page.locator(".practice-card").getByText(question).waitFor();
      await page.waitForSelector(".over .arrow.threat");
      assert.equal(await page.locator(".over .arrow").count(), 1, "nor by a reload");
      await page.waitForSelector('.lesson-card:has-text("gave it away")');
    }
    await page.click('.practice-card button:has-text("End")');
    const end =
      whose === "White" ? "White’s mistakes are marked" : "Black lost: 1…h7h6 gave it away.";
    await page.waitForSelector(`.lesson-card:has-text("${end}")`);
    // What comes next is not the answer.
    const shown = await page.textContent(".moves [aria-current]");
    assert.match(shown ?? "", whose === null || whose === "Black" ? /h7h6/ : /a2a3/);
    await page.click('.lesson-card button:has-text("Close")');
    await page.waitForSelector(".lesson-card", { state: "hidden" });
    // Among one's own mistakes are those of the same side. That of the first move follows no other.
    await show(page, "puzzles");
    const mine = whose === null ? 1 : whose === "White" ? 0 : 1;
    await page.waitForSelector(`.figures:has-text("Mistakes in reviewed games${mine}")`);
    await show(page, "games");
    await page.click('.games [aria-label^="Delete"]');
    await show(page, "analyse");
  }
});

test("a side that gave up a position that was won did not lose it by a move", async () => {
  const page = await it.fresh("#analyse?board=8x8");
  await importGame('[FEN "8/7p/3P4/8/8/2p5/PP6/8 w 0 1"]\n\n1. a2a3 h7h6 2. d6d7 h6h5 0-1\n');
  await page.click('.offer button:has-text("Review the game")');
  await page.waitForSelector('.lesson-card:has-text("White lost in a position that was won.")');
  await page.click('.practice-card button:has-text("End")');
  await page.click('.lesson-card button:has-text("Play on from there")');
  await page.waitForSelector('.stage [data-pieces="d7"]');
});

test("a game with evaluations, and one of which no review is wanted, is offered none", async () => {
  const page = await it.fresh("#analyse?board=8x8");
  await importGame(MISSED.replace("a2a3", "a2a3 {[%eval -1.5]}"));
  await page.waitForSelector('.notice:has-text("5 moves read.")');
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 5);
  await page.waitForSelector(".lesson-card", { state: "hidden" });
  await importGame(MISSED);
  await page.click('.offer [aria-label="No review"]');
  await page.waitForSelector(".lesson-card", { state: "hidden" });
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 5);
  assert.ok(await page.isHidden(".lesson-card"));
});

test("the first look at a game is at the move that is shown", async () => {
  await it.fresh(
    "#analyse?board=8x8&moves=" +
      "b2b3.b7b6.c2c3.c7c6.d2d3.d7d6.e2e3.e7e6.f2f3.f7f6.g2g3.g7g6.a2a3.a7a6.h2h3.h7h6.b1b2.b8b7.c1c2.c8c7.d1d2.d8d7.e1e2.e8e7.f1f2.f8f7".replaceAll(
        " ",
        "",
      ),
  );
  await it.page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 26);
  await it.page.waitForFunction(() => {
    const list = document.querySelector(".moves")?.getBoundingClientRect();
    const now = document.querySelector(".moves [aria-current]")?.getBoundingClientRect();
    return list && now && now.top >= list.top && now.bottom <= list.bottom + 1;
  });
});

test("the arrow keys work after an arrow was drawn, whose colour the keys choose", async () => {
  const page = await it.fresh("#analyse?board=8x8&moves=b2b3.b7b6");
  await mayMove(page);
  const from = await boxOf(page, "a2");
  const to = await boxOf(page, "b4");
  await page.keyboard.down("Shift");
  await page.mouse.move(from.x + 20, from.y + 20);
  await page.mouse.down({ button: "right" });
  await page.mouse.move(to.x + 20, to.y + 20, { steps: 4 });
  await page.mouse.up({ button: "right" });
  await page.keyboard.up("Shift");
  await page.waitForSelector(".arrow.red");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(
    () => document.querySelector(".moves [aria-current]")?.textContent === "b2b3",
  );
});

test("a dropped piece stays where it was let go", async () => {
  const page = await it.fresh("#analyse?board=8x8");
  await mayMove(page);
  const from = await boxOf(page, "c2");
  const to = await boxOf(page, "d3");
  await page.mouse.move(from.x + 20, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 20, to.y + 20, { steps: 5 });
  // Every place at which the piece is drawn from now on.
  await page.evaluate(() => {
    const seen = /** @type {string[]} */ (/** @type {any} */ ((window.seen = [])));
    const look = () => {
      const piece = document.querySelector('[data-pieces="d3"], [data-pieces="c2"]');
      const box = piece?.querySelector(".body")?.getBoundingClientRect();
      if (box) seen.push(`${Math.round(box.x)} ${Math.round(box.y)}`);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.mouse.up();
  await page.waitForSelector('[data-pieces="d3"]');
  await page.waitForFunction(() => /** @type {any} */ (window).seen.length > 20);
  const seen = await page.evaluate(() => /** @type {any} */ (window).seen);
  const back = await page.evaluate(([x, y]) => {
    const box = document.querySelector('[data-square="c2"]')?.getBoundingClientRect();
    return box && x < box.right - 8 && y > box.top;
  }, seen.at(-1).split(" ").map(Number));
  assert.equal(back, false);
  assert.ok(new Set(seen).size <= 3, `the piece was at ${[...new Set(seen)].join(", ")}`);
});

test("a review is in the game's PGN", async () => {
  const page = await it.fresh("#analyse?board=6x6&moves=b2b3.a5a4.b3a4.b5a4.c2d3.e5d4");
  await page.waitForFunction(() => document.querySelectorAll(".moves > .move").length === 6);
  await panel(page, "review");
  await typeOver(page.locator(".review-card input"), "0.1");
  await page.click('button:has-text("Review the game")');
  await page.waitForSelector('button:has-text("Review again")');
  await page.click('[aria-label="Share or save"]');
  const pgn = await page.inputValue('textarea[aria-label="Game (PGN)"]');
  assert.equal(pgn.match(/\[%eval /g)?.length, 6);
  assert.match(pgn, /\$[246]/);
});
