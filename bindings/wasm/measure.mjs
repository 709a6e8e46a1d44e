/**
 * Measures in Chromium how fast the engine is and how soon it obeys `stop`, next to the native
 * engine. They take turns, as machines are noisy; what counts is the ratios within a round.
 *
 *     node measure.mjs [--rounds 5] [--depth 15] [--engine ../../target/release/petard]
 *
 * `bench` at its default depth is over before the browser has optimised the engine.
 *
 * Needs what `node build.mjs` has built, and `npm --prefix ../../web/tests ci` for the browser's driver.
 */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serveFiles } from "../../web/tests/support/folder.mjs";
import { ENGINE, HAS_THREADS, compile } from "./build.mjs";

const { chromium } = createRequire(new URL("../../web/tests/package.json", import.meta.url))("playwright-core");
const BUILT = fileURLToPath(new URL("../../target/release/petard", import.meta.url));
const MEASURED = fileURLToPath(new URL("../../target/wasm/measured/", import.meta.url));
const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" }, depth: { type: "string", default: "15" }, engine: { type: "string", default: BUILT } } });
const ROUNDS = Number(values.rounds);
/** How often `stop` is timed in a round. */
const STOPS = 10;

/** The middle of a list. @param {number[]} list */
const middle = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Nodes and nodes per second as `bench` reports them. @param {string} line */
const speedOf = (line) => ({ nodes: parseInt(line, 10), speed: Number(/(\d+) nps/.exec(line)?.[1]) });

/** @param {string} set of vector instructions */
const native = (set) => async () => speedOf(execFileSync(values.engine, ["bench", "breakthrough", values.depth, "--simd", set], { encoding: "utf8" }).trim().split("\n").at(-1) ?? "");

/** A page with an engine. @param {import("playwright-core").Browser} browser @param {string} address @param {string} name of the module @param {boolean} isShared */
async function open(browser, address, name, isShared) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  await page.evaluate(
    async ([name, isShared]) => {
      const worker = new Worker("worker.js");
      const file = { name, bytes: 1 };
      worker.postMessage({ files: { single: file, threads: isShared ? file : undefined, megabytes: 512 } });
      /** Sends lines and waits for one that matches this. */
      globalThis.ask = (lines, wanted) =>
        new Promise((resolve, reject) => {
          worker.onmessage = ({ data }) => {
            if (data.error) reject(new Error(data.error));
            else if (new RegExp(wanted).test(data)) resolve(data);
          };
          worker.postMessage(lines);
        });
      await globalThis.ask("isready", "readyok");
    },
    /** @type {const} */ ([name, isShared]),
  );
  return page;
}

/** Milliseconds from `stop` to the move. @param {import("playwright-core").Page} page */
const timeStop = (page) =>
  page.evaluate(async () => {
    await globalThis.ask("ucinewgame\nposition startpos\ngo infinite", "^info depth 8 ");
    await new Promise((resolve) => setTimeout(resolve, 300 + 100 * Math.random()));
    const before = performance.now();
    await globalThis.ask("stop", "^bestmove");
    return performance.now() - before;
  });

mkdirSync(MEASURED, { recursive: true });
cpSync(ENGINE, MEASURED, { recursive: true });
writeFileSync(`${MEASURED}index.html`, "<!doctype html><title>engine</title>");
writeFileSync(`${MEASURED}plain.wasm`, compile({ name: "plain", simd: false }));
const hosts = { alone: await serveFiles(MEASURED), isolated: await serveFiles(MEASURED, { isIsolated: true }) };
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
/** @type {Record<string, number[]>} */
const stops = {};

/** @param {string} name @param {boolean} isShared @param {boolean} stopsToo */
const inBrowser = (name, isShared, stopsToo) => async () => {
  const page = await open(browser, (isShared ? hosts.isolated : hosts.alone).address, name, isShared);
  const line = await page.evaluate((depth) => globalThis.ask(`bench breakthrough ${depth}`, " nps$"), values.depth);
  for (let count = 0; stopsToo && count < STOPS; count++) (stops[name] ??= []).push(await timeStop(page));
  await page.context().close();
  return speedOf(line);
};

/** @type {[string, () => Promise<{nodes: number, speed: number}>][]} */
const contestants = [
  ["native, AVX2", native("avx2")],
  ["native, portable", native("portable")],
  ["WebAssembly, one thread", inBrowser("petard.wasm", false, true)],
  ["WebAssembly, one thread, without vectors", inBrowser("plain.wasm", false, false)],
];
if (HAS_THREADS) contestants.push(["WebAssembly, shared memory, one search thread", inBrowser("petard-threads.wasm", true, true)]);

/** @type {{nodes: number, speed: number}[][]} */
const results = contestants.map(() => []);
for (let round = 0; round < ROUNDS; round++) {
  console.log(`round ${round + 1}, load ${loadavg()[0].toFixed(1)}`);
  for (const [at, [, run]] of contestants.entries()) results[at].push(await run());
}
await browser.close();
await Promise.all(Object.values(hosts).map((host) => host.close()));

console.log("\n| engine | signature | nodes/s | of native AVX2 | least to most |\n|---|---|---|---|---|");
for (const [at, [name]] of contestants.entries()) {
  const ratios = results[at].map(({ speed }, round) => speed / results[0][round].speed);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  console.log(`| ${name} | ${results[at][0].nodes} | ${middle(results[at].map(({ speed }) => speed))} | ${middle(ratios).toFixed(2)} | ${low.toFixed(2)} to ${high.toFixed(2)} |`);
}
console.log("\n| module | `stop` to `bestmove`, ms | most |\n|---|---|---|");
for (const [name, times] of Object.entries(stops)) console.log(`| ${name} | ${middle(times).toFixed(1)} | ${Math.max(...times).toFixed(1)} |`);
