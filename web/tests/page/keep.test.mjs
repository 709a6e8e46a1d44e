import assert from "node:assert/strict";
import test from "node:test";
import {
  click,
  kept,
  mayMove,
  moves,
  movesOf,
  reload,
  saved,
  show,
  visitor,
} from "../support/browser.mjs";

/**
 * Makes a move on a new game's board, and waits for the answer.
 * @param {import("playwright-core").Page} page
 */
async function playTwo(page) {
  await page.click('button:has-text("Start")');
  await mayMove(page);
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 2);
}

/**
 * Keeps games in the browser, as version 0.2 kept them, and loads the page anew.
 * @param {import("playwright-core").Page} page
 * @param {string[]} ids
 */
async function withGames(page, ids) {
  await page.evaluate((names) => {
    const fen = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1";
    const list = names.map((id, index) => {
      const game = {
        id,
        mode: "analyse",
        tree: {
          variant: "breakthrough",
          nodes: [
            { id: 0, parent: null, children: [1], move: null, ply: 0, fen },
            {
              id: 1,
              parent: 0,
              children: [],
              move: "b2b3",
              ply: 1,
              fen: "pppppppp/pppppppp/8/8/8/1P6/P1PPPPPP/PPPPPPPP b 1 1",
            },
          ],
        },
        at: 0,
        headers: { White: id, Black: "B" },
        players: { white: { kind: "person" }, black: { kind: "person" } },
        result: "*",
        reason: "",
        flipped: false,
        changed: 1000 + index,
      };
      localStorage.setItem(`petard.game.${id}`, JSON.stringify(game));
      const { changed } = game;
      const [white, black] = [id, "B"];
      return { id, mode: game.mode, white, black, board: "8x8", result: "*", plies: 1, changed };
    });
    localStorage.setItem("petard.games", JSON.stringify(list));
  }, ids);
  await reload(page);
}

/** @param {import("playwright-core").Page} page @param {number} count */
const listed = (page, count) =>
  page.waitForFunction(
    (wanted) => document.querySelectorAll(".games .open").length === wanted,
    count,
  );

test("a game survives a reload, a closed tab and a restarted server", async (t) => {
  const it = await visitor(t);
  const { page } = it;
  await playTwo(page);
  const two = await movesOf(page);

  await reload(page);
  await moves(page, 2);
  assert.deepEqual(await movesOf(page), two);

  await mayMove(page);
  await it.stopServer();
  await page.waitForSelector(".link-bar:not([hidden])");
  assert.match((await page.textContent(".link-bar")) ?? "", /Trying again; your game is kept/);
  await click(page, "e2");
  await click(page, "e3");
  await moves(page, 3);
  await it.startServer();
  await page.waitForSelector(".link-bar", { state: "hidden" });
  await moves(page, 4);
  const four = await movesOf(page);

  await kept(page, "play", 4);
  await page.close();
  const again = await it.context.newPage();
  await again.goto(it.address);
  await moves(again, 4);
  assert.deepEqual(await movesOf(again), four);
});

test("two tabs do not touch each other's game", async (t) => {
  const it = await visitor(t);
  const { page } = it;
  await playTwo(page);
  const other = await it.context.newPage();
  await other.goto(it.address);
  await other.waitForSelector("body[data-ready]");
  await playTwo(other);
  await click(other, "a2");
  await click(other, "a3");
  await moves(other, 4);
  assert.equal((await movesOf(page)).length, 2);
  await reload(page);
  await moves(page, 2);
  await reload(other);
  await moves(other, 4);
  await show(other, "games");
  await listed(other, 2);
  // An open list follows what the other tab saves.
  await show(page, "games");
  await listed(page, 2);
  await show(other, "analyse");
  await mayMove(other);
  for (const square of ["b2", "b3"]) await click(other, square);
  await listed(page, 3);
});

