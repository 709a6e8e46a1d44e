import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { keepAnalysing, keepLooking } from "../../js/control/analysis.js";
import { flip, markChanged, shownGame, walk } from "../../js/control/app.js";
import { stopClock, timeLeft } from "../../js/control/clock.js";
import { openEditor } from "../../js/control/editor.js";
import { followLink } from "../../js/control/import.js";
import {
  changeSettings,
  deleteGames,
  keepGames,
  listGames,
  readSettings,
} from "../../js/control/library.js";
import {
  begin,
  hint,
  liveNode,
  newGame,
  personMoves,
  premove,
  resign,
  takeBack,
} from "../../js/control/play.js";
import { prove, stopProof } from "../../js/control/proof.js";
import { proofByMoves } from "../../js/control/proofs.js";
import { review, stopReview } from "../../js/control/review.js";
import { goOn, pauseMatch } from "../../js/control/watch.js";
import { Engine } from "../../js/engine/engine.js";
import { createGame, startOf } from "../../js/model/game.js";
import { addMove } from "../../js/model/tree.js";
import { createState, DEFAULTS } from "../../js/state.js";

const LEGAL = ["a2a3", "b2b3", "c2c3", "a7a6", "b7b6"];

/** What the browser has and Node lacks. */
const page = /** @type {any} */ (Object.assign(new EventTarget(), { hidden: false }));
Object.assign(globalThis, { document: page, addEventListener: () => undefined });
if (!globalThis.navigator) Object.assign(globalThis, { navigator: {} });

/** Waits for something that comes soon, however busy the machine. @param {() => boolean} holds */
async function until(holds) {
  for (let step = 0; step < 1000 && !holds(); step++) await wait(10);
  assert.ok(holds());
}

/** An app whose engine answers searches when the test says so. @param {object} settings */
function stub(settings) {
  /**
   * @type {{go: string | (() => string), signal: AbortSignal, answer: (move: string | null) =>
   * Promise<void>}[]}
   */
  const searches = [];
  const engine = {
    ask: async () => ({ fen: "", legal: LEGAL, outcome: null, refused: null }),
    search: (_, go, { signal }) =>
      new Promise((resolve) => {
        const answer = async (/** @type {string | null} */ move) => {
          resolve({ move, lines: [] });
          // The page waits a moment before it shows a quick move.
          await wait(400);
        };
        searches.push({ go, signal, answer });
      }),
  };
  const store = createState({ ...DEFAULTS, ...settings });
  return {
    app: /** @type {any} */ ({ store, engine }),
    searches,
    game: () => /** @type {any} */ (store.state.games.play),
  };
}

test("no clock runs once the first move is taken back", async (t) => {
  t.after(stopClock);
  const { app, game } = stub({ side: "both", minutes: 5 });
  newGame(app);
  await wait(0);
  personMoves(app, "a2a3");
  await wait(30);
  takeBack(app);
  await wait(0);
  const left = () => [timeLeft(game(), "white"), timeLeft(game(), "black")];
  const before = left();
  assert.ok(before[1] < 300_000, "the time that was used is gone");
  await wait(150);
  assert.deepEqual(left(), before);
});

test("a planned move is made at its turn or not at all", async () => {
  const { app, game, searches } = stub({ side: "white" });
  newGame(app);
  await wait(0);
  personMoves(app, "a2a3");
  await wait(0);
  premove(app, "b2b3");
  game().at = 0;
  await searches[0].answer("a7a6");
  assert.equal(liveNode(game()).move, "a7a6");
  assert.equal(app.store.state.premove, null);
  assert.match(app.store.state.said, /not played/);
  game().at = liveNode(game()).id;
  personMoves(app, "c2c3");
  await wait(0);
  await searches[1].answer("b7b6");
  assert.equal(liveNode(game()).move, "b7b6", "nothing has moved since");
});

test("a hint ends with a move, a step back and the next hint", async () => {
  const { app, searches } = stub({ side: "both" });
  newGame(app);
  await wait(0);
  hint(app);
  hint(app);
  assert.ok(searches[0].signal.aborted);
  personMoves(app, "a2a3");
  assert.ok(searches[1].signal.aborted);
  await searches[1].answer("b2b3");
  assert.equal(app.store.state.hint, null);
  hint(app);
  takeBack(app);
  assert.ok(searches[2].signal.aborted);
  await wait(0);
  hint(app);
  await searches[3].answer("b2b3");
  assert.equal(app.store.state.hint, "b2b3");
});

