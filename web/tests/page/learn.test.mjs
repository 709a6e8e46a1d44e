/** The lessons: every position is as the engine proves it, and they are played through on the page. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import test from "node:test";
import { LESSONS } from "../../js/model/lessons.js";
import { ENGINE, OVER_WORKER, openPage, show } from "../support/browser.mjs";

test("the moves that win are those that the engine proves", async (t) => {
  if (OVER_WORKER) return t.skip("it needs the binary");
  const engine = spawn(ENGINE, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: engine.stdout })[Symbol.asyncIterator]();
  /** @param {string[]} commands @param {RegExp} last */
  const ask = async (commands, last) => {
    engine.stdin.write(`${commands.join("\n")}\n`);
    const heard = [];
    for (;;) {
      const { value } = await lines.next();
      heard.push(value);
      if (last.test(value)) return heard.join("\n");
    }
  };
  for (const { title, tasks } of LESSONS) {
    for (const { fen, wins } of tasks) {
      const { legal } = JSON.parse(await ask([`position fen ${fen}`, "d json"], /^\{/));
      const proven = [];
      for (const move of legal) {
        const position = `position fen ${fen} moves ${move}`;
        const { outcome } = JSON.parse(await ask([position, "d json"], /^\{/));
        const said = outcome
          ? `proof ${outcome.winner} wins`
          : await ask(["go prove"], /^bestmove/);
        const winner = /proof (white|black) wins/.exec(said)?.[1];
        assert.ok(winner, `${title}: ${fen} ${move}: ${said}`);
        if (winner === "white") proven.push(move);
      }
      assert.deepEqual(proven.sort(), [...wins].sort(), `${title}: ${fen}`);
    }
  }
  const end = once(engine, "exit");
  engine.stdin.end("quit\n");
  await end;
});

test("a lesson is played through: a wrong answer is refuted, a right one praised, and it is kept", async (t) => {
  const it = await openPage();
  t.after(() => it.close());
  const { page } = it;
  await show(page, "learn");
  /** @param {string} move */
  const answer = async (move) => {
    await page.waitForSelector(".lesson-board .pieces.movable");
    for (const square of [move.slice(0, 2), move.slice(2)]) {
      const box = await page.locator(`.lesson-board [data-square="${square}"]`).boundingBox();
      assert.ok(box);
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    }
  };
  for (const [index, { title, tasks }] of LESSONS.entries()) {
    if (index > 1) break;
    await page.waitForSelector(`.lesson-words h3:text-is("${title}")`);
    for (const [at, { wins }] of tasks.entries()) {
      if (index === 1 && !at) {
        await answer("c2d3");
        await page.waitForSelector('.lesson-words p:has-text("c2d3 does not win: Black answers")');
        await page.click('.lesson-words button:has-text("Try again")');
      }
      await answer(wins[0]);
      await page.waitForSelector(".lesson-words .right");
      await page.click('.lesson-words button:has-text("Next")');
    }
  }
  await page.reload();
  await page.waitForSelector('.lesson-words h3:text-is("The race")');
  assert.equal(await page.locator(".lesson-name .icon").count(), 2);
  assert.deepEqual(it.faults, []);
});

test("results against the levels are kept, and the level to try next is named", async (t) => {
  const it = await openPage();
  t.after(() => it.close());
  const { page } = it;
  for (const game of [1, 2, 3]) {
    await page.click(game === 1 ? '.form button:has-text("Start")' : 'button:has-text("Rematch")');
    await page.click('.actions button:has-text("Resign")');
    await page.click('button:has-text("Yes, resign")');
    await page.waitForSelector(".state .result");
  }
  await page.click('.actions button:has-text("New game")');
  await page.waitForSelector('.tip:has-text("Casual has won three times in a row.")');
  await page.click('.tip button:has-text("Try Beginner")');
  assert.ok(await page.locator('input[aria-label="Beginner"]').isChecked());
  await show(page, "learn");
  await page.waitForSelector('tr:has(th:text-is("Casual")):has(td:text-is("3"))');
  assert.deepEqual(it.faults, []);
});
