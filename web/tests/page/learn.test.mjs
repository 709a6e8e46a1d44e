/** The lessons: every position is as the engine proves it, and they are played through on the page. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import test from "node:test";
import { LESSONS } from "../../js/model/lessons.js";
import { ENGINE, OVER_WORKER, openPage, show } from "../support/browser.mjs";

/** An engine beside the page's, to be asked about positions. */
function startEngine() {
  const engine = spawn(ENGINE, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: engine.stdout })[Symbol.asyncIterator]();
  return {
    /** @param {string[]} commands @param {RegExp} last of the lines of the answer */
    async ask(commands, last) {
      engine.stdin.write(`${commands.join("\n")}\n`);
      const heard = [];
      for (;;) {
        const { value } = await lines.next();
        heard.push(value);
        if (last.test(value)) return heard.join("\n");
      }
    },
    async close() {
      const end = once(engine, "exit");
      engine.stdin.end("quit\n");
      await end;
    },
  };
}

test("the moves that win are those that the engine proves", async (t) => {
  if (OVER_WORKER) return t.skip("it needs the binary");
  const { ask, close } = startEngine();
  t.after(close);
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
});

test("lessons are played to the end: a wrong move is refuted, a right one answered until White has won", async (t) => {
  if (OVER_WORKER) return t.skip("it needs the binary");
  const { ask, close } = startEngine();
  t.after(close);
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
  const words = page.locator(".lesson-words");
  for (const [index, { title, tasks }] of LESSONS.entries()) {
    await page.waitForSelector(`.lesson-words h3:text-is("${title}")`);
    for (const [at, { fen, wins }] of tasks.entries()) {
      await page.waitForSelector(`.task-number[aria-current][aria-label="Task ${at + 1}"]`);
      if (index === 1 && !at) {
        await answer("c2d3");
        await words.getByText("c2d3 does not stop it: Black answers").waitFor();
        await page.click('.lesson-words button:has-text("Try again")');
      }
      const moves = [wins[0]];
      await answer(wins[0]);
      for (;;) {
        const place = `position fen ${fen} moves ${moves.join(" ")}`;
        const { outcome } = JSON.parse(await ask([place, "d json"], /^\{/));
        if (outcome) break;
        // What the page shows of Black's answer is the move that was made.
        await page.waitForSelector(".lesson-board .pieces.movable");
        const reply = /Black answers (\S+)\./.exec((await words.textContent()) ?? "")?.[1] ?? "";
        moves.push(reply.replace("x", ""));
        const best = await ask(
          [`position fen ${fen} moves ${moves.join(" ")}`, "go depth 20"],
          /^bestmove/,
        );
        moves.push(/^bestmove (\S+)/m.exec(best)?.[1] ?? "");
        await answer(moves[moves.length - 1]);
      }
      await words.getByText("You won.").waitFor();
      await page.click('.lesson-words button:has-text("Next"), .lesson-words :text("Play a game")');
    }
  }
  await show(page, "learn");
  assert.equal(await page.locator(".lesson-name .icon").count(), LESSONS.length);
  assert.deepEqual(it.faults, []);
});

test("a later task can be done first; it alone is marked, and what was kept before counts", async (t) => {
  const it = await openPage();
  t.after(() => it.close());
  const { page } = it;
  await page.evaluate(() =>
    localStorage.setItem("petard.progress", JSON.stringify({ lessons: { take: 2 }, games: [] })),
  );
  await show(page, "learn");
  await page.click('.task-number:text-is("2")');
  await page.waitForSelector(".lesson-board .pieces.movable");
  for (const square of ["c4", "b5"])
    await page.click(`.lesson-board [data-square="${square}"]`, { force: true });
  await page.getByText("You won.").waitFor();
  assert.deepEqual(
    await page
      .locator(".task-number")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
    ["Task 1", "Task 2, done"],
  );
  await page.reload();
  await page.waitForSelector('.lesson-words h3:text-is("Stepping")');
  await page.waitForSelector('.task-number[aria-current]:text-is("1")');
  assert.deepEqual(await page.locator(".lesson-name:has(.icon) b").allTextContents(), ["Taking"]);
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
  await page.waitForSelector('.tip:has-text("Newcomer has won three times in a row.")');
  await page.click('.tip button:has-text("Try Playmate")');
  assert.ok(await page.locator('.levels label:has-text("Playmate") input').isChecked());
  await show(page, "learn");
  await page.waitForSelector('tr:has(th:text-is("Newcomer")):has(td:text-is("3"))');
  const text = (await page.textContent(".learn")) ?? "";
  assert.match(text, /White in 5 is proven/);
  assert.doesNotMatch(text, /8 × 8/, "a size is not broken into two lines");
  assert.deepEqual(it.faults, []);
});
