/** The page in Debian's Chromium, each time with an empty profile. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchFirefox } from "./firefox.mjs";
import { serveFolder } from "./folder.mjs";
import { isCurrent, serveBefore, serve as serveEngine } from "./server.mjs";

const BUILT = fileURLToPath(new URL("../../../target/release/petard", import.meta.url));
export const ENGINE = process.env.PETARD ?? BUILT;
/** Chromium's build without windows takes half of its time; `CHROMIUM` names another. */
const SHELL = "/usr/bin/chromium-headless-shell";
const CHROMIUM = process.env.CHROMIUM ?? (existsSync(SHELL) ? SHELL : "/usr/bin/chromium");
/** `BROWSER=firefox` tries Debian's Firefox, which has neither touch nor all media features here. */
export const IS_FIREFOX = process.env.BROWSER === "firefox";
/** For tests of what Playwright can do in Chromium alone. */
export const CHROMIUM_ONLY = { skip: IS_FIREFOX && "Playwright cannot do that in Firefox" };
/**
 * `PAGE=folder` takes scripts and style sheets from this folder instead of the engine, to try
 * changes without a build.
 */
const FROM_FOLDER = process.env.PAGE === "folder";
/** A busy machine is not a fault: milliseconds, unless `PATIENCE` says otherwise. */
const PATIENCE = Number(process.env.PATIENCE ?? 240_000);
/** What carries the lines: `PETARD_TRANSPORT=worker` takes the page with the engine inside. */
export const OVER_WORKER = process.env.PETARD_TRANSPORT === "worker";
/**
 * `LATENCY=1` delays what page and engine say to each other, now and then by a second: what works
 * only with a fast engine, in the page or in a test, shows.
 */
const IS_SLOW = Boolean(process.env.LATENCY);
const serve = OVER_WORKER ? serveFolder : FROM_FOLDER ? serveBefore : serveEngine;
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether all examples of a kind are tried, as `.ci/run --nightly` does, or a few of them. */
export const nightly = Number(process.env.PETARD_TEST_FACTOR ?? 1) > 1;

/** A phone, held upright. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/**
 * One browser and one server for all tests of a file.
 * @type {import("playwright-core").Browser | undefined}
 */
let browser;
/** @type {Awaited<ReturnType<typeof serve>> | undefined} */
let server;
let isStopped = false;
/** Where Firefox saves files. */
let folder = "";

after(async () => {
  await browser?.close();
  if (!isStopped) await server?.close();
  if (folder) await rm(folder, { recursive: true });
});

/** A browser that nobody has used. */
async function launch() {
  if (IS_FIREFOX) folder = await mkdtemp(join(tmpdir(), "petard-"));
  return IS_FIREFOX
    ? launchFirefox(PATIENCE, folder)
    : chromium.launch({ executablePath: CHROMIUM, args: QUIET, timeout: PATIENCE });
}

/** A server of the page that is tried. */
export async function startServer() {
  const one = await serve(ENGINE);
  try {
    if (!FROM_FOLDER && !OVER_WORKER) await isCurrent(one.address);
  } catch (error) {
    await one.close();
    throw error;
  }
  return one;
}

