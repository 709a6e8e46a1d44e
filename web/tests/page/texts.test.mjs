import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { moves as count, movesOf, openPage, saved, show } from "../support/browser.mjs";

/** @type {Awaited<ReturnType<typeof openPage>>} */
let it;
before(async () => {
  it = await openPage({ acceptDownloads: true });
  await show(it.page, "analyse");
});
after(async () => {
  await it.close();
  assert.deepEqual(it.faults, []);
});

/** @param {string} text */
async function bring(text) {
  const { page } = it;
  await page.keyboard.press("Escape");
  await page.click('[aria-label="Import a game or position"]');
  await page.fill("textarea.bring", text);
  await page.click('dialog button:has-text("Import")');
}

/** @param {string} text */
async function brought(text) {
  await bring(text);
  await it.page.waitForFunction(() => !document.querySelector("dialog[open]"));
}

/** What the share dialog says. */
async function shared() {
  const { page } = it;
  await page.click('[aria-label="Share or save"]');
  const read = (label) => page.locator(`[aria-label="${label}"]`).inputValue();
  const texts = {
    fen: await read("Position (FEN)"),
    link: await read("Link to this position"),
    pgn: await read("Game (PGN)"),
  };
  await page.keyboard.press("Escape");
  return texts;
}

test("every kind of text, there and back", async () => {
  const { page } = it;
  const pgn =
    '[White "Anna"]\n[Black "Ben"]\n[Variant "breakthrough"]\n\n1. b2b3 {one} b7b6 (1... g7g6 2. g2g3) 2. c2c3 $1 c7c6 *';
  const cases = [
    [pgn, ["b2b3", "b7b6", "c2c3!", "c7c6"]],
    [
      "1. a2a3 {[%clk 0:04:58.5] [%cal Gb2c3]} a7a6 {well [%clk 0:05:01] [%csl Gd4]} *",
      ["a2a3", "a7a6"],
    ],
    ["1. a2-a3 b7-a6 2. h2-g3 a6-b5", ["a2a3", "b7a6", "h2g3", "a6b5"]],
    ["board#8,a2b3b7b6", ["a2b3", "b7b6"]],
    ["https://trmph.com/board#10,a2b3j9j8", ["a2b3", "j9j8"]],
    ["position startpos moves a2a3 a7a6", ["a2a3", "a7a6"]],
    ["8/8/3P4/8/8/2p5/8/8 w 0 1", []],
  ];
  for (const [text, moves] of cases) {
    await brought(String(text));
    await page.keyboard.press("End");
    assert.deepEqual(await movesOf(page), moves, String(text));
    const texts = await shared();
    await brought(texts.pgn);
    await page.keyboard.press("End");
    const again = await shared();
    assert.equal(again.pgn, texts.pgn);
    assert.equal(again.fen, texts.fen);
    assert.equal(again.link, texts.link);
    await page.goto("about:blank");
    await page.goto(texts.link);
    await page.waitForSelector("body[data-ready]");
    await count(page, moves.length);
    assert.equal((await shared()).fen, texts.fen);
  }
});

