/** The evaluation bar: how likely White is to win, and whether that is proven. */

import { shownGame, shownNode } from "../control/app.js";
import { askedNode } from "../control/practice.js";
import { knownOf, percent } from "../model/chance.js";
import { pathTo } from "../model/tree.js";
import { isAsking } from "../state.js";
import { h } from "../ui/dom.js";

/** @param {App} app */
export function evaluationBar(app) {
  const { store } = app;
  const white = h("div", { class: "white" });
  const text = h("span", { class: "figure" });
  const bar = h("div", { class: "evaluation", role: "img" }, white, text);
  const draw = () => {
    const { view, analysing } = store.state;
    const node = shownNode(app);
    const known = node && knownOf(node);
    bar.hidden = !node || (view !== "watch" && view !== "analyse");
    // Its place stays, so that the board does. What a review has found out is shown without the engine.
    const isOn = view === "watch" || analysing || Boolean(shownGame(app)?.review);
    const isAsked = Boolean(isAsking(store.state) && askedNode(app) === node);
    bar.classList.toggle("away", !isOn || isAsked);
    const chance = known?.chance ?? lastChance(app);
    const flipped = Boolean(shownGame(app)?.flipped);
    bar.style.setProperty("--black", `${(flipped ? -100 : 100) * (1 - chance)}%`);
    bar.classList.toggle("proven", Boolean(known?.sure));
    bar.classList.toggle("low", chance < 0.5);
    bar.classList.toggle("top", chance < 0.5 !== flipped);
    text.textContent = known ? percent(chance).replace("%", "") : "";
    const words = !known
      ? "No evaluation yet"
      : known.sure
        ? `Proven: ${chance === 0.5 ? "draw" : chance ? "White wins" : "Black wins"}`
        : `White's chance to win: ${percent(chance)}`;
    bar.setAttribute("aria-label", words);
    bar.title = words;
  };
  store.on(["view", "rev", "known", "analysing", "editor", "games", "settingUp", "practice"], draw);
  draw();
  return h("div", null, bar);
}

/**
 * The latest evaluation on the way here; the bar stays there until more is known.
 * @param {App} app
 */
function lastChance(app) {
  const game = shownGame(app);
  const path = game ? pathTo(game.tree, game.at) : [];
  return path.map(knownOf).findLast((known) => known)?.chance ?? 0.5;
}