test("settings are kept", async (t) => {
  const { page } = await visitor(t);
  await page.click('[aria-label="Settings"]');
  await page.click('dialog .segment:has-text("Dark")');
  await page.keyboard.press("Escape");
  await reload(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

test("past games are listed, opened and deleted", async (t) => {
  const { page } = await visitor(t);
  await withGames(page, ["one", "two", "three"]);
  await show(page, "games");
  await listed(page, 3);
  await page.locator(".games .open").first().click();
  await page.waitForSelector(".stage .board");
  await show(page, "games");
  await page.locator('.games [aria-label^="Delete"]').last().click();
  await listed(page, 2);
  await page.click('.notice button:has-text("Undo")');
  await listed(page, 3);
  await page.locator('.games [aria-label^="Delete"]').last().click();
  await listed(page, 2);
});

test("a notice on a phone keeps its words whole", async (t) => {
  const { page } = await visitor(t, { viewport: { width: 390, height: 664 } });
  await withGames(page, ["one", "two"]);
  await show(page, "games");
  await page.locator('.games [aria-label^="Delete"]').last().click();
  const rows = await page
    .locator(".notice > span, .notice .link")
    .evaluateAll((parts) => parts.map((part) => part.getClientRects()[0].height));
  assert.ok(
    rows.every((height) => height < 34),
    String(rows),
  );
});

test("a game is named and tagged, found by that, and shown with its picture", async (t) => {
  const { page } = await visitor(t);
  await withGames(page, ["one", "two", "three"]);
  await show(page, "games");
  await listed(page, 3);
  assert.equal(await page.locator(".games .thumbnail").count(), 3);
  await page.click('[aria-label^="Name and tags of two"]');
  await page.getByLabel("Name", { exact: true }).fill("A fine sacrifice");
  await page.getByLabel("Tags", { exact: true }).fill("club, openings");
  await page.click('.edit button:has-text("Save")');
  await page.waitForSelector('.games .open:has-text("A fine sacrifice")');
  await page.click('.tags button:has-text("openings")');
  await listed(page, 1);
  await page.click('.tags button:has-text("openings")');
  await page.fill('[aria-label="Search games"]', "three");
  await listed(page, 1);
  await page.fill('[aria-label="Search games"]', "");
  await reload(page);
  await page.waitForSelector('.games .open:has-text("A fine sacrifice")');
});

test("several games are chosen, exported and deleted together", async (t) => {
  const { page } = await visitor(t);
  await withGames(page, ["one", "two", "three"]);
  await show(page, "games");
  for (const name of ["one", "two"]) await page.check(`[aria-label^="Choose ${name}"]`);
  const file = await saved(page, () => page.click('.many-bar button:has-text("Export")'));
  const text = String(file.content);
  assert.equal(text.match(/\[White /g)?.length, 2);
  await page.click('.many-bar button:has-text("Delete")');
  await listed(page, 1);
  await page.click('.notice button:has-text("Undo")');
  await listed(page, 3);
});

test("a game and its analysis are one entry, and say who won", async (t) => {
  const { page } = await visitor(t);
  await playTwo(page);
  await page.click('.actions button:has-text("Resign")');
  await page.click('button:has-text("Yes, resign")');
  for (const round of [1, 2]) {
    await page.click('.actions button:has-text("Analyse")');
    await moves(page, 2);
    await kept(page, "analyse", 2);
    if (round === 1) await show(page, "play");
  }
  await show(page, "games");
  await page.waitForSelector('.games .outcome:text-is("You lost")');
  await page.waitForSelector('.games .open:has-text("Played and analysed")');
  await listed(page, 1);
  const stored = await page.evaluate(() => JSON.parse(localStorage["petard.games"]).length);
  assert.equal(stored, 2, "the second look is at the first analysis");
});

test("players of older games have the names of now", async (t) => {
  const { page } = await visitor(t);
  await withGames(page, ["petard, Casual"]);
  await show(page, "games");
  await page.waitForSelector('.games .open b:text-is("petard · Casual – B")');
  await page.click(".games .open");
  await page.waitForSelector('.strip.bottom .name:has-text("petard · Casual")');
});

test("the address of a whole game keeps it, until it is changed", async (t) => {
  const it = await visitor(t);
  const { page } = it;
  const shared = async () => {
    await page.click('[aria-label="Share or save"]');
    const link = await page.inputValue('[aria-label="Link to the whole game"]');
    await page.keyboard.press("Escape");
    return link;
  };
  await show(page, "analyse");
  await page.click('[aria-label="Import a game or position"]');
  await page.fill("dialog textarea", "1. b2b3 {one} b7b6 (1... g7g6 2. g2g3) 2. c2c3 *");
  await page.click("dialog .button.primary");
  await page.waitForSelector(".variation");
  const link = await shared();

  // Another visitor opens it.
  const other = await it.fresh(new URL(link).hash);
  const tree = "1b2b3…one1…b7b61...g7g6 2.g2g32c2c3";
  await other.waitForSelector(".variation");
  assert.equal(await other.textContent(".moves"), tree);
  await other.evaluate(() => {
    /** @type {any} */ (window).writes = 0;
    for (const name of /** @type {const} */ (["replaceState", "pushState"])) {
      const write = history[name].bind(history);
      history[name] = (...all) => {
        /** @type {any} */ (window).writes++;
        write(...all);
      };
    }
  });
  await other.keyboard.press("End");
  await other.waitForFunction(() =>
    document.querySelector(".move[aria-current]")?.textContent?.includes("c2c3"),
  );
  await show(other, "games");
  await other.waitForURL(/#games$/);
  await other.goBack();
  await other.waitForSelector('.move[aria-current]:has-text("c2c3")');
  assert.equal(other.url(), link);
  assert.equal(await other.evaluate(() => /** @type {any} */ (window).writes), 1, "the other view");
  await reload(other);
  await other.waitForSelector('.move[aria-current]:has-text("c2c3")');
  assert.equal(await other.textContent(".moves"), tree);
  assert.equal(other.url(), link);
  const count = await other.evaluate(() => JSON.parse(localStorage["petard.games"]).length);
  assert.equal(count, 1, "it is the same game");

  await mayMove(other);
  for (const square of ["a7", "a6"]) await click(other, square);
  await other.waitForURL(/moves=b2b3\.b7b6\.c2c3\.a7a6$/);
  await other.click('[aria-label="Share or save"]');
  const changed = await other.inputValue('[aria-label="Link to the whole game"]');
  assert.notEqual(changed, link);
  await reload(other);
  await other.waitForSelector('.move[aria-current]:has-text("a7a6")');
  assert.equal(await other.textContent(".moves"), `${tree}a7a6`);
  const third = await it.fresh(new URL(changed).hash);
  await third.waitForSelector(".variation");
  assert.equal(await third.textContent(".moves"), `${tree}a7a6`);
});

test("a link that is opened again shows the same game", async (t) => {
  const it = await visitor(t);
  const { page } = it;
  await show(page, "analyse");
  await page.click('[aria-label="Import a game or position"]');
  await page.fill("dialog textarea", "1. b2b3 {one} b7b6 *");
  await page.click("dialog .button.primary");
  await moves(page, 2);
  await page.click('[aria-label="Share or save"]');
  const whole = new URL(await page.inputValue('[aria-label="Link to the whole game"]')).hash;
  for (const hash of [whole, "#analyse?board=8x8&moves=g2g3.g7g6"]) {
    const other = await it.fresh(hash.replace(".g7g6", ""));
    if (hash !== whole) {
      // A position that came by a link is kept once it is changed.
      await moves(other, 1);
      await mayMove(other);
      for (const square of ["g7", "g6"]) await click(other, square);
    }
    const follow = (/** @type {string} */ link) =>
      other.evaluate((to) => {
        location.hash = to;
      }, link);
    await moves(other, 2);
    await kept(other, "analyse", 2);
    // Meanwhile another game is looked at.
    await follow("#analyse?board=8x8&moves=a2a3");
    await moves(other, 1);
    await follow(hash);
    await moves(other, 2);
    await show(other, "games");
    await other.waitForSelector(".games .open");
    assert.equal(await other.locator(".games .open").count(), 1, hash);
    // A second tab shows it too, and leaves it to the first one to keep.
    const second = await it.context.newPage();
    await second.goto(it.address + hash);
    await moves(second, 2);
    await show(second, "games");
    await reload(second);
    await second.waitForSelector(".games .open");
    assert.equal(await second.locator(".games .open").count(), 1, hash);
  }
});

test("a study has chapters", async (t) => {
  const { page } = await visitor(t);
  await withGames(page, ["one", "two"]);
  await show(page, "games");
  for (const name of ["one", "two"]) {
    await page.click(`[aria-label^="Name and tags of ${name}"]`);
    await page.getByLabel("Chapter of the study").fill("Corners");
    await page.click('.edit button:has-text("Save")');
    await page.waitForSelector(`.games .open:has-text("${name}"):has-text("Study: Corners")`);
  }
  await page.click('.games .open:has-text("one")');
  await page.waitForSelector('[aria-label="Chapter"]');
  assert.equal(await page.locator('[aria-label="Chapter"] option').count(), 2);
  await page.selectOption('[aria-label="Chapter"]', { index: 1 });
  await page.waitForFunction(
    () => document.querySelector(".strip.bottom .name")?.textContent === "two",
  );
  await page.click('[aria-label="New chapter"]');
  await page.waitForFunction(
    () => document.querySelectorAll('[aria-label="Chapter"] option').length === 3,
  );
});

test("a page is loaded anew as it was left, though its address was not written any more", async (t) => {
  const { page } = await visitor(t);
  await show(page, "analyse");
  await mayMove(page);
  for (const square of ["c2", "c3"]) await click(page, square);
  await page.waitForFunction(() => location.hash.endsWith("c2c3"));
  await page.evaluate(() => {
    history.replaceState = () => undefined;
  });
  await mayMove(page);
  for (const square of ["c7", "c6"]) await click(page, square);
  await moves(page, 2);
  await reload(page);
  await moves(page, 2);
  await page.waitForFunction(() => location.hash.endsWith("c2c3.c7c6"));
  await show(page, "games");
  await listed(page, 1);
});

test("a position that came by a link is kept once it is changed", async (t) => {
  const { page } = await visitor(t);
  await page.goto(`${page.url().replace(/#.*/, "")}#analyse?board=8x8&moves=a2a3.a7a6`);
  await moves(page, 2);
  await reload(page);
  await moves(page, 2);
  await show(page, "games");
  await page.waitForSelector(".empty");
  await listed(page, 0);
  await page.goBack();
  await moves(page, 2);
  await mayMove(page);
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 3);
  await show(page, "games");
  await listed(page, 1);
});

/** @param {import("playwright-core").Page} page @param {string[]} names */
const chapters = (page, names) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll('[aria-label="Chapter"] option')]
        .map((one) => one.textContent?.replace(/^.*: /, ""))
        .join() === wanted,
    names.join(),
  );

/** @param {import("playwright-core").Page} page @param {string} item */
async function chapterMenu(page, item) {
  await page.click('[aria-label="Change the chapter"]');
  await page.click(`.menu [role=menuitem]:text-is("${item}")`);
}

const TWO_GAMES = '[White "A"]\n\n1. a2a3 a7a6 *\n\n[White "C"]\n\n1. b2b3 *\n';

/** @param {import("playwright-core").Page} page @param {string} name @param {string} text */
async function openFile(page, name, text) {
  await show(page, "analyse");
  await page.click('[aria-label="Import a game or position"]');
  const buffer = Buffer.from(text);
  await page.setInputFiles("dialog input[type=file]", { name, mimeType: "text/plain", buffer });
  await page.click("dialog .games .open");
}

test("the chapters of a study are added, renamed, ordered, deleted, and exported in their order", async (t) => {
  const { page } = await visitor(t);
  // A file becomes a study, and stays.
  await openFile(page, "club.pgn", TWO_GAMES);
  await page.click('[aria-label^="Make a study of this file"]');
  await chapters(page, ["A – Black", "C – Black"]);
  await page.waitForSelector(".chapters", { state: "hidden" });
  await page.click('[aria-label="New chapter"]');
  await chapters(page, ["A – Black", "C – Black", "Chapter 3"]);
  await mayMove(page);
  for (const square of ["c2", "c3"]) await click(page, square);
  await moves(page, 1);
  await chapterMenu(page, "Rename");
  await page.fill('[aria-label="Name of the chapter"]', "Third");
  await page.keyboard.press("Enter");
  await chapters(page, ["A – Black", "C – Black", "Third"]);
  await chapterMenu(page, "Move up");
  await chapterMenu(page, "Move up");
  await chapters(page, ["Third", "A – Black", "C – Black"]);
  assert.ok(
    await page
      .click('[aria-label="Change the chapter"]')
      .then(() => page.isDisabled('.menu button:text-is("Move up")')),
  );
  await page.keyboard.press("Escape");
  await kept(page, "analyse", 1);
  await reload(page);
  await chapters(page, ["Third", "A – Black", "C – Black"]);
  const file = await saved(page, () => chapterMenu(page, "Export the study"));
  assert.equal(file.name, "club.pgn");
  const names = /\[ChapterName "[^"]*"\]/g;
  const text = String(file.content);
  assert.deepEqual(
    text.match(names),
    ["Third", "A – Black", "C – Black"].map((name) => `[ChapterName "${name}"]`),
  );
  // The page of games exports them so, too, whatever was changed last.
  await show(page, "games");
  const all = await saved(page, () => page.click('button:has-text("Export all")'));
  const whole = String(all.content);
  assert.deepEqual(whole.match(names)?.slice(0, 3), text.match(names));
  await show(page, "analyse");
  // What was typed a moment ago comes back with the chapter.
  await page.fill(".comment-field", "Late");
  await chapterMenu(page, "Delete");
  await chapters(page, ["A – Black", "C – Black"]);
  await moves(page, 2);
  await page.click('.notice button:has-text("Undo")');
  await chapters(page, ["Third", "A – Black", "C – Black"]);
  await page.waitForSelector('.moves .comment:has-text("Late")');
  await chapterMenu(page, "Delete");
  await chapters(page, ["A – Black", "C – Black"]);
  await reload(page);
  await chapters(page, ["A – Black", "C – Black"]);
  await show(page, "games");
  await page.waitForSelector('section .open:has-text("club.pgn")');
  await listed(page, 3);
});

test("chapters of one name are distinguished by their players", async (t) => {
  const { page } = await visitor(t);
  const file = TWO_GAMES.replaceAll("[White", '[Event "Club cup"]\n[White');
  await openFile(page, "club.pgn", file);
  await page.click('[aria-label^="Make a study of this file"]');
  await chapters(page, ["Club cup, A – Black", "Club cup, C – Black"]);
  // A name of one's own leaves the event alone.
  await chapterMenu(page, "Rename");
  await page.fill('[aria-label="Name of the chapter"]', "The final");
  await page.keyboard.press("Enter");
  await chapters(page, ["The final", "Club cup"]);
  await kept(page, "analyse", 2);
  const exported = await saved(page, () => chapterMenu(page, "Export the study"));
  const text = String(exported.content);
  assert.equal(text.match(/\[Event "Club cup"\]/g)?.length, 2);
  assert.equal(text.match(/\[StudyName "club"\]/g)?.length, 2);
  assert.deepEqual(text.match(/\[ChapterName "[^"]*"\]/g), ['[ChapterName "The final"]']);
  // Read again, it is the same study.
  await openFile(page, "again.pgn", text);
  await page.click('[aria-label^="Make a study of this file"]');
  await chapters(page, ["The final", "Club cup"]);
  await page.waitForSelector('.notice:has-text("Kept as the study “club (2)”")');
});

test("a file of more games than a study has chapters says so", async (t) => {
  const { page } = await visitor(t);
  await openFile(page, "many.pgn", "1. a2a3 *\n\n".repeat(65));
  await page.click('[aria-label^="Make a study of this file"]');
  await page.waitForSelector('.notice:has-text("at most 64 chapters, and this file has 65 games")');
});

test("a file of several games stays after a reload", async (t) => {
  const { page } = await visitor(t);
  await show(page, "games");
  await page.click('button:has-text("Import games")');
  await page.setInputFiles("dialog input[type=file]", {
    name: "club.pgn",
    mimeType: "text/plain",
    buffer: Buffer.from(TWO_GAMES),
  });
  await page.waitForSelector('dialog .games .open:has-text("A – ")');
  await reload(page);
  await page.click('.open:has-text("club.pgn")');
  await page.waitForSelector('.chapters option:text-is("2. C – Black")', { state: "attached" });
  await moves(page, 2);
});

test("the games of imported files are found and exported with the others", async (t) => {
  const { page } = await visitor(t);
  await show(page, "games");
  await page.click('button:has-text("Import games")');
  const text =
    '[White "Anna"]\n\n1. a2a3 a7a6 *\n\n[White "Zoë O’Hara"]\n[Event "Cup"]\n\n1. b2b3 1-0\n';
  await page.setInputFiles("dialog input[type=file]", {
    name: "club.pgn",
    mimeType: "text/plain",
    buffer: Buffer.from(text),
  });
  await page.waitForSelector('dialog .games .open:has-text("Anna")');
  await page.keyboard.press("Escape");
  // Without the accent and the apostrophe.
  await page.fill(".search", "zoe ohara cup");
  await page.waitForSelector('.games .open:has-text("2. Zoë"):has-text("club.pgn")');
  assert.equal(await page.locator('.games .open:has-text("Anna"):visible').count(), 0);
  const file = await saved(page, () => page.click('button:has-text("Export all")'));
  const pgn = String(file.content);
  assert.match(
    pgn,
    /\[White "Anna"\][\s\S]*1\. a2a3 a7a6 \*[\s\S]*\[White "Zoë O’Hara"\][\s\S]*1\. b2b3 1-0/,
  );
  await page.click('.games .open:has-text("2. Zoë")');
  await moves(page, 1);
});

test("all games are exported, and come back from that file", async (t) => {
  const { page } = await visitor(t);
  await withGames(page, ["one", "two", "three"]);
  await show(page, "games");
  await listed(page, 3);
  const file = await saved(page, () => page.click('button:has-text("Export all")'));
  await page.evaluate(() => localStorage.clear());
  await page.click('button:has-text("Import games")');
  await page.setInputFiles("dialog input[type=file]", {
    name: file.name,
    mimeType: "text/plain",
    buffer: file.content,
  });
  for (const name of ["one", "two", "three"])
    await page.waitForSelector(`dialog .games .open:has-text("${name} – B")`);
});

test("where storage is full, that is reported once; where it is forbidden, games last as long as the page", async (t) => {
  const it = await visitor(t);
  const full = await it.context.newPage();
  /** @type {string[]} */
  const faults = [];
  full.on("pageerror", (error) => faults.push(String(error)));
  await full.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await full.goto(`${it.address}#analyse?board=8x8`);
  for (const [square, to, count] of /** @type {const} */ ([
    ["b2", "b3", 1],
    ["b7", "b6", 2],
  ])) {
    await mayMove(full);
    await click(full, square);
    await click(full, to);
    await moves(full, count);
    if (count > 1) continue;
    await full.waitForSelector('.notice:has-text("no space left")');
    assert.ok(await full.isVisible('.notice button:has-text("Games")'), "the way to make room");
    await full.click('.notice [aria-label="Close"]');
  }
  // It has been reported: the next time is saved without a word.
  await full.evaluate(() => dispatchEvent(new Event("pagehide")));
  assert.ok(await full.isHidden(".notice"));
  await full.close();

  const none = await it.context.newPage();
  none.on("pageerror", (error) => faults.push(String(error)));
  await none.addInitScript(() => {
    const denied = () => new DOMException("denied", "SecurityError");
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get() {
          throw denied();
        },
      });
    }
    if (navigator.locks) navigator.locks.request = () => Promise.reject(denied());
  });
  await none.goto(it.address);
  for (const count of [2, 0]) {
    if (!count) await none.click('.actions button:has-text("New game")');
    await none.click('button:has-text("Start")');
    await mayMove(none);
    if (!count) break;
    for (const square of ["c2", "c3"]) await click(none, square);
    await moves(none, count);
  }
  await show(none, "games");
  await none.click(".games .open");
  await moves(none, 2);
  assert.match(none.url(), /#games$|#play$/, "the game itself, not a copy of it to analyse");
  assert.deepEqual(faults, []);
  await none.close();
});
