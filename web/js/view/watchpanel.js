/** Beside the board while two engines play. */

import { changeSettings } from "../control/library.js";
import { goOn, newMatch, pauseMatch } from "../control/watch.js";
import { button, number } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { graph } from "./graph.js";
import { moveList, resultText } from "./moves.js";
import { gamePanel, levelField } from "./setup.js";

/** @param {App} app */
export function watchPanel(app) {
  const { store } = app;
  const { settings } = store.state;
  const seconds = (/** @type {string} */ label, /** @type {0 | 1} */ side) =>
    number(
      label,
      { value: settings.watchSeconds[side], min: 0.1, max: 600, step: 0.1, unit: "s" },
      (value) => {
        const [white, black] = store.state.settings.watchSeconds;
        changeSettings(app, { watchSeconds: side ? [white, value] : [value, black] });
      },
    );
  const fields = [
    levelField("White", settings.watch[0], (id) =>
      changeSettings(app, { watch: [id, store.state.settings.watch[1]] }),
    ),
    levelField("Black", settings.watch[1], (id) =>
      changeSettings(app, { watch: [store.state.settings.watch[0], id] }),
    ),
    h("div", { class: "pair" }, seconds("White thinks for", 0), seconds("Black thinks for", 1)),
  ];
  return gamePanel(app, {
    view: "watch",
    settings: ["Engine against engine", ...fields],
    start: newMatch,
    running,
    first: ".actions button",
  });
}

/** @param {App} app @param {HTMLElement} study @param {HTMLElement} again */
function running(app, study, again) {
  const { store } = app;
  const state = h("div", { class: "state" });
  const pause = button("pause", "Pause", () => pauseMatch(app));
  const go = button("play", "Resume", () => goOn(app), "primary");
  const draw = () => {
    const { games, watching, obstacle, view } = store.state;
    const game = games.watch;
    if (!game || view !== "watch") return;
    const focused = document.activeElement;
    pause.hidden = !watching;
    go.hidden = watching || game.result !== "*";
    // The keyboard goes from one to the other, or on.
    if (focused === pause || focused === go) (watching ? pause : go.hidden ? again : go).focus();
    fill(
      state,
      game.result === "*"
        ? h("p", null, watching ? obstacle || "The engines are playing." : "Paused.")
        : h(
            "p",
            { class: "result" },
            h("b", null, resultText(game.result)),
            h("span", null, game.reason),
          ),
    );
  };
  store.on(["games", "watching", "obstacle", "rev", "view"], draw);
  draw();
  return h(
    "section",
    { class: "card game-card" },
    state,
    graph(app),
    moveList(app),
    h("div", { class: "actions" }, pause, go, study, again),
  );
}
