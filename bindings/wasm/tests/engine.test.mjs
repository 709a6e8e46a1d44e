import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import test from "node:test";
import { LEVELS, levelOptions } from "../../../web/js/engine/levels.js";
import { HAS_THREADS, PACKAGE } from "../build.mjs";
import { openEngine } from "./engine.mjs";

const SIGNATURES = readFileSync(new URL("../../../tests/data/bench.txt", import.meta.url), "utf8");

/** Sets a proof file. @param {string} name @param {string} [how] what the tests' `fetch` makes of it */
const proof = (name, how = "") => `setoption name ProofFile value ${new URL(`../../../src/solve/certificates/${name}`, import.meta.url).href}${how}`;

/** Why there are no threads to test; false if there are. Node 20 leaves the engine's thread asleep; browsers do not, nor does Node 24. */
const NO_THREADS = !HAS_THREADS ? "the engine was built without threads" : Number.parseInt(process.versions.node, 10) < 24 ? "threads need Node 24 here; in Chromium they are tested by web/tests" : false;

for (const isIsolated of [false, true]) {
  const name = isIsolated ? "with threads" : "with one thread";
  const skip = isIsolated && NO_THREADS;

  /** @param {string} what @param {(engine: ReturnType<typeof openEngine>) => Promise<void>} run */
  const check = (what, run) =>
    test(`${name}: ${what}`, { skip }, async () => {
      const engine = openEngine({ isIsolated });
      try {
        await run(engine);
      } finally {
        await engine.close();
      }
    });

  check("it introduces itself and grants what a page can have", async (engine) => {
    const lines = await engine.ask("uci", "uciok");
    assert.match(lines[0], /^id name petard /);
    const option = (start) => lines.find((line) => line.startsWith(`option name ${start} `));
    assert.match(option("Hash"), / max 512$/);
    assert.match(option("Threads"), isIsolated ? / max \d+$/ : / max 1$/);
    assert.equal(option("EvalFile"), undefined);
    assert.match(option("ProofFile"), /default <built-in>$/);
    assert.deepEqual(await engine.ask("setoption name EvalFile value x\nisready", "readyok"), ["info string EvalFile is not available here", "readyok"]);
  });

  check("bench has the signature of every machine", async (engine) => {
    for (const line of SIGNATURES.trim().split("\n")) {
      const [variant, nodes] = line.split(" ");
      const [last] = (await engine.ask(`bench ${variant}`, nodes)).slice(-1);
      assert.match(last, new RegExp(`^${nodes} nodes \\d+ nps$`));
    }
  });

  check("it hears what comes while it searches", async (engine) => {
    engine.send("go infinite");
    await engine.until("info depth 6 ");
    await engine.ask("isready", "readyok");
    assert.match((await engine.ask("stop", "bestmove")).at(-1), /^bestmove [a-h]\d[a-h]\d/);
    // What waits for the end of a search is done then, in order.
    engine.send("go infinite\nposition startpos moves a2a3\nd\nstop");
    await engine.until("bestmove");
    assert.ok((await engine.until("Outcome:")).some((line) => line.includes(" b ")));
  });

  check("it waits for a ponder hit and for the stop of a search that is done", async (engine) => {
    engine.send("setoption name Board value 4x4\nposition startpos\ngo ponder depth 3");
    await engine.until("info depth 1 ");
    await engine.ask("isready", "readyok");
    assert.ok(!engine.lines.some((line) => line.startsWith("bestmove")));
    await engine.ask("ponderhit", "bestmove");
    engine.send("go infinite depth 3");
    await engine.ask("isready", "readyok");
    await engine.ask("stop", "bestmove");
  });

  check("it proves, and stops proving", async (engine) => {
    engine.send("setoption name Board value 4x5\nposition startpos");
    const found = await engine.ask("go prove", "bestmove");
    assert.ok(found.some((line) => /black wins/.test(line)), found.join("\n"));
    engine.send("setoption name Board value 8x8\nposition startpos\ngo prove");
    await engine.until("info nodes");
    assert.match((await engine.ask("stop", "bestmove")).at(-1), /^bestmove/);
  });

  check("it counts, and stops counting", async (engine) => {
    assert.ok((await engine.ask("go perft 4", "Nodes searched")).at(-1)?.endsWith(": 256036"));
    engine.send("go perft 12\nstop");
    await engine.until("info string perft stopped");
  });

  check("a search goes to the greatest depth", async (engine) => {
    engine.send("setoption name Board value 3x8\nposition startpos\ngo depth 200 movetime 2000");
    await engine.until("bestmove");
  });

  check("it plays on boards of every size, with a network or without", async (engine) => {
    for (const evaluation of ["network", "article"]) {
      for (const board of ["2x4", "5x5", "6x6", "7x7", "8x8", "10x8", "2x64", "32x4", "11x11", "16x8"]) {
        engine.send(`setoption name Evaluation value ${evaluation}\nsetoption name Board value ${board}\nposition startpos\ngo nodes 2000`);
        assert.match((await engine.until("bestmove")).at(-1), /^bestmove [a-z]+\d+[a-z]+\d+/, board);
      }
    }
  });

  for (const variant of ["breakthrough", "freeling"]) {
    check(`it plays ${variant} at every level`, async (engine) => {
      engine.send(`setoption name UCI_Variant value ${variant}`);
      for (const level of LEVELS) {
        const options = Object.entries(levelOptions(level)).map(([name, value]) => `setoption name ${name} value ${value}\n`);
        engine.send(`${options.join("")}position startpos\ngo nodes 1000`);
        const found = await engine.until("bestmove");
        assert.match(found.at(-1), variant === "freeling" ? /^bestmove (pass|[a-e]\d)/ : /^bestmove [a-h]\d[a-h]\d/);
        assert.ok(!found.some((line) => /^info string (?!variant )/.test(line)), found.join("\n"));
      }
    });
  }

  check("it plays by proofs: those inside, and files that it loads when they are named", async (engine) => {
    const go = async (lines) => (await engine.ask(`${lines}\nposition startpos\ngo movetime 500`, "bestmove")).join("\n");
    assert.match(await go("setoption name Board value 5x5"), /info string proof black wins[^]* score mate -\d/);
    assert.doesNotMatch(await go("setoption name ProofFile value <empty>\nsetoption name Board value 2x14"), /info string proof/);
    // What follows a line that names a file waits until it has been loaded; `stop` does not.
    assert.match(await go(proof("2x14.proof")), /^info string proof white wins$[^]* score mate \d/m);
    engine.send(`go infinite\n${proof("3x8.proof")}\nstop`);
    await engine.until("bestmove");
    assert.match(await go("setoption name Board value 3x8"), /^info string proof white wins$/m);
    // A missing file, or one that is not a proof, is refused, and the others stay.
    const refused = await engine.ask(`${proof("none.proof")}\n${proof("../dfpn.rs")}\nisready`, "readyok");
    assert.match(refused[0], /^info string .*none\.proof.*: not loaded$/);
    assert.match(refused[1], /^info string .*dfpn\.rs/);
    assert.equal(refused.length, 3);
    assert.match(await go("setoption name Board value 2x14"), /^info string proof white wins$/m);
    assert.match(await go("setoption name ProofFile value <built-in>\nsetoption name Board value 4x6"), /^info string proof white wins$/m);
    // Several may wait for the end of a search.
    engine.send(`go infinite\n${proof("2x14.proof")}\n${proof("3x8.proof")}\nsetoption name Board value 3x8\nisready`);
    await engine.until("readyok");
    assert.ok(!(await engine.ask("stop\nd", "Outcome:")).some((line) => line.includes("refused")));
  });

  check("stop and quit do not wait for a file that does not come", async (engine) => {
    engine.send(`go infinite\n${proof("none.proof", "?never")}\nSTOP now`);
    await engine.until("bestmove");
    engine.send("quit");
    await engine.ended();
  });

  check("what is wrong with the engine while it gets a file ends it", async (engine) => {
    await engine.ask(`isready\n${proof("none.proof", `?bytes=${2 ** 31}`)}`, '{"error":');
    await engine.ended();
  });
}

