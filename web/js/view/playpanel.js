/** Beside the board during play: a new game, or the current one. */

import { goTo } from "../control/app.js";
import { isLost } from "../control/lesson.js";
import { changeSettings } from "../control/library.js";
import {
  againstEngine,
  canTakeBack,
  hint,
  liveNode,
  newGame,
  personMoves,
  personToMove,
  rematch,
  resign,
  takeBack,
} from "../control/play.js";
import { levelToTry, readProgress } from "../control/progress.js";
import { levelAbove } from "../engine/levels.js";
import { personsSide } from "../model/game.js";
import { LESSONS } from "../model/lessons.js";
import { nodeOf } from "../model/tree.js";
import { chainWords, moveText, play } from "../rules/apply.js";
import { sideName } from "../rules/ending.js";
import { isStart, parseFen, whiteToMove } from "../rules/picture.js";
import { PASS } from "../rules/squares.js";
import { button, choice, toggle } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { moveEntry } from "./entry.js";
import { lessonButton } from "./lessoncard.js";
import { moveList, resultText } from "./moves.js";
import { clockField, gamePanel, levelField } from "./setup.js";

/** @param {App} app */
export function playPanel(app) {
  const { settings } = app.store.state;
  const versus = h("div", { class: "stacked" }, opponentField(app));
  const side = choice(
    "You play",
    [
      ["white", "White"],
      ["random", "Random"],
      ["black", "Black"],
      ["both", "Both"],
    ],
    settings.side,
    (value) => {
      changeSettings(app, { side: value });
      versus.hidden = value === "both";
    },
  );
  versus.hidden = settings.side === "both";
  return gamePanel(app, {
    view: "play",
    welcome: welcome(app),
    settings: ["New game", side, versus, clockField(app)],
    start: newGame,
    running,
    first: '.board [tabindex="0"]',
  });
}

/** What the game is, for those who have not been here before. @param {App} app */
function welcome(app) {
  const box = h(
    "p",
    { class: "about welcome" },
    "This is Breakthrough: pieces step forward, and whoever first reaches the far side wins. ",
    h(
      "button",
      { class: "link", onclick: () => app.store.set({ view: "learn" }) },
      "New here? Six short lessons",
    ),
  );
  const draw = () => {
    const { lessons, games } = readProgress();
    box.hidden = games.length > 0 || Object.keys(lessons).length >= LESSONS.length;
  };
  app.store.on(["kept", "view"], draw);
  draw();
  return box;
}

/** The level of the opponent, and which one to try next. @param {App} app */
function opponentField(app) {
  const box = h("div", { class: "stacked" });
  const tip = h("p", { class: "about tip", hidden: true });
  const fieldFor = (/** @type {string} */ id) =>
    levelField("Opponent", id, (level) => changeSettings(app, { level }));
  let field = fieldFor(app.store.state.settings.level);
  const draw = () => {
    const next = levelToTry(readProgress().games);
    tip.hidden = !next || next.id === app.store.state.settings.level;
    if (!next) return;
    const take = () => {
      changeSettings(app, { level: next.id });
      const old = field;
      field = fieldFor(next.id);
      old.replaceWith(field);
    };
    fill(tip, `${next.why} `, h("button", { class: "link", onclick: take }, `Try ${next.name}`));
  };
  fill(box, field, tip);
  app.store.on(["kept", "settings", "settingUp"], draw);
  draw();
  return box;
}

