/** The first lessons, to be played through on a board of their own, and how far one has come. */

import { Board } from "../board/board.js";
import { announce, persist } from "../control/app.js";
import { newGame } from "../control/play.js";
import { levelToTry, noteLesson, readProgress, resultsByLevel } from "../control/progress.js";
import { factsOf } from "../engine/questions.js";
import { LESSONS } from "../model/lessons.js";
import { moveText, play } from "../rules/apply.js";
import { parseFen } from "../rules/picture.js";
import { button } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";

/** @import { Lesson, Task } from "../model/lessons.js" */

/** @param {App} app */
export function lessonsSection(app) {
  const host = h("div", { class: "lesson-board" });
  const board = new Board(host, "Lesson");
  const words = h("div", { class: "lesson-words", "aria-live": "polite" });
  const list = h("ol", { class: "lesson-list" });
  const progress = readProgress();
  const next = LESSONS.find(({ id, tasks }) => (progress.lessons[id] ?? 0) < tasks.length);
  let lesson = next ?? LESSONS[0];
  let at = Math.min(progress.lessons[lesson.id] ?? 0, lesson.tasks.length - 1);
  /** Goes up with every task and answer, so that late news is not shown. */
  let turn = 0;

  const drawList = () => {
    const { lessons } = readProgress();
    fill(
      list,
      LESSONS.map((one) => {
        const done = lessons[one.id] ?? 0;
        return h(
          "li",
          null,
          h(
            "button",
            {
              class: "lesson-name",
              "aria-current": one === lesson ? "true" : null,
              onclick: () => begin(one, done < one.tasks.length ? done : 0),
            },
            h("b", null, one.title),
            h(
              "span",
              { class: "muted" },
              done >= one.tasks.length ? icon("check") : `${done}/${one.tasks.length}`,
              done >= one.tasks.length && h("span", { class: "hidden" }, "done"),
            ),
          ),
        );
      }),
    );
  };

  /** @param {Lesson} chosen @param {number} task */
  const begin = (chosen, task) => {
    lesson = chosen;
    at = task;
    drawList();
    ask();
  };

  /** @param {(Node | string | false)[]} parts */
  const say = (...parts) =>
    fill(
      words,
      h("h3", null, lesson.title),
      h("p", { class: "muted" }, lesson.text),
      ...parts.map((part) => (typeof part === "string" ? h("p", null, part) : part)),
    );

  const ask = async () => {
    const mine = ++turn;
    const task = lesson.tasks[at];
    const picture = parseFen(task.fen, "breakthrough");
    host.style.setProperty("--files", String(picture.width));
    board.show({ picture });
    say(h("p", { class: "task" }, h("b", null, task.ask)));
    const place = { variant: /** @type {const} */ ("breakthrough"), fen: task.fen, moves: [] };
    const { moves } = await persist(() => factsOf(app.engine, place));
    if (mine !== turn) return;
    board.show({
      picture,
      legal: moves,
      onMove: (move) => (task.wins.includes(move) ? praise(task, move) : refute(task, move)),
      announce: (text) => announce(app, text),
    });
  };

  /** @param {Task} task @param {string} move */
  const praise = (task, move) => {
    turn++;
    const { picture } = play(parseFen(task.fen, "breakthrough"), move);
    board.show({ picture, last: move, animate: true });
    noteLesson(app, lesson.id, at + 1);
    drawList();
    const isLast = at + 1 === lesson.tasks.length;
    const following = LESSONS[LESSONS.indexOf(lesson) + 1];
    const onward = isLast
      ? following &&
        button("forward", `Next: ${following.title}`, () => begin(following, 0), "primary")
      : button("forward", "Next", () => begin(lesson, at + 1), "primary");
    say(
      h("p", { class: "right" }, h("b", null, "Right. "), task.right),
      h(
        "div",
        { class: "row wrap" },
        onward ?? button("play", "Play a game", () => app.store.set({ view: "play" }), "primary"),
        !/[5-9]$/.test(move) && playOut(task),
      ),
    );
    words.querySelector("button")?.focus({ preventScroll: true });
  };

  /** To win the position against the engine. @param {Task} task */
  const playOut = ({ fen }) =>
    button("play", "Play it out", () => {
      newGame(app, { variant: "breakthrough", fen }, "white");
      app.store.set({ view: "play" });
    });

  /** A wrong answer, and what the engine replies. @param {Task} task @param {string} move */
  const refute = async (task, move) => {
    const mine = ++turn;
    const { picture } = play(parseFen(task.fen, "breakthrough"), move);
    board.show({ picture, last: move, animate: true });
    const again = () => h("div", { class: "row" }, button("again", "Try again", ask, "primary"));
    say(h("p", { class: "task" }, h("b", null, task.ask)), `${move} does not win.`, again());
    const { move: reply } = await persist(() =>
      app.engine.search(
        { variant: "breakthrough", fen: task.fen, moves: [move] },
        "go movetime 200",
        { options: { MultiPV: 1, UCI_LimitStrength: false } },
      ),
    );
    if (mine !== turn || !reply) return;
    board.show({ picture: play(picture, reply).picture, last: reply, animate: true });
    say(
      h("p", { class: "task" }, h("b", null, task.ask)),
      `${move} does not win: Black answers ${moveText(picture, reply)}.`,
      again(),
    );
  };

  drawList();
  ask();
  return h(
    "section",
    { "aria-label": "First lessons", class: "lessons" },
    h("h2", null, "First lessons"),
    h("div", { class: "lesson-table" }, list, host, words),
  );
}

/** Results against the levels, and which to try next. @param {App} app */
export function progressSection(app) {
  const body = h("div", { class: "stacked" });
  const draw = () => {
    const { games } = readProgress();
    const rows = resultsByLevel(games);
    const next = levelToTry(games);
    fill(
      body,
      rows.length
        ? h(
            "table",
            null,
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                ["Level", "Won", "Lost"].map((name) => h("th", { scope: "col" }, name)),
              ),
            ),
            h(
              "tbody",
              null,
              rows.map(({ name, won, lost }) =>
                h(
                  "tr",
                  null,
                  h("th", { scope: "row" }, name),
                  h("td", null, won),
                  h("td", null, lost),
                ),
              ),
            ),
          )
        : h("p", { class: "muted" }, "Your results against petard’s levels will stand here."),
      next && h("p", null, `${next.why} Try `, h("b", null, next.name), " next."),
    );
  };
  app.store.on(["kept", "view"], draw);
  draw();
  return h("section", { "aria-label": "Your results" }, h("h2", null, "Your results"), body);
}
