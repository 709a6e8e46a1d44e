/**
 * Measures speed: the native engine with each set of vectors, and modules in Node. In alternating
 * runs of `bench`, because machines are noisy; what counts are the ratios.
 *
 *     node measure.mjs [--rounds 5] [--engine ../../target/release/petard]
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ENGINE, compile, hasNightly } from "./build.mjs";
import { openEngine } from "./tests/engine.mjs";

const BUILT = fileURLToPath(new URL("../../target/release/petard", import.meta.url));
const MEASURED = fileURLToPath(new URL("../../target/wasm/measured/", import.meta.url));
const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" }, engine: { type: "string", default: BUILT } } });

/** A module that is only measured, built if it is not there. @param {import("./build.mjs").Variant} variant */
function measured(variant) {
  mkdirSync(MEASURED, { recursive: true });
  const path = `${MEASURED}${variant.name}.wasm`;
  if (!existsSync(path)) writeFileSync(path, compile(variant));
  return path;
}

/** Nodes a second as `bench` tells them. @param {string} line */
const speedOf = (line) => Number(/(\d+) nps/.exec(line)?.[1]);

/** @param {string} set */
const native = (set) => async () => speedOf(execFileSync(values.engine, ["bench", "--simd", set], { encoding: "utf8" }).trim().split("\n").at(-1) ?? "");

/** @param {string} path @param {boolean} isIsolated */
const inNode = (path, isIsolated) => async () => {
  const file = { name: pathToFileURL(path).href, bytes: 1 };
  const engine = openEngine({ isIsolated, files: { single: file, threads: isIsolated ? file : undefined, megabytes: 512 } });
  try {
    await engine.ask("isready", "readyok");
    engine.send("bench breakthrough");
    for (;;) {
      const [line] = (await engine.until("")).slice(-1);
      if (line.endsWith(" nps")) return speedOf(line);
    }
  } finally {
    await engine.close();
  }
};

/** @type {[string, () => Promise<number>][]} */
const contestants = [
  ["native, AVX2", native("avx2")],
  ["native, portable", native("portable")],
  ["WebAssembly, one thread", inNode(`${ENGINE}petard.wasm`, false)],
  ["WebAssembly, one thread, without vectors", inNode(measured({ name: "plain", simd: false }), false)],
];
if (hasNightly()) contestants.push(["WebAssembly, shared memory", inNode(`${ENGINE}petard-threads.wasm`, true)]);

/** @type {number[][]} */
const speeds = contestants.map(() => []);
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [at, [, run]] of contestants.entries()) speeds[at].push(await run());
}
const [first] = speeds;
console.log("| engine | nodes/s | of native AVX2 |\n|---|---|---|");
for (const [at, [name]] of contestants.entries()) {
  const middle = (/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)[list.length >> 1];
  const ratio = middle(speeds[at].map((speed, round) => speed / first[round]));
  console.log(`| ${name} | ${middle(speeds[at])} | ${ratio.toFixed(2)} |`);
}
