/**
 * The page with the engine inside, on hosts with and without isolation: what has no counterpart
 * over a WebSocket.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test, { after, before } from "node:test";
import { chromium } from "playwright-core";
import { serveFolder } from "../support/folder.mjs";

/** No answer takes this long, however busy the machine. */
const PATIENCE = 120_000;
const SIGNATURES = readFileSync(new URL("../../../tests/data/bench.txt", import.meta.url), "utf8");
/** On hosts with isolation there is one thread too if the engine was built without them. */
const HAS_THREADS = existsSync(
  new URL("../../../target/page/engine/petard-threads.wasm", import.meta.url),
);
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: QUIET,
  });
});
after(() => browser.close());

/** @param {boolean} isIsolated */
async function visit(isIsolated) {
  const server = await serveFolder("", 0, isIsolated);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  /** @type {string[]} */
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
  return { server, context, page, faults };
}

for (const isIsolated of [false, true]) {
  test(`an engine speaks the protocol on a host ${isIsolated ? "with" : "without"} isolation`, async () => {
    const { server, context, page, faults } = await visit(isIsolated);
    assert.equal(await page.evaluate(() => crossOriginIsolated), isIsolated);
    /** What it says until a line matches. @param {string} line @param {string} wanted */
    const ask = (line, wanted) =>
      page.evaluate(([line, wanted]) => globalThis.ask(line, wanted), [line, wanted]);
    await page.evaluate(() => {
      const worker = new Worker("engine/worker.js");
      globalThis.ask = (line, wanted) =>
        new Promise((resolve, reject) => {
          /** @type {string[]} */
          const said = [];
          setTimeout(
            () =>
              reject(new Error(`no '${wanted}' after '${line}': ${said.slice(-9).join(" | ")}`)),
            120_000,
          );
          worker.onmessage = ({ data }) => {
            said.push(typeof data === "string" ? data : JSON.stringify(data));
            if (new RegExp(wanted).test(String(data))) resolve(said);
          };
          worker.postMessage(line);
        });
    });
    await ask("position startpos\ngo infinite", "^info depth 8 ");
    assert.match((await ask("stop", "^bestmove")).at(-1), /^bestmove [a-h]2[a-h]3/);
    for (const line of SIGNATURES.trim().split("\n")) {
      const [variant, nodes] = line.split(" ");
      assert.match((await ask(`bench ${variant}`, " nps$")).at(-1), new RegExp(`^${nodes} nodes `));
    }
    const threads = (await ask("uci", "^uciok")).find((said) =>
      said.startsWith("option name Threads "),
    );
    if (!isIsolated || !HAS_THREADS) assert.match(threads ?? "", / max 1$/);
    // Threads that have waited are woken: for a search, a ponder hit, and the stop of a search that
    // is done.
    await ask(
      `setoption name Threads value ${isIsolated && HAS_THREADS ? 2 : 1}\nsetoption name Board value 6x6\nposition startpos\ngo depth 8`,
      "^bestmove",
    );
    await ask("go ponder depth 3", "^info depth 3 ");
    await ask("ponderhit", "^bestmove");
    await ask("go infinite depth 3", "^info depth 3 ");
    await ask("stop", "^bestmove");
    await ask(
      "setoption name Board value 4x5\nposition startpos\ngo prove",
      "^info string proof black wins",
    );
    assert.deepEqual(faults, []);
    await context.close();
    await server.close();
  });
}

test("the page opens without a network once it has been there, links too", async () => {
  const { server, context, page, faults } = await visit(false);
  await page.waitForSelector("html[data-kept]", { state: "attached" });
  await server.close();
  await context.setOffline(true);
  const again = await context.newPage();
  await again.goto(server.address);
  await again.waitForSelector("body[data-ready]");
  await again.click('button:has-text("Start")');
  await again.waitForSelector(".board:not(.ahead) .pieces.movable");
  const linked = await context.newPage();
  await linked.goto(`${server.address}#analyse?board=6x6&moves=b2b3.a5a4.b3a4`);
  await linked.waitForFunction(
    () => document.querySelectorAll(".side .moves > .move").length === 3,
  );
  await linked.waitForFunction(() =>
    /\d/.test(document.querySelector(".lines .pv")?.textContent ?? ""),
  );
  assert.deepEqual(faults, []);
  await context.close();
});

test("a bar shows how far the engine is while it is loaded", async () => {
  const server = await serveFolder("", 0, false);
  const context = await browser.newContext({ serviceWorkers: "block" });
  context.setDefaultTimeout(PATIENCE);
  /** @type {() => void} */
  let letGo = () => undefined;
  const held = new Promise((resolve) => (letGo = () => resolve(undefined)));
  await context.route("**/*.wasm", (route) => held.then(() => route.continue()));
  const page = await context.newPage();
  await page.goto(server.address);
  await page.waitForSelector("progress.engine-loading", { state: "attached" });
  assert.equal(
    await page.getAttribute("progress.engine-loading", "aria-label"),
    "Loading the engine",
  );
  letGo();
  await page.waitForSelector("progress.engine-loading", { state: "detached" });
  await context.close();
  await server.close();
});

test("an engine that cannot be loaded is reported, and the page goes on trying", async () => {
  const server = await serveFolder("", 0, false);
  const context = await browser.newContext({ serviceWorkers: "block" });
  context.setDefaultTimeout(PATIENCE);
  await context.route("**/petard.json", (route) => route.abort());
  const page = await context.newPage();
  await page.goto(server.address);
  await page.waitForSelector(".link-bar:not([hidden])");
  await context.unroute("**/petard.json");
  await page.waitForSelector("body[data-ready]");
  await page.waitForSelector(".link-bar", { state: "hidden" });
  await context.close();
  await server.close();
});