test("the clocks' limits are those of the moment when the search begins", async (t) => {
  t.after(stopClock);
  const { app, searches } = stub({ side: "white", minutes: 5, increment: 0 });
  newGame(app);
  await wait(0);
  personMoves(app, "a2a3");
  await wait(50);
  const [{ go }] = searches;
  assert.ok(typeof go === "function");
  const black = Number(/btime (\d+)/.exec(go())?.[1]);
  assert.ok(black <= 299_960, `${black} ms left`);
  begin(app, createGame("play", "breakthrough", startOf("8x8").fen));
});

/**
 * Engines that answer questions and search until they are stopped.
 * @param {string[]} [proof] what `go prove` is answered with
 */
function engines(proof = []) {
  /** @type {any[]} */
  const opened = [];
  const open = (/** @type {any} */ ends) => {
    const heard = /** @type {string[]} */ ([]);
    const one = { ends, heard, closed: false };
    opened.push(one);
    setTimeout(() => ends.open(), 0);
    const say = (/** @type {string} */ line) => setTimeout(() => ends.line(line), 0);
    return {
      close: () => ((one.closed = true), ends.closed("")),
      send(/** @type {string} */ line) {
        heard.push(line);
        if (line === "uci") say("uciok");
        if (line === "d json")
          say(JSON.stringify({ fen: "", legal: LEGAL, outcome: null, refused: null }));
        if (line === "stop") say("bestmove a2a3");
        if (line === "go prove") proof.forEach(say);
      },
    };
  };
  const store = createState({ ...DEFAULTS });
  store.set({ view: "analyse" });
  const engine = new Engine(open, (link) => store.set({ link }));
  return { app: /** @type {any} */ ({ store, engine, open }), opened };
}

test("a proof has a connection of its own and closes it", async (t) => {
  const { app, opened } = engines();
  t.after(() => app.engine.close());
  const proving = prove(app);
  await until(() => opened[1].heard.includes("go prove"));
  assert.equal(
    (await app.engine.search({ variant: "breakthrough", fen: "x w 0 1", moves: [] }, "stop", {}))
      .move,
    "a2a3",
    "other work does not wait",
  );
  stopProof();
  await proving;
  assert.ok(opened[1].closed && !opened[0].closed);
  assert.equal(app.store.state.proof.status, "stopped");
});

test("a proof whose connection cannot be made, or is lost, is over", async (t) => {
  const { app, opened } = engines();
  t.after(() => app.engine.close());
  const first = prove(app);
  opened[1].ends.closed("all sessions are in use");
  await first;
  assert.deepEqual(
    [app.store.state.proof.status, app.store.state.proof.reason],
    ["lost", "all sessions are in use"],
  );
  const second = prove(app);
  stopProof();
  await second;
  assert.equal(app.store.state.proof.status, "stopped");
  await wait(400);
  assert.equal(opened.length, 3, "nothing connects again");
});

test("a proof that is refused says why", async (t) => {
  const { app } = engines([
    "info string refused: a proof table of 512 MB is too large: only 100 MB left",
    "bestmove (none)",
  ]);
  t.after(() => app.engine.close());
  await prove(app);
  assert.deepEqual(
    [app.store.state.proof.status, app.store.state.proof.reason],
    ["open", "The engine says: a proof table of 512 MB is too large: only 100 MB left."],
  );
});

test("an analysis that ended because nobody saw the page waits until somebody does", async (t) => {
  const { app, opened } = engines();
  t.after(() => app.engine.close());
  keepAnalysing(app);
  await until(() => opened[0].heard.includes("go infinite"));
  page.hidden = true;
  opened[0].ends.closed("", true);
  await wait(400);
  assert.equal(opened.length, 1);
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  await until(() => opened[1]?.heard.includes("go infinite"));
  app.store.set({ analysing: false });
  await until(() => opened[1].heard.includes("stop"));
});

test("a game that another one replaces is saved first", async () => {
  const store = createState({ ...DEFAULTS });
  const app = /** @type {any} */ ({ store });
  keepGames(app);
  const { games } = store.state;
  addMove(games.analyse.tree, 0, "a2a3");
  markChanged(app, games.analyse);
  await wait(10);
  markChanged(app, undefined, {
    games: { ...games, analyse: createGame("analyse", "breakthrough", startOf("6x6").fen) },
  });
  await wait(400);
  assert.deepEqual(
    listGames().map((one) => [one.id, one.plies]),
    [[games.analyse.id, 1]],
  );
});

