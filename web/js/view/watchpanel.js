/** Beside the board while two engines play. */

import { changeSettings } from "../control/library.js";
import { goOn, newMatch, pauseMatch } from "../control/watch.js";
import { openToAnalyse } from "../control/bring.js";
import { copyToAnalyse } from "../model/game.js";
import { fill, h } from "../ui/dom.js";
import { button, number } from "../ui/controls.js";
import { graph } from "./graph.js";
import { moveList, resultText } from "./moves.js";
import { boardField, levelField } from "./setup.js";

/** @param {App} app */
export function watchPanel(app) {
  const { store } = app;
  const { settings } = store.state;
  const seconds = (/** @type {string} */ label, /** @type {0 | 1} */ side) =>
    number(label, { value: settings.watchSeconds[side], min: 0.1, max: 600, step: 0.1, unit: "s" }, (value) => {
      const [white, black] = store.state.settings.watchSeconds;
      changeSettings(app, { watchSeconds: side ? [white, value] : [value, black] });
    });
  const form = h(
    "section",
    { class: "card form" },
    h("h2", null, "Engine against engine"),
    boardField(app),
    levelField("White", settings.watch[0], (id) => changeSettings(app, { watch: [id, store.state.settings.watch[1]] })),
    levelField("Black", settings.watch[1], (id) => changeSettings(app, { watch: [store.state.settings.watch[0], id] })),
    h("div", { class: "pair" }, seconds("White thinks for", 0), seconds("Black thinks for", 1)),
    h("div", { class: "row" }, button("play", "Start", () => (store.set({ settingUp: null }), newMatch(app), scrollTo(0, 0)), "primary wide")),
  );
  const state = h("div", { class: "state" });
  const pause = button("pause", "Pause", () => pauseMatch(app));
  const go = button("play", "Resume", () => goOn(app), "primary");
  const study = button("review", "Analyse", () => {
    const { watch } = store.state.games;
    if (watch) openToAnalyse(app, copyToAnalyse(watch));
  });
  const fresh = button("plus", "New match", () => {
    pauseMatch(app);
    store.set({ settingUp: "watch" });
  });
  const match = h("section", { class: "card game-card" }, state, graph(app), moveList(app), h("div", { class: "actions" }, pause, go, study, fresh));
  const panel = h("div", { class: "panel" });
  const draw = () => {
    const { games, watching, obstacle, view } = store.state;
    if (view !== "watch") return;
    const game = games.watch;
    const shown = !game || store.state.settingUp === "watch" ? form : match;
    if (panel.firstElementChild !== shown) fill(panel, shown);
    if (!game) return;
    pause.hidden = !watching;
    go.hidden = watching || game.result !== "*";
    fill(state, game.result === "*" ? h("p", null, watching ? obstacle || "The engines are playing." : "Paused.") : h("p", { class: "result" }, h("b", null, resultText(game.result)), h("span", null, game.reason)));
  };
  store.on(["games", "watching", "obstacle", "rev", "view", "settingUp"], draw);
  draw();
  return panel;
}