/** @param {App} app @param {HTMLElement} study @param {HTMLElement} again */
function running(app, study, again) {
  const { store } = app;
  const state = h("div", { class: "state" });
  const back = button("undo", "Take back", () => takeBack(app));
  const help = button("hint", "Hint", () => hint(app));
  const give = button("resign", "Resign", () => {
    sure.hidden = false;
    sure.querySelector("button")?.focus();
  });
  const pass = button("forward", "Pass", () => personMoves(app, PASS));
  const threat = toggle("target", "Threat", () =>
    store.set({ showThreat: !store.state.showThreat }),
  );
  threat.title = "An arrow shows what petard would play if it could move now";
  const higher = button(
    "up",
    "",
    () => {
      const { play: game } = store.state.games;
      const next = game && nextLevel(game);
      if (!next) return;
      changeSettings(app, { level: next.id });
      rematch(app, next.id);
    },
    "primary wide",
  );
  const once = button("again", "Rematch", () => rematch(app), "primary");
  const lesson = lessonButton(app);
  const sure = h(
    "div",
    { class: "row confirm", hidden: true },
    h("span", null, "Resign?"),
    button(null, "Yes, resign", () => resign(app), "danger"),
    button(null, "No", () => hideSure()),
  );
  const hideSure = () => {
    const focused = sure.contains(document.activeElement);
    sure.hidden = true;
    if (focused) (once.hidden ? give : once).focus();
  };
  const entry = moveEntry(app);
  const buttons = [back, help, give, pass, threat, lesson, higher, once, study, again, sure];
  let drawn = "";
  const draw = () => {
    const game = store.state.games.play;
    if (!game || store.state.view !== "play") return hideSure();
    const over = game.result !== "*";
    const person = personToMove(game);
    for (const node of [back, help, give, threat]) node.hidden = over;
    const begun = !over && document.activeElement === once;
    once.hidden = !over;
    entry.hidden = over;
    lesson.hidden = !isLost(game);
    const next = nextLevel(game);
    higher.hidden = !next;
    if (next) fill(/** @type {Element} */ (higher.lastElementChild), `Try ${next.name} next`);
    once.classList.toggle("primary", lesson.hidden && higher.hidden);
    if (begun)
      /** @type {HTMLElement | null} */ (document.querySelector('.board [tabindex="0"]'))?.focus();
    pass.hidden = over || game.tree.variant !== "freeling";
    back.disabled = !canTakeBack(game);
    help.disabled = !person;
    pass.disabled = !person || !liveNode(game).legal?.includes(PASS);
    threat.setAttribute("aria-pressed", String(store.state.showThreat));
    if (over || game.id !== drawn || store.state.settingUp) hideSure();
    drawn = game.id;
    fill(state, stateWords(app, game));
  };
  store.on(
    ["rev", "games", "thinking", "view", "showThreat", "hint", "premove", "settingUp", "link"],
    draw,
  );
  draw();
  return h(
    "section",
    { class: "card game-card" },
    state,
    moveList(app),
    entry,
    h("div", { class: "actions" }, buttons),
  );
}

/** What is going on, in words. @param {App} app @param {Game} game */
function stateWords(app, game) {
  const live = liveNode(game);
  const { link, premove } = app.store.state;
  const white = whiteToMove(live.fen);
  const parts = [];
  if (game.result !== "*")
    parts.push(
      h(
        "p",
        { class: "result" },
        h("b", null, resultText(game.result)),
        h("span", null, outcomeWords(game)),
      ),
    );
  else if (game.at !== live.id)
    parts.push(
      h("p", null, "Earlier position."),
      button(null, "Back to the game", () => goTo(app, live.id), "quiet"),
    );
  else if (personToMove(game))
    parts.push(
      h(
        "p",
        null,
        `${sideName(white)} to move${againstEngine(game) ? ": your turn." : "."}`,
        app.store.state.showThreat &&
          h("small", { class: "muted" }, `Red: what ${sideName(!white)} threatens.`),
      ),
    );
  else
    parts.push(
      h(
        "p",
        null,
        link.status === "lost"
          ? "Waiting for the engine…"
          : premove
            ? `Premove: ${moveText(parseFen(live.fen, game.tree.variant), premove)} (Esc cancels).`
            : "petard is thinking…",
      ),
    );
  return [...parts, explosions(game, "the last")];
}

/** The end of a game as its player sees it. @param {Game} game */
function outcomeWords(game) {
  const side = personsSide(game);
  if (!side || !["1-0", "0-1"].includes(game.result)) return game.reason;
  const loser = sideName(game.result === "0-1");
  const ended = game.reason.startsWith(`${loser} resigns`) ? "You resigned." : "";
  if (ended && isLost(game)) return `${ended} ${sideName(game.result === "1-0")} wins.`;
  // Who has won is said already.
  const why = game.reason.replace(/^(White|Black) wins: |(?<=\.) (White|Black) wins\.$/g, "");
  return `${isLost(game) ? "You lost" : "You won"}: ${why}`;
}

/** The level to try after a win. @param {Game} game */
function nextLevel({ players: { white, black }, result, tree }) {
  const engine = white.kind === "engine" ? white : black;
  const isWon = result === (white.kind === "person" ? "1-0" : "0-1");
  const isLevel = isWon && white.kind !== black.kind && isStart(tree.nodes[0].fen, tree.variant);
  return isLevel ? levelAbove(engine.level ?? "full") : null;
}

/**
 * The explosions of the move that is shown.
 * @param {Game} game
 * @param {string} which what the move is called
 */
export function explosions(game, which) {
  const node = nodeOf(game.tree, game.at);
  if (game.tree.variant !== "freeling" || node.parent === null || !node.move) return null;
  const words = chainWords(
    play(parseFen(nodeOf(game.tree, node.parent).fen, "freeling"), node.move).chain,
  );
  if (!words.length) return null;
  return h(
    "details",
    { class: "chain" },
    h(
      "summary",
      null,
      `${words.length} ${words.length === 1 ? "explosion" : "explosions"} in ${which} move`,
    ),
    h(
      "ol",
      null,
      words.map((word) => h("li", null, word)),
    ),
  );
}