test("what is proven stays proven", async (t) => {
  const { app, opened } = engines();
  t.after(() => app.engine.close());
  keepAnalysing(app);
  await until(() => opened[0].heard.includes("go infinite"));
  const [{ ends }] = opened;
  const root = app.store.state.games.analyse.tree.nodes[0];
  ends.line("info depth 9 multipv 1 score mate 4 nodes 1 nps 1 hashfull 0 pv a2a3");
  await until(() => root.opinion);
  ends.line("info depth 1 multipv 1 score cp 10 nodes 1 nps 1 hashfull 0 pv b2b3");
  await until(() => app.store.state.analysis.lines[0]?.depth === 1);
  assert.equal(root.opinion.score.mate, 4);
  app.store.set({ analysing: false });
});

test("a mistake that is asked hushes the engine in its own game alone", async (t) => {
  const { app, opened } = engines();
  t.after(() => app.engine.close());
  const { games } = app.store.state;
  app.store.set({
    practice: {
      game: games.analyse.id,
      nodes: [0],
      at: 0,
      found: 0,
      status: "ask",
      move: "",
    },
  });
  keepAnalysing(app);
  await wait(50);
  assert.ok(!opened[0].heard.includes("go infinite"));
  app.store.set({
    games: { ...games, analyse: createGame("analyse", "breakthrough", startOf("6x6").fen) },
  });
  await until(() => opened[0].heard.includes("go infinite"));
  app.store.set({ analysing: false });
});

test("the search for a threat ends with its position", async (t) => {
  const { app, opened } = engines();
  t.after(() => app.engine.close());
  keepLooking(app);
  app.store.set({ showThreat: true });
  await until(() => opened[0].heard.includes("go pass movetime 300"));
  const { analyse } = app.store.state.games;
  analyse.at = addMove(analyse.tree, 0, "a2a3").id;
  markChanged(app, analyse);
  await until(() => opened[0].heard.includes("stop"));
  app.store.set({ showThreat: false });
});

test("a review stops at once, though there is no connection", async () => {
  const { app, searches } = stub({});
  app.store.set({ view: "analyse" });
  addMove(app.store.state.games.analyse.tree, 0, "a2a3");
  const reviewing = review(app);
  await until(() => searches.length === 1);
  stopReview(app);
  assert.equal(app.store.state.review, null);
  const again = review(app);
  await until(() => searches.length === 2);
  await searches[0].answer(null);
  await reviewing;
  assert.ok(app.store.state.review, "the one that was stopped does not end the next one");
  stopReview(app);
  await searches[1].answer(null);
  await again;
});

test("a review made again ends what was asked by the old one", () => {
  const { app } = stub({});
  app.store.set({ view: "analyse" });
  const { analyse } = app.store.state.games;
  const seen = { score: { cp: 0 }, best: "b2b3" };
  const { id } = addMove(analyse.tree, 0, "a2a3");
  const practice = {
    game: analyse.id,
    nodes: [id],
    at: 0,
    found: 0,
    status: /** @type {const} */ ("ask"),
    move: "",
  };
  analyse.review = { 0: seen };
  app.store.set({ practice });
  review(app);
  assert.ok(app.store.state.practice && analyse.review[0], "one that goes on keeps both");
  stopReview(app);
  analyse.review = { 0: seen, [id]: seen };
  review(app);
  assert.deepEqual([app.store.state.practice, analyse.review], [null, {}]);
  stopReview(app);
});

test("a review stopped while it waits stays stopped", async () => {
  const { app } = stub({});
  app.store.set({ view: "analyse" });
  addMove(app.store.state.games.analyse.tree, 0, "a2a3");
  let answer = (/** @type {object} */ _) => {};
  app.engine.ask = () => new Promise((resolve) => (answer = resolve));
  const reviewing = review(app);
  stopReview(app);
  answer({ fen: "", legal: [], outcome: { winner: "white", reason: "arrived" }, refused: null });
  await reviewing;
  assert.equal(app.store.state.review, null);
});

