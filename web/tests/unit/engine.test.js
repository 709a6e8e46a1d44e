import assert from "node:assert/strict";
import test from "node:test";
import { persist } from "../../js/control/app.js";
import { ConnectionLost, Engine, EngineFailed, PositionRefused } from "../../js/engine/engine.js";
import { parseInfo, parseNote, parseOption, parseProgress } from "../../js/engine/parse.js";
import { factsOf, legalPrefix, valuesOf } from "../../js/engine/questions.js";
import { overSocket } from "../../js/engine/transport.js";

test("lines of a search", () => {
  const info = parseInfo(
    "info depth 6 seldepth 7 multipv 2 score cp -11 lowerbound wdl 480 0 520 nodes " +
      "2343 nps 332125 hashfull 1 time 7 pv a7b6 h2g3",
  );
  assert.deepEqual(info, {
    depth: 6,
    multipv: 2,
    score: { cp: -11, bound: "lower", wdl: [480, 0, 520] },
    nodes: 2343,
    nps: 332125,
    hashfull: 1,
    pv: ["a7b6", "h2g3"],
  });
  assert.deepEqual(parseInfo("info depth 0 score mate 0")?.score, { mate: 0 });
  assert.equal(parseInfo("info string hello"), null);
  assert.deepEqual(
    [
      "info string refused: no",
      "info string a b",
      "info string proof unknown",
      "info string variant 8x8 files 8",
      "info depth 1",
    ].map(parseNote),
    ["no", "a b", null, null, null],
  );
});

test("options, progress of a proof", () => {
  assert.deepEqual(parseOption("option name UCI_Elo type spin default 2990 min -350 max 2990"), {
    name: "UCI_Elo",
    min: -350,
    max: 2990,
  });
  assert.equal(
    parseOption("option name Evaluation type combo default network var network var handcrafted")
      ?.name,
    "Evaluation",
  );
  const progress = parseProgress(
    "info nodes 276480 nps 178106 hashfull 28 time 1600 proof 12663 disproof inf",
  );
  assert.deepEqual(
    progress && [progress.time, progress.nodes, progress.proof, progress.disproof, progress.table],
    [1600, 276480, 12663, null, 0.028],
  );
});

/** An engine in a few lines: it answers what the test needs and writes down what it hears. */
function fake() {
  /** @type {string[]} */
  const heard = [];
  /** @type {{ends: any}[]} */
  const opened = [];
  const open = (ends) => {
    opened.push({ ends });
    setTimeout(() => ends.open(), 0);
    const say = (line) => setTimeout(() => ends.line(line), 0);
    let searching = false;
    let refused = false;
    return {
      close: () => ends.closed(""),
      send(line) {
        heard.push(line);
        if (line === "setoption name Hash value 77")
          say("info string a hash table of 77 MB is too large: only 9 MB left; it stays at 64 MB");
        if (line === "uci")
          ["id name fake", "option name Hash type spin default 64 min 1 max 99", "uciok"].forEach(
            say,
          );
        refused = line.startsWith("position") ? line.includes("z9") : refused;
        const reason = refused ? "move 1: 'z9z8' is illegal" : null;
        if (line.startsWith("position") && refused) say(`info string position refused: ${reason}`);
        if (line === "d json")
          say(
            JSON.stringify({
              fen: "x w 0 1",
              legal: ["a2a3", "a2b3"],
              outcome: null,
              refused: reason,
            }),
          );
        if (line.startsWith("line "))
          say(
            JSON.stringify(
              refused
                ? { fen: null, moves: [], error: reason }
                : { fen: "x w 0 1", moves: [{ move: "a2a3" }], error: "move 2: 'a2a4' is illegal" },
            ),
          );
        if (line === "eval json") say(JSON.stringify({ pieces: { a1: 169, h8: -161 } }));
        if (line === "go infinite")
          (searching = true),
            say("info depth 1 multipv 1 score cp 1 nodes 1 nps 1 hashfull 0 time 0 pv a2a3");
        if (line === "go depth 1") say("bestmove a2a3");
        if (line === "stop" && searching) (searching = false), say("bestmove a2b3");
      },
    };
  };
  return { open, heard, opened };
}

const place = { variant: /** @type {const} */ ("breakthrough"), fen: "x w 0 1", moves: ["a2a3"] };