test("quit does not wait for an engine that does not come", async () => {
  const engine = openEngine({ isIsolated: false, files: { single: { name: "petard.wasm?never", bytes: 1 }, megabytes: 1 } });
  engine.send("quit");
  await engine.ended();
});

test("the package has every file that it names, and packs no other", () => {
  const { exports, files } = JSON.parse(readFileSync(`${PACKAGE}package.json`, "utf8"));
  const named = readFileSync(`${PACKAGE}index.js`, "utf8").matchAll(/"\.\/([\w.-]+)"/g);
  const exported = Object.values(exports).flatMap((one) => (typeof one === "string" ? [one] : Object.values(one)));
  const all = new Set([...files, ...exported.map((name) => name.slice(2)), ...[...named].map(([, name]) => name)]);
  // These are packed without being named.
  for (const name of ["LICENSE", "README.md"]) all.add(name);
  const packed = readdirSync(PACKAGE, { recursive: true, encoding: "utf8" });
  const isFile = (/** @type {string} */ name) => statSync(`${PACKAGE}${name}`).isFile();
  assert.deepEqual([...all].sort(), packed.filter(isFile).sort());
});

test("the package tells of a worker that cannot be loaded, and ends it", async () => {
  /** @type {any} */
  let worker;
  let isOver = false;
  class Worker {
    constructor() {
      worker = this;
    }
    postMessage() {}
    terminate() {
      isOver = true;
    }
  }
  Object.assign(globalThis, { Worker });
  const { openEngine: openPackage } = await import(`${PACKAGE}index.js`);
  /** @type {string[]} */
  const faults = [];
  openPackage({ failed: ({ message }) => faults.push(message) });
  worker.onerror({});
  assert.deepEqual([faults, isOver], [["the engine's worker.js cannot be loaded"], true]);
});

test("with threads: several search, and prove", { skip: NO_THREADS }, async () => {
  const engine = openEngine({ isIsolated: true });
  try {
    for (const threads of [2, 3, 2]) {
      await engine.ask(`setoption name Threads value ${threads}\nisready`, "readyok");
      await engine.ask("go movetime 200", "bestmove");
    }
    engine.send("setoption name Board value 4x5\nposition startpos\ngo prove");
    assert.ok((await engine.until("bestmove")).some((line) => /black wins/.test(line)));
  } finally {
    await engine.close();
  }
});
