/**
 * The review of a game: its graph, what each side did well and badly, and the way to the mistakes.
 */

import { goTo, shownGame } from "../control/app.js";
import { changeSettings } from "../control/library.js";
import { badMoves } from "../control/practice.js";
import { review, stopReview, verdictsOf } from "../control/review.js";
import { isBad, sumUp } from "../model/judge.js";
import { lineFrom } from "../model/tree.js";
import { button, iconButton, number } from "../ui/controls.js";
import { fill, h, tableHead } from "../ui/dom.js";
import { graph } from "./graph.js";
import { practiceButtons } from "./practicecard.js";

/** @import { Numbers, Verdict } from "../model/judge.js" */
/** @param {App} app */
export function reviewCard(app) {
  const { store } = app;
  const start = button("review", "Review the game", () => review(app));
  const stop = button("close", "Stop", () => stopReview(app), "quiet");
  const time = number(
    "Seconds per position",
    { value: store.state.settings.reviewSeconds, min: 0.05, max: 60, step: 0.05 },
    (value) => changeSettings(app, { reviewSeconds: value }),
  );
  const progress = h("progress", { max: 1, value: 0, "aria-label": "Review" });
  const count = h("span", { class: "muted" });
  const sums = h("div", { class: "sums" });
  const jump = h(
    "div",
    { class: "row jump" },
    iconButton("back", "Previous mistake", () => toMistake(app, -1)),
    h("span", { class: "muted" }, "mistakes"),
    iconButton("forward", "Next mistake", () => toMistake(app, 1)),
  );
  const learn = h("div", { class: "row wrap learn-row" });
  const running = h("div", { class: "row" }, progress, count, stop);
  const idle = h("div", { class: "row between" }, start, time);
  const none = h("p", { class: "about" }, "A game of two moves or more can be reviewed.");
  const card = h("section", { class: "card review-card" }, graph(app), running, learn, sums, idle);
  let summed = "";
  const draw = () => {
    const game = shownGame(app);
    const { review: state, view } = store.state;
    if (!game || view !== "analyse") return;
    const moves = lineFrom(game.tree).length - 1;
    card.hidden = app.recorded ? !game.verdicts : moves < 2 && !state;
    none.hidden = !card.hidden || Boolean(app.recorded);
    running.hidden = !state;
    // While questions are asked, what begins something else makes room.
    const asks = store.state.practice?.game === game.id;
    idle.hidden = Boolean(state) || asks || Boolean(app.recorded);
    learn.hidden = sums.hidden = asks;
    if (state) {
      progress.max = state.total;
      progress.value = state.done;
      count.textContent = `${state.done} of ${state.total}`;
    }
    const seen = Object.keys(game.review ?? {}).length;
    const key = `${game.id} ${game.changed} ${seen} ${Boolean(state)}`;
    if (key === summed) return;
    summed = key;
    const verdicts = [...verdictsOf(app, game).values()];
    const label = start.querySelector("span");
    if (label)
      label.textContent =
        verdicts.length === 0
          ? "Review the game"
          : verdicts.length < moves
            ? "Continue the review"
            : "Review again";
    jump.hidden = !verdicts.some(isBad);
    fill(learn, state || app.recorded ? [] : practiceButtons(app));
    fill(sums, verdicts.length ? table(verdicts, app.numbers, jump) : []);
  };
  store.on(["rev", "view", "games", "review", "practice"], draw);
  draw();
  return h("div", null, card, none);
}

/**
 * @param {(Verdict & {white: boolean, weight: number})[]} verdicts @param {Numbers} numbers
 * @param {HTMLElement} jump between the names of the sides
 */
function table(verdicts, numbers, jump) {
  const sides = [true, false].map((white) =>
    sumUp(
      verdicts.filter((verdict) => verdict.white === white),
      numbers,
    ),
  );
  const rows = /** @type {const} */ ([
    ["accuracy", "Accuracy"],
    ["inaccuracy", "Inaccuracies"],
    ["mistake", "Mistakes"],
    ["blunder", "Blunders"],
    ["missed", "Missed wins"],
  ]);
  const body = rows.map(([key, label]) => {
    const cells = sides.map((side) => {
      const value = side[key];
      return h(
        "td",
        { class: key !== "accuracy" && value ? `has ${key}` : "" },
        value === null ? "–" : key === "accuracy" ? `${value.toFixed(0)}%` : String(value),
      );
    });
    return h("tr", null, cells[0], h("th", { scope: "row" }, label), cells[1]);
  });
  const head = tableHead(["White", null, "Black"]);
  head.querySelector("td")?.append(jump);
  return h("table", null, head, h("tbody", null, body));
}

/** @param {App} app @param {number} step */
function toMistake(app, step) {
  const game = shownGame(app);
  if (!game) return;
  const bad = badMoves(app, game);
  const here = game.tree.nodes[game.at]?.ply ?? 0;
  const next =
    step > 0 ? bad.find((node) => node.ply > here) : bad.findLast((node) => node.ply < here);
  const to = next ?? (step > 0 ? bad[0] : bad.at(-1));
  if (to) goTo(app, to.id, true);
}