test("questions are answered in order and options are sent once", async () => {
  const { open, heard } = fake();
  const engine = new Engine(open);
  assert.deepEqual(await factsOf(engine, place), {
    fen: "x w 0 1",
    moves: ["a2a3", "a2b3"],
    winner: null,
    reason: null,
    theory: { results: {}, book: [] },
  });
  assert.deepEqual(await legalPrefix(engine, { ...place, moves: ["a2a3", "a2a4"] }), {
    count: 1,
    reason: "move 2: 'a2a4' is illegal",
  });
  assert.deepEqual(await legalPrefix(engine, { ...place, moves: [] }), { count: 0, reason: "" });
  await assert.rejects(legalPrefix(engine, { ...place, fen: "z9 w" }), PositionRefused);
  assert.deepEqual(await valuesOf(engine, place), { a1: 169, h8: -161 });
  const found = await Promise.all(
    [1, 2].map(() => engine.search(place, "go depth 1", { options: { Hash: 32 } })),
  );
  assert.deepEqual(
    found.map((one) => one.move),
    ["a2a3", "a2a3"],
  );
  assert.equal(heard.filter((line) => line === "setoption name Hash value 32").length, 1);
  assert.equal(engine.name, "fake");
});

test("a number beyond what the engine grants becomes the nearest", async () => {
  const { open, heard } = fake();
  const engine = new Engine(open);
  await engine.search(place, "go depth 1", { options: { Hash: 5000 } });
  assert.ok(heard.includes("setoption name Hash value 99"));
});

test("a table that is refused is asked for again", async () => {
  const { open, heard } = fake();
  const engine = new Engine(open);
  /** @type {string[]} */
  const reported = [];
  for (let search = 0; search < 2; search++)
    await engine.search(place, "go depth 1", {
      options: { Hash: 77, Threads: 1 },
      line: (line) => reported.push(line),
    });
  assert.equal(heard.filter((line) => line === "setoption name Hash value 77").length, 2);
  assert.equal(heard.filter((line) => line === "setoption name Threads value 1").length, 1);
  assert.equal(
    reported.filter((line) => line.includes("it stays at 64 MB")).length,
    2,
    "whoever searches hears of it",
  );
});

test("what a search is to do may be said when its turn comes", async () => {
  const { open, heard } = fake();
  const engine = new Engine(open);
  let depth = 9;
  const first = engine.search(place, "go depth 1", {});
  const second = engine.search(place, () => `go depth ${depth}`, {});
  await first;
  depth = 1;
  await second;
  assert.equal(heard.filter((line) => line.startsWith("go")).join(), "go depth 1,go depth 1");
});

/**
 * Waits until a line has been sent, however busy the machine.
 * @param {string[]} heard
 * @param {string} line
 */
async function sent(heard, line) {
  while (!heard.includes(line)) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("a gentle search gives way, and a refused position is never searched", async () => {
  const { open, heard } = fake();
  const engine = new Engine(open);
  const gentle = engine.search(place, "go infinite", { gentle: true });
  await sent(heard, "go infinite");
  const facts = factsOf(engine, place);
  assert.equal((await gentle).move, "a2b3");
  assert.equal((await facts).moves.length, 2);
  const before = heard.length;
  await assert.rejects(
    engine.search({ ...place, moves: ["z9z8"] }, "go depth 1", {}),
    PositionRefused,
  );
  assert.ok(!heard.slice(before).includes("go depth 1"));
});

test("an early stop is not lost", async () => {
  const { open } = fake();
  const engine = new Engine(open);
  const abort = new AbortController();
  const search = engine.search(place, "go infinite", { signal: abort.signal });
  abort.abort();
  assert.equal((await search).move, null);
});

test("work during a lost connection fails, later work waits for the next one", async () => {
  const { open, opened, heard } = fake();
  /** @type {string[]} */
  const links = [];
  const engine = new Engine(open, (link) => links.push(link.status));
  const search = engine.search(place, "go infinite", { options: { Hash: 32 } });
  await sent(heard, "go infinite");
  opened[0].ends.closed("");
  await assert.rejects(search, ConnectionLost);
  const facts = await factsOf(engine, place);
  assert.equal(facts.moves.length, 2);
  await engine.search(place, "go depth 1", { options: { Hash: 32 } });
  assert.deepEqual(links, ["open", "lost", "open"]);
  assert.equal(heard.filter((line) => line === "setoption name Hash value 32").length, 2);
});

test("an engine that ends again and again during the same work is given up; others are not", async () => {
  const { open, opened } = fake();
  let isBroken = true;
  const breaking = (/** @type {any} */ ends) => {
    const transport = open(ends);
    const send = (/** @type {string} */ line) => {
      if (isBroken && line === "d json") ends.closed("");
      else transport.send(line);
    };
    return { ...transport, send };
  };
  const engine = new Engine(breaking);
  // The waits between attempts are not what is tried here.
  const timer = setInterval(() => engine.retry(), 1);
  await assert.rejects(
    persist(() => factsOf(engine, place)),
    (error) => error instanceof EngineFailed && /5 times/.test(error.message),
  );
  assert.equal(opened.length, 5);
  isBroken = false;
  assert.equal((await persist(() => factsOf(engine, place))).moves.length, 2);
  // One that finds something may end as often as it likes.
  for (let loss = 0; loss < 7; loss++) {
    await assert.rejects(
      engine.search(place, "go infinite", { info: () => opened.at(-1)?.ends.closed("") }),
      ConnectionLost,
    );
  }
  clearInterval(timer);
  engine.close();
});

test("a line's end in a text does not become a command", async () => {
  const { open, heard } = fake();
  const engine = new Engine(open);
  await factsOf(engine, { ...place, fen: "x w 0 1\nquit" });
  assert.ok(heard.includes("position fen x w 0 1 quit moves a2a3"));
});

test("a server that does not answer is reported; it may answer later, or be asked anew", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  /** @type {(EventTarget & {sent: string[], ended: boolean})[]} */
  const sockets = [];
  class Socket extends EventTarget {
    sent = /** @type {string[]} */ ([]);
    ended = false;
    constructor() {
      super();
      sockets.push(this);
    }
    send = (/** @type {string} */ line) => this.sent.push(line);
    close = () => (this.ended = true);
  }
  Object.assign(globalThis, { WebSocket: Socket });
  t.after(() => Reflect.deleteProperty(globalThis, "WebSocket"));
  /** @type {string[]} */
  const links = [];
  const engine = new Engine(overSocket(""), ({ status, reason }) =>
    links.push(`${status} ${reason}`),
  );
  const answer = (/** @type {EventTarget} */ socket) =>
    socket.dispatchEvent(Object.assign(new Event("message"), { data: "id name fake\nuciok" }));
  t.mock.timers.tick(9000);
  sockets[0].dispatchEvent(new Event("open"));
  assert.deepEqual(links, [], "it may be slow");
  t.mock.timers.tick(1000);
  assert.deepEqual(links, ["lost The engine does not answer."]);
  engine.retry();
  assert.ok(sockets[0].ended);
  assert.equal(sockets.length, 2);
  t.mock.timers.tick(10_000);
  sockets[1].dispatchEvent(new Event("open"));
  answer(sockets[1]);
  await engine.ready;
  t.mock.timers.tick(30_000);
  assert.equal(sockets.length, 2);
  assert.deepEqual(links.slice(-2), ["lost The engine does not answer.", "open "]);
  engine.retry();
  assert.equal(sockets.length, 2, "it is there");
});