/**
 * A page of a first-time visitor.
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function openPage(options = {}) {
  if (!OVER_WORKER && !existsSync(ENGINE))
    throw new Error(`There is no engine at ${ENGINE}: build it, or name one in PETARD.`);
  browser ??= await launch();
  server ??= await startServer();
  // A test that failed may have left it stopped.
  if (isStopped) server = await serve(ENGINE, server.port);
  isStopped = false;
  const served = server;
  const faults = /** @type {string[]} */ ([]);
  // Firefox calls a connection that fails an error of the page.
  const note = (/** @type {string} */ text) =>
    /WebSocket|wss?:|ERR_CONNECTION|ERR_INCOMPLETE/.test(text) || faults.push(text);
  const watch = (/** @type {import("playwright-core").Page} */ page) => {
    page.on("pageerror", (error) => note(String(error)));
    page.on("console", (message) => message.type() === "error" && note(message.text()));
  };
  const enter = async (hash = "") => {
    const context = await /** @type {import("playwright-core").Browser} */ (browser).newContext({
      viewport: { width: 1280, height: 800 },
      ...options,
      ...(IS_FIREFOX && { isMobile: undefined, hasTouch: undefined }),
    });
    context.setDefaultTimeout(PATIENCE);
    if (IS_SLOW) await context.routeWebSocket("**/engine", slowDown);
    context.on("page", watch);
    const page = await context.newPage();
    await page.goto(served.address + hash);
    await page.waitForSelector("body[data-ready]");
    return { context, page };
  };
  return {
    ...(await enter()),
    /** The same for another visitor. @param {string} hash */
    async fresh(hash) {
      await this.context.close();
      Object.assign(this, await enter(hash));
      return this.page;
    },
    /** What went wrong in the page. */
    faults,
    address: served.address,
    async stopServer() {
      isStopped = true;
      await server?.close();
    },
    async startServer() {
      server = await serve(ENGINE, served.port);
      isStopped = false;
    },
    close() {
      return this.context.close();
    },
  };
}

/** Hands on what is sent either way, late and in order. @param {import("playwright-core").WebSocketRoute} socket */
function slowDown(socket) {
  const server = socket.connectToServer();
  for (const [from, to] of [
    [socket, server],
    [server, socket],
  ]) {
    /** @type {(string | Buffer)[]} */
    let waiting = [];
    from.onMessage((line) => {
      waiting.push(line);
      if (waiting.length > 1) return;
      const delay = Math.random() * (Math.random() < 0.7 ? 40 : 1500);
      // Together, as a search says much: one by one its lines would take minutes.
      setTimeout(() => {
        for (const late of waiting) to.send(late);
        waiting = [];
      }, delay);
    });
  }
}

/**
 * A visitor of its own for one test.
 * @param {import("node:test").TestContext} t
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function visitor(t, options) {
  const it = await openPage(options);
  t.after(async () => {
    await it.close();
    assert.deepEqual(it.faults, []);
  });
  return it;
}

/** Loads a page anew, until all is shown that its address says. @param {import("playwright-core").Page} page */
export async function reload(page) {
  await page.reload();
  await page.waitForSelector("body[data-ready]");
}

/**
 * Types over what is there, as a person does: in Firefox `fill` adds to a number and makes no change.
 * @param {import("playwright-core").Locator} field
 * @param {string} text
 */
export async function typeOver(field, text) {
  await field.press("ControlOrMeta+a");
  await field.pressSequentially(text);
}

/**
 * A file that is saved when something is pressed.
 * @param {import("playwright-core").Page} page
 * @param {() => Promise<void>} press
 */
export async function saved(page, press) {
  if (!IS_FIREFOX) {
    const [file] = await Promise.all([page.waitForEvent("download"), press()]);
    return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
  }
  // Of files that Firefox saves, Playwright hears nothing.
  await press();
  for (const end = Date.now() + PATIENCE; Date.now() < end; await page.waitForTimeout(20)) {
    const [name, ...more] = await readdir(folder);
    // Until it is complete, it is empty, and its parts are in another file.
    if (!name || more.length || name.endsWith(".part")) continue;
    const content = await readFile(join(folder, name));
    if (!content.length) continue;
    await rm(join(folder, name));
    return { name, content };
  }
  throw new Error("nothing was saved");
}

