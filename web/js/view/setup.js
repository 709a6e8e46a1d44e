/** The settings of a new game: board, opponent, side, clock. */

import { cancelSetup } from "../control/app.js";
import { openToAnalyse } from "../control/import.js";
import { analysisOf, changeSettings } from "../control/library.js";
import { eloText, LEVELS, levelOf } from "../engine/levels.js";
import { isBoard } from "../rules/picture.js";
import { button, choice, number, select } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";

/** @import { Child } from "../ui/dom.js" */

const BOARDS = /** @type {[string, string][]} */ ([
  ["8x8", "8 × 8"],
  ["7x7", "7 × 7"],
  ["6x6", "6 × 6"],
  ["5x5", "5 × 5"],
  ["freeling", "Freeling’s game (5 × 9)"],
  ["other", "Another size"],
]);

/**
 * A panel with the current game, or with the settings of the next one.
 * @param {App} app
 * @param {object} parts
 * @param {"play" | "watch"} parts.view
 * @param {[string, ...Child[]]} parts.settings a title, and what comes after the board's
 * @param {Child} [parts.welcome] below the title
 * @param {(app: App) => void} parts.start
 * @param {(app: App, study: HTMLElement, again: HTMLElement) => HTMLElement} parts.running
 * @param {string} parts.first what the keyboard needs once a game has begun
 */
export function gamePanel(
  app,
  { view, settings: [title, ...fields], welcome, start, running, first },
) {
  const { store } = app;
  const panel = h("div", { class: "panel" });
  const cancel = button(null, "Cancel", () => cancelSetup(app), "quiet");
  const again = button(
    "plus",
    view === "play" ? "New game" : "New match",
    () => store.set({ settingUp: view }),
    "again",
  );
  const study = button(null, "Analyse game", async () => {
    const game = /** @type {Game} */ (store.state.games[view]);
    const analysis = await analysisOf(game);
    // The move that was looked at.
    if (analysis.tree.nodes[game.at]) analysis.at = game.at;
    openToAnalyse(app, analysis);
  });
  const form = h(
    "section",
    { class: "card form" },
    h("h2", null, title),
    welcome,
    boardField(app),
    fields,
    h(
      "div",
      { class: "row start" },
      button(
        "play",
        "Start",
        () => {
          start(app);
          scrollTo(0, 0);
        },
        "primary wide",
      ),
      cancel,
    ),
  );
  const card = running(app, study, again);
  /** @type {Game | null} */
  let before = null;
  const draw = () => {
    const { games, settingUp } = store.state;
    const game = games[view];
    if (store.state.view !== view) return;
    cancel.hidden = !game;
    const shown = !game || settingUp === view ? form : card;
    if (panel.firstElementChild === shown) return;
    const find = (/** @type {string} */ selector) =>
      /** @type {HTMLElement | null} */ (document.querySelector(selector));
    const keyboard = find(".panel :focus-visible");
    const next = shown === form ? ".form select" : game === before ? ".again" : first;
    before = game;
    // A number that was typed counts all the same.
    keyboard?.blur();
    fill(panel, shown);
    // By then the rest is drawn.
    if (keyboard) queueMicrotask(() => find(next)?.focus());
  };
  store.on(["games", "view", "settingUp"], draw);
  draw();
  return panel;
}

/**
 * Which board is played on, any size.
 * @param {App} app
 * @param {boolean} [lasts] whether it is shown again later
 */
export function boardField(app, lasts = true) {
  const { store } = app;
  let shown = "";
  let other = false;
  const choose = (/** @type {string} */ board) => {
    shown = board;
    changeSettings(app, { board });
  };
  const pick = select("Board", BOARDS, "", (value) => {
    other = value === "other";
    if (!other) choose(value);
    draw();
  });
  const menu = /** @type {HTMLSelectElement} */ (pick.querySelector("select"));
  const size = h("div");
  const draw = () => {
    shown = store.state.settings.board;
    size.hidden = !other && BOARDS.some(([key]) => key === shown);
    menu.value = size.hidden ? shown : "other";
    fill(size, !size.hidden && sizeFields(shown, choose));
  };
  draw();
  // Another field like this may have changed it.
  if (lasts) store.on(["settings"], () => store.state.settings.board !== shown && draw());
  return h("div", { class: "stacked" }, pick, size);
}

/** @param {string} board @param {(board: string) => void} choose */
function sizeFields(board, choose) {
  let [width, height] = board === "freeling" ? [8, 8] : board.split("x").map(Number);
  const report = h("p", { class: "error", role: "alert" });
  const change = (/** @type {number} */ _) => {
    const fits = isBoard(width, height);
    report.textContent = fits
      ? ""
      : `A board has at most 128 squares; ${width} × ${height} has ${width * height}.`;
    if (fits) choose(`${width}x${height}`);
  };
  const files = number("Files", { value: width, min: 2, max: 32 }, (value) => {
    width = value;
    change(value);
  });
  const ranks = number("Ranks", { value: height, min: 4, max: 64 }, (value) => {
    height = value;
    change(value);
  });
  return h("div", null, h("div", { class: "pair" }, files, ranks), report);
}

/**
 * Levels by their names.
 * @param {string} label
 * @param {string} value
 * @param {(id: string) => void} change
 */
export function levelField(label, value, change) {
  const about = h("p", { class: "about" });
  const tell = (/** @type {string} */ id) => {
    const level = levelOf(id);
    fill(
      about,
      h("b", null, level.name),
      level.elo === null ? ". " : `, rated ${eloText(level.elo)}. `,
      level.about,
      (level.elo ?? 0) < 0 && " Moves at random are rated about −110.",
    );
  };
  tell(value);
  const options = LEVELS.map(({ id, name }) => /** @type {[string, string]} */ ([id, name]));
  const steps = choice(label, options, value, (id) => {
    tell(id);
    change(id);
  });
  return h("div", { class: "stacked levels" }, steps, about);
}

/** Main time and increment, or the engine's time per move. @param {App} app */
export function clockField(app) {
  const { settings } = app.store.state;
  const inner = h("div", { class: "pair" });
  const draw = () => {
    const { minutes, increment, seconds } = app.store.state.settings;
    const fields = minutes
      ? [
          number("Minutes per side", { value: minutes, min: 0.5, max: 180, step: 0.5 }, (value) =>
            changeSettings(app, { minutes: value }),
          ),
          number(
            "Seconds added per move",
            { value: increment, min: 0, max: 180, step: 0.5 },
            (value) => changeSettings(app, { increment: value }),
          ),
        ]
      : [
          number(
            "petard’s time per move",
            { value: seconds, min: 0.1, max: 600, step: 0.1, unit: "seconds" },
            (value) => changeSettings(app, { seconds: value }),
          ),
        ];
    fill(inner, fields);
  };
  const kind = choice(
    "Time",
    [
      ["off", "No clock"],
      ["on", "Clock"],
    ],
    settings.minutes ? "on" : "off",
    (value) => {
      const { minutes, lastMinutes } = app.store.state.settings;
      if (value === "on") changeSettings(app, { minutes: lastMinutes });
      else changeSettings(app, { minutes: 0, lastMinutes: minutes || lastMinutes });
      draw();
    },
  );
  draw();
  return h("div", { class: "clock-field" }, kind, inner);
}