test("PGN, SVG and PNG as files", async () => {
  const { page } = it;
  await brought("1. a2a3 a7a6 *");
  await page.click('[aria-label="Share or save"]');
  for (const [button, start] of [
    ["PGN", "[Event"],
    ["Picture, SVG", "<svg"],
    ["Picture, PNG", "\x89PNG"],
  ]) {
    const { content } = await saved(page, () => page.click(`dialog button:has-text("${button}")`));
    assert.ok(content.toString("latin1").startsWith(start), button);
    if (button.includes("SVG"))
      assert.ok(
        content.length > 10_000 && !/class=|style=|var\(/.test(content.toString()),
        "it needs no style sheet",
      );
    if (button.includes("PNG")) assert.ok(content.length > 10_000);
  }
  await page.keyboard.press("Escape");
});

test("clock times of a game are shown", async () => {
  const { page } = it;
  await brought("1. a2a3 {[%clk 0:04:58.5]} a7a6 {[%clk 1:02:03]} *");
  await page.keyboard.press("End");
  await page.waitForFunction(
    () =>
      document.querySelector(".strip.bottom .clock")?.textContent === "4:58" &&
      document.querySelector(".strip.top .clock")?.textContent === "62:03",
  );
});

test("of a comment before a variation the words are shown, and its circle is drawn", async () => {
  const { page } = it;
  await brought(
    "1. b2b3 ({[%csl Ga3] why [%eval 0.3] [%emt 0:00:01]} 1. c2c3 g7g6) b7b6 ({[%eval 0.1]} 1... c7c6) *",
  );
  const variation = page.locator(".side .variation");
  assert.equal(await variation.first().locator(".comment").textContent(), "why");
  assert.equal(await variation.nth(1).locator(".comment").count(), 0);
  await variation.first().locator(".move").first().click();
  await page.waitForSelector(".stage .over .circle.mine");
  const { pgn } = await shared();
  for (const part of ["{why [%eval 0.3] [%emt 0:00:01]}", "{[%csl Ga3]}", "{[%eval 0.1]}"])
    assert.ok(pgn.replace(/\s+/g, " ").includes(part), pgn);
});

test("a file with many games offers a choice, and the way from one to the next", async () => {
  const { page } = it;
  await page.click('[aria-label="Import a game or position"]');
  const closed = await page.waitForSelector("dialog ul.games", { state: "attached" });
  await bring(
    '[White "A"]\n[Black "B"]\n\n1. a2a3 a7a6 *\n\n[White "C"]\n[Black "D"]\n\n1. b2b3 *\n',
  );
  await page.waitForSelector('dialog .games button:has-text("C – D")');
  assert.equal(
    await closed.evaluate((list) => list.childElementCount),
    0,
    "the dialog that was closed hears nothing any more",
  );
  await page.click('dialog .games button:has-text("C – D")');
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
  await page.keyboard.press("End");
  assert.deepEqual(await movesOf(page), ["b2b3"]);
  await page.click('[aria-label="Previous game"]');
  await count(page, 2);
  assert.equal(await page.locator(".chapters select").inputValue(), "0");
  assert.ok(await page.isDisabled('[aria-label="Previous game"]'));
  await page.keyboard.press("End");
  await page.fill(".entry", "h2h3");
  await page.press(".entry", "Enter");
  await count(page, 3);
  await page.selectOption(".chapters select", "1");
  await count(page, 1);
  await page.selectOption(".chapters select", "0");
  await count(page, 3);
});

test("of files that are dropped together the games of all are read, or it is said", async () => {
  const { page } = it;
  await page.keyboard.press("Escape");
  const one = (/** @type {string} */ name, move = "a2a3") =>
    `[White "${name}"]\n\n1. ${move} *\n\n`;
  const drop = (/** @type {[string, string][]} */ ...files) =>
    page.evaluate((all) => {
      const dataTransfer = new DataTransfer();
      for (const [name, text] of all) dataTransfer.items.add(new File([text], name));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
    }, files);
  await drop(["a.pgn", one("A")], ["b.pgn", one("B") + one("C", "Nf3")], ["c.txt", "hello"]);
  const rows = page.locator("dialog .games .open");
  await rows.nth(1).waitFor();
  assert.deepEqual(await rows.locator("b").allTextContents(), ["1. A – ?", "2. B – ?"]);
  assert.equal(
    await page.textContent(".notice > span"),
    "b.pgn: One game was left out. Game 2: 'Nf3' is not a move such as a2b3. " +
      "c.txt: Game 1: 'hello' is not a move such as a2b3.",
  );
  await page.setInputFiles(
    "dialog input[type=file]",
    ["D", "E"].map((name) => ({
      name: `${name}.pgn`,
      mimeType: "text/plain",
      buffer: Buffer.from(one(name)),
    })),
  );
  await page.waitForSelector('dialog .games b:has-text("2. E")');
  await page.keyboard.press("Escape");
  await drop(["x.txt", "hello"], ["y.txt", ""]);
  await page.waitForSelector(
    '.notice:has-text("y.txt: Paste a game first, or open a file that has one.")',
  );
  await show(page, "games");
  await page.waitForSelector('.games button:has-text("D.pgn, E.pgn2 games")');
  await show(page, "analyse");
});

test("two quick clicks lead two games on, and open each once", async () => {
  const { page } = it;
  await bring(["A", "B", "C"].map((name) => `[White "${name}"]\n\n1. a2a3 *\n`).join("\n"));
  await page.click("dialog .games .open");
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
  await page
    .locator('[aria-label="Next game"]')
    .evaluate((next) => [1, 2].forEach(() => /** @type {HTMLElement} */ (next).click()));
  await page.waitForFunction(
    () => document.querySelector(".strip.bottom .name")?.textContent === "C",
  );
  assert.equal(await page.locator(".chapters select").inputValue(), "2");
  await page.click('[aria-label="Previous game"]');
  await page.waitForFunction(
    () => document.querySelector(".strip.bottom .name")?.textContent === "B",
  );
});

test("a game of a file that cannot be shown does not stop the way to the next", async () => {
  const { page } = it;
  await bring(
    '[White "A"]\n\n1. a2a3 a7a6 *\n\n[White "B"]\n\n1. a1h8 *\n\n[White "C"]\n\n1. b2b3 *\n',
  );
  await page.click("dialog .games .open");
  await count(page, 2);
  await page.click('[aria-label="Next game"]');
  await page.waitForFunction(
    () =>
      /** @type {HTMLSelectElement | null} */ (document.querySelector(".chapters select"))
        ?.value === "1",
  );
  await page.click('.notice [aria-label="Close"]');
  await page.click('[aria-label="Next game"]');
  await count(page, 1);
  assert.deepEqual(await movesOf(page), ["b2b3"]);
});

test("a dialog closes by a click beside it, not by a selection that ends there", async () => {
  const { page } = it;
  await page.click('[aria-label="Share or save"]');
  await page.click('[aria-label="Copy: Position (FEN)"]');
  await page.click('.notice [aria-label="Close"]');
  const box = await page.locator('[aria-label="Position (FEN)"]').boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 80, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(30, box.y + 10, { steps: 3 });
  await page.mouse.up();
  assert.equal(await page.locator("dialog[open]").count(), 1);
  await page.mouse.click(30, box.y + 10);
  await page.waitForFunction(() => !document.querySelector("dialog[open]"));
});

test("markup stays text", async () => {
  const { page } = it;
  const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
  await brought(
    `[White "${evil.replaceAll('"', '\\"')}"]\n[Black "B"]\n\n1. a2a3 {${evil}} a7a6 *`,
  );
  await page.keyboard.press("End");
  await show(page, "games");
  await show(page, "analyse");
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).hit), undefined);
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.equal(await page.textContent(".strip.bottom .name"), evil);
});