test("a line that is played out ends with its view", async () => {
  const { app } = stub({});
  const preview = { fen: startOf("5x5").fen, variant: "breakthrough", moves: ["a2a3"], shown: 1 };
  app.store.set({ preview });
  newGame(app);
  assert.equal(app.store.state.preview, null, "a game from here");
  app.store.set({ view: "analyse", preview });
  await followLink(app, "#play");
  assert.equal(app.store.state.preview, null, "Back");
});

test("nobody loses time while a connection is made", async (t) => {
  t.after(stopClock);
  const { app, game } = stub({ side: "both", minutes: 5 });
  newGame(app);
  await wait(0);
  personMoves(app, "a2a3");
  assert.equal(app.store.state.link.status, "connecting");
  const began = performance.now();
  await until(() => performance.now() - began > 500 && timeLeft(game(), "black") > 299_750);
});

test("a match that gets no engine says why, once", async (t) => {
  const { app } = engines();
  t.after(() => (pauseMatch(app), app.engine.close()));
  app.open = (/** @type {any} */ ends) => (
    setTimeout(() => ends.closed("all sessions are in use"), 0),
    { send: () => undefined, close: () => undefined }
  );
  const { games } = app.store.state;
  app.store.set({
    games: { ...games, watch: createGame("watch", "breakthrough", startOf("5x5").fen) },
  });
  goOn(app);
  await until(() => app.store.state.notice?.text === "all sessions are in use");
  assert.equal(app.store.state.obstacle, "all sessions are in use", "it is not said to go on");
  app.store.set({ notice: null });
  await wait(600);
  assert.equal(app.store.state.notice, null, "it has tried again since");
  pauseMatch(app);
  assert.equal(app.store.state.obstacle, "");
});

test("while a position is set up, the game behind it is neither walked through nor analysed", async (t) => {
  const { app, opened } = engines();
  t.after(() => app.engine.close());
  const { analyse } = app.store.state.games;
  analyse.at = addMove(analyse.tree, 0, "a2a3").id;
  keepAnalysing(app);
  await until(() => opened[0].heard.includes("go infinite"));
  openEditor(app);
  await until(() => opened[0].heard.includes("stop"));
  walk(app, "back");
  assert.equal(analyse.at, 1);
  flip(app);
  assert.ok(analyse.flipped, "the board that is set up is flipped with it");
  app.store.set({
    editor: null,
    view: "play",
    settingUp: "play",
    games: {
      ...app.store.state.games,
      play: createGame("play", "breakthrough", startOf("5x5").fen),
    },
  });
  assert.equal(shownGame(app), null);
});

test("a game with clocks that is over and deleted stays so; its end is heard", async () => {
  const { app, game } = stub({ side: "both", minutes: 5 });
  keepGames(app);
  newGame(app);
  await wait(0);
  personMoves(app, "a2a3");
  await wait(0);
  app.store.set({ animate: false });
  resign(app);
  assert.ok(app.store.state.animate, "sounds come with motion");
  const listed = () => listGames().some((one) => one.id === game().id && one.result === "1-0");
  await until(listed);
  deleteGames(app, [game().id]);
  app.store.set({ view: "learn" });
  await wait(400);
  assert.ok(!listed());
});

test("two tabs keep each other's settings", () => {
  const [one, two] = [stub({}), stub({})];
  changeSettings(one.app, { board: "5x5" });
  changeSettings(two.app, { theme: "dark" });
  assert.deepEqual([readSettings().board, readSettings().theme], ["5x5", "dark"]);
});

test("who wins is proven where every move is known, by the rules, a proof or the book", () => {
  const node = /** @type {import("../../types/game").Node} */ ({
    fen: "6/6/6/6/6/6 b 0 1",
    legal: ["a3a2", "a3b2"],
  });
  const entry = { cp: null, searches: 0 };
  /** @type {[Record<string, "won" | "lost">, Record<string, number>, unknown][]} */
  const cases = [
    [{ a3a2: "lost" }, { a3b2: -5 }, { winner: "white", move: null }],
    [{ a3a2: "lost", a3b2: "lost" }, {}, { winner: "white", move: null }],
    [{ a3a2: "lost" }, { a3b2: 3 }, { winner: "black", move: "a3b2" }],
    [{ a3a2: "lost" }, {}, null],
    [{}, {}, null],
  ];
  for (const [results, mates, expected] of cases) {
    const book = Object.entries(mates).map(([move, mate]) => ({ ...entry, move, mate }));
    assert.deepEqual(proofByMoves({ ...node, theory: { results, book } }), expected);
  }
});