test("a session closed for being idle is opened again when there is work, not before", async () => {
  const { open, opened } = fake();
  /** @type {string[]} */
  const links = [];
  const engine = new Engine(open, (link) => links.push(link.status));
  await factsOf(engine, place);
  opened[0].ends.closed("", true);
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(opened.length, 1);
  assert.equal((await factsOf(engine, place)).moves.length, 2);
  assert.deepEqual(links, ["open", "idle", "connecting", "open"]);
});

test("an engine inside the page takes over when the server stays away", async () => {
  const near = fake();
  let attempts = 0;
  const away = (/** @type {any} */ ends) => {
    attempts++;
    queueMicrotask(() => ends.closed(""));
    return { send: () => undefined, close: () => undefined };
  };
  const engine = new Engine(away, () => undefined, near.open);
  const facts = factsOf(engine, { variant: "breakthrough", fen: "8/8 w 0 1", moves: [] });
  while (engine.link.status !== "open") {
    await new Promise((resolve) => setTimeout(resolve, 10));
    engine.retry();
  }
  assert.equal(attempts, 3);
  assert.ok(near.heard.includes("uci"));
  await facts;
  engine.close();
});

test("an engine inside the page takes over at once from a server that falls silent", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const near = fake();
  /** @type {any} */
  let ends;
  const far = (/** @type {any} */ its) => {
    ends = its;
    return { send: () => undefined, close: () => ends.closed("") };
  };
  /** @type {string[]} */
  const links = [];
  const engine = new Engine(
    far,
    ({ status, reason }) => links.push(`${status} ${reason}`),
    near.open,
  );
  ends.silent();
  // The wait before the next connection, and what the engine in the page says.
  while (engine.link.status !== "open") {
    t.mock.timers.tick(2000);
    await Promise.resolve();
  }
  assert.equal(near.opened.length, 1);
  assert.deepEqual(links, ["lost The engine does not answer.", "lost ", "open "]);
  engine.close();
});

test("where the engine inside the page cannot be loaded, the server is tried again", async () => {
  const server = fake();
  let [isAway, loads] = [true, 0];
  const away = (/** @type {any} */ ends) => {
    queueMicrotask(() => ends.closed(""));
    return { send: () => undefined, close: () => undefined };
  };
  const far = (/** @type {any} */ ends) => (isAway ? away(ends) : server.open(ends));
  const near = (/** @type {any} */ ends) => {
    loads++;
    isAway = false;
    return away(ends);
  };
  const engine = new Engine(far, () => undefined, near);
  while (engine.link.status !== "open") {
    await new Promise((resolve) => setTimeout(resolve, 10));
    engine.retry();
  }
  assert.equal(loads, 3);
  assert.ok(server.heard.includes("uci"));
  engine.close();
});