test("broken and huge texts are refused with a reason, and nothing changes", async () => {
  const { page } = it;
  await brought("1. a2a3 a7a6 *");
  const before = await movesOf(page);
  for (const text of [
    "1. e4 e5",
    "1. a2a3 (1. b2b3",
    "hello",
    "",
    "8/8 w",
    "ppp/ppp/PPP/PPP w 0 1 x",
    "board#8,a2",
    "1. a7a6",
  ]) {
    await bring(text);
    await page.waitForFunction(() => document.querySelector("dialog .error")?.textContent);
  }
  await page.evaluate((size) => {
    document.addEventListener(
      "copy",
      (event) => {
        event.clipboardData?.setData("text/plain", "1. a2a3 ".repeat(size / 8));
        event.preventDefault();
      },
      { once: true },
    );
  }, 10_000_000);
  await page.fill("textarea.bring", "x");
  for (const key of ["a", "c", "v"]) await page.keyboard.press(`ControlOrMeta+${key}`);
  await page.waitForSelector('dialog .error:has-text("too long: 10.0 MB")');
  await page.setInputFiles("dialog input[type=file]", {
    name: "long.pgn",
    mimeType: "text/plain",
    buffer: Buffer.alloc(11_000_000, "1. a2a3 "),
  });
  await page.waitForFunction(() =>
    /too long: 11\.0 MB/.test(document.querySelector("dialog .error")?.textContent ?? ""),
  );
  await page.keyboard.press("Escape");
  assert.deepEqual(await movesOf(page), before);
});

test("a damaged game of several says so in the list, and its moves are kept", async () => {
  const { page } = it;
  await bring(
    '[Event "1"]\n\n1. b2b3 b7b6 2. c2c9 *\n\n[Event "2"]\n\n1. h2g3 b7b6 {open\n\n[Event "3"]\n\n1. a2a3 *\n',
  );
  const rows = page.locator("dialog .games .open");
  await rows.nth(2).waitFor();
  const texts = await rows.allTextContents();
  assert.match(texts[0], /2 movesDamaged: 2\. c2c9 is not possible\./);
  assert.match(texts[1], /1 moveDamaged: the last comment is not closed\./);
  assert.match(texts[2], /1 move$/);
  await rows.nth(1).click();
  await count(page, 2);
  await page.waitForSelector(
    '.notice:has-text("The game is damaged: the last comment is not closed.")',
  );
});

test("a long file is read as a whole, by the button too", async () => {
  const { page } = it;
  await page.keyboard.press("Escape");
  await page.click('[aria-label="Import a game or position"]');
  const one = '[Event "long"]\n\n1. b2b3 b7b6 2. c2c3 c7c6 3. d2d3 d7d6 *\n\n';
  await page.setInputFiles("dialog input[type=file]", {
    name: "long.pgn",
    mimeType: "text/plain",
    buffer: Buffer.from(one.repeat(400)),
  });
  const rows = page.locator("dialog .games .open");
  await rows.nth(399).waitFor();
  await page.click('dialog button:has-text("Import")');
  await page.waitForTimeout(500);
  assert.equal(await rows.count(), 400);
  assert.equal(await page.textContent("dialog .error"), "");
  await page.keyboard.press("Escape");
});

test("an illegal move cuts its line and is reported", async () => {
  const { page } = it;
  await brought("1. a2a3 a7a6 2. a3a4 b7b6 3. h2h4 *");
  await page.waitForSelector(".notice");
  assert.match((await page.textContent(".notice")) ?? "", /^The game was cut short: .*h2h4/);
  assert.equal((await movesOf(page)).length, 4);
});

test("a link that is none says so", async () => {
  const { page } = it;
  await page.goto("about:blank");
  await page.goto(`${it.address}#analyse?board=99x99`);
  await page.waitForSelector(".notice");
  assert.match((await page.textContent(".notice")) ?? "", /cannot be read/);
  for (const link of ["#foo", "#analyse?pgn=%"]) {
    await page.goto("about:blank");
    await page.goto(it.address + link);
    await page.waitForSelector('.notice:has-text("This link cannot be read.")');
  }
});

test("a link of moves without a board is of 8x8", async () => {
  const { page } = it;
  await page.goto("about:blank");
  await page.goto(`${it.address}#analyse?moves=a2a3.b7b6`);
  await count(page, 2);
  assert.deepEqual(await movesOf(page), ["a2a3", "b7b6"]);
});