/** Clicks a square. @param {import("playwright-core").Page} page @param {string} square */
export async function click(page, square) {
  const box = await boxOf(page, square);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/**
 * A square that the piece picked on the board can go to.
 * @param {import("playwright-core").Page} page
 */
export async function targetOf(page) {
  const cell = page.locator('.stage [role=gridcell][aria-label*="can move here"]').first();
  return (await cell.getAttribute("data-square")) ?? "";
}

/** @param {import("playwright-core").Page} page @param {string} square */
export async function boxOf(page, square) {
  const box = await page.locator(`.stage [data-square="${square}"]`).boundingBox();
  if (!box) throw new Error(`${square} is not on the board`);
  return box;
}

/** The move list's moves. @param {import("playwright-core").Page} page */
export function movesOf(page) {
  return page.locator(".side .moves > .move").allTextContents();
}

/**
 * Waits until the move list has this many moves.
 * @param {import("playwright-core").Page} page
 * @param {number} count
 */
export async function moves(page, count) {
  await page.waitForFunction(
    (wanted) => document.querySelectorAll(".side .moves > .move").length === wanted,
    count,
  );
}

/**
 * Waits until a move that is made on the board is played at once: the engine has said what is legal,
 * and it is a person's turn. Before that, pieces can be moved too, but only for later.
 * @param {import("playwright-core").Page} page
 */
export function mayMove(page) {
  return page.waitForSelector(".stage .board:not(.ahead) .pieces.movable");
}

/**
 * Waits until only endless animations move on the page.
 * @param {import("playwright-core").Page} page
 */
export async function settled(page) {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        (one) =>
          one.playState !== "running" || one.effect?.getComputedTiming().iterations === Infinity,
      ),
  );
}

/**
 * Waits until this browser keeps a game of this many plies.
 * @param {import("playwright-core").Page} page
 * @param {string} mode
 * @param {number} plies
 */
export async function kept(page, mode, plies) {
  await page.waitForFunction(
    ([wanted, count]) =>
      JSON.parse(localStorage.getItem("petard.games") ?? "[]").some(
        (one) => one.mode === wanted && one.plies === count,
      ),
    /** @type {const} */ ([mode, plies]),
  );
}

/**
 * Stands between a page and the engine, from the page's next load on.
 * @param {import("playwright-core").Page} page
 */
export async function between(page) {
  /** @type {() => void} */
  let connect = () => {};
  /** @type {((line: string) => boolean) | null} */
  let isHeld = null;
  /** @type {(() => void)[]} */
  let waiting = [];
  let isOpen = true;
  /** @type {() => void} */
  let announce = () => {};
  /** @type {Promise<void>} */
  let held = Promise.resolve();
  await page.routeWebSocket("**/engine", (socket) => {
    /** @type {string[]} */
    let asked = [];
    /** @type {import("playwright-core").WebSocketRoute | null} */
    let server = null;
    socket.onMessage((line) => {
      if (server) server.send(line);
      else asked.push(String(line));
    });
    const open = () => {
      server = socket.connectToServer();
      server.onMessage((line) => {
        if (waiting.length || isHeld?.(String(line))) {
          waiting.push(() => socket.send(line));
          announce();
        } else socket.send(line);
      });
      for (const line of asked) server.send(line);
      asked = [];
    };
    if (isOpen) open();
    else connect = open;
  });
  return {
    /** The page's connections lead nowhere, until `answer`. */
    silence() {
      isOpen = false;
    },
    answer() {
      isOpen = true;
      connect();
    },
    /** Holds back what the engine says, from the first such line on. @param {(line: string) => boolean} which */
    hold(which) {
      isHeld = which;
      held = new Promise((resolve) => {
        announce = resolve;
      });
    },
    /** Waits until something is held back. */
    held() {
      return held;
    },
    release() {
      isHeld = null;
      for (const send of waiting.splice(0)) send();
      waiting = [];
    },
  };
}

/** @param {import("playwright-core").Page} page @param {string} view */
export async function show(page, view) {
  await page.click(`.tab[data-view="${view}"]`);
}

/**
 * Shows a part of the analysis below the lines.
 * @param {import("playwright-core").Page} page @param {"moves" | "explorer" | "review" | "board"} name
 */
export async function panel(page, name) {
  await page.click(`.panel-tab[data-panel="${name}"]`);
}
