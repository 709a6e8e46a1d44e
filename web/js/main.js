/** The page's entry point. */

import { keepAddress } from "./control/address.js";
import { keepAnalysing, keepLooking } from "./control/analysis.js";
import { loadFacts, markChanged, notify, shownGame } from "./control/app.js";
import { keepExploring } from "./control/explorer.js";
import { keepHistory } from "./control/history.js";
import { followLink } from "./control/import.js";
import { listenToKeys } from "./control/keys.js";
import { keepGames, readSettings, restore } from "./control/library.js";
import { keepProvingMoves } from "./control/oracle.js";
import { begin, resume } from "./control/play.js";
import { keepProven } from "./control/proofs.js";
import { Engine, EngineFailed } from "./engine/engine.js";
import { engineAddress, overSocket } from "./engine/transport.js";
import { overWorker, workerOf } from "./engine/worker.js";
import { TreeFull } from "./model/tree.js";
import { createState } from "./state.js";
import { keepTheme } from "./view/frame.js";
import { loadingBar, shell } from "./view/shell.js";

/** Where the engine is, and what the review's words mean. */
const worker = workerOf(document);
const inPage = worker && overWorker(worker, loadingBar(document.documentElement));
// A page that a server sends with an engine inside has that one in reserve.
const isSpare = Boolean(document.querySelector('meta[name="petard-worker"][data-spare]'));
const open = inPage && !isSpare ? inPage : overSocket(engineAddress(document.baseURI));
const numbers = fetch(new URL("../data/judgement.json", import.meta.url)).then((answer) =>
  answer.json(),
);

async function main() {
  const store = createState(readSettings());
  keepTheme(store);
  const engine = new Engine(open, (link) => store.set({ link }), isSpare ? inPage : null);
  /** @type {App} */
  const app = {
    store,
    engine,
    open: (ends) => engine.open(ends),
    numbers: await numbers,
  };
  const link = location.hash;
  const isAsLeft = await restore(app, (mode, game) => {
    if (mode === "play") begin(app, game);
    else markChanged(app, undefined, { games: { ...store.state.games, [mode]: game } });
  });
  // A view is shown at once, a position once the engine has checked it.
  const followed = link.length > 1 && !isAsLeft ? followLink(app, link) : Promise.resolve();
  shell(app, document.body);
  followed.finally(() => document.body.setAttribute("data-ready", ""));
  keepGames(app);
  keepHistory(app);
  keepAddress(app, followed);
  listenToKeys(app);
  keepAnalysing(app);
  keepLooking(app);
  keepProven(app);
  keepExploring(app);
  keepProvingMoves(app);
  const { play } = store.state.games;
  if (play) resume(app, play);
  const ask = () => {
    const game = shownGame(app);
    if (game) loadFacts(app, game, game.at);
  };
  store.on(["view", "games"], ask);
  ask();
  addEventListener("online", () => engine.retry());
  const isForPeople = (/** @type {unknown} */ error) =>
    error instanceof TreeFull || error instanceof EngineFailed;
  const broken = (/** @type {any} */ error) =>
    notify(
      app,
      `${isForPeople(error) ? "" : "Something went wrong: "}${error?.message ?? error}`,
      "error",
    );
  addEventListener("unhandledrejection", (event) => broken(event.reason));
  addEventListener("error", (event) => broken(event.error ?? event.message));
}

main();
