/** The first lessons, to be played through on a board of their own, and how far one has come. */

import { Board } from "../board/board.js";
import { announce, persist } from "../control/app.js";
import { levelToTry, noteTask, readProgress, resultsByLevel } from "../control/progress.js";
import { factsOf } from "../engine/questions.js";
import { LESSONS } from "../model/lessons.js";
import { moveText, play } from "../rules/apply.js";
import { parseFen } from "../rules/picture.js";
import { refusalOf } from "../rules/refusal.js";
import { button } from "../ui/controls.js";
import { fill, h, tableHead } from "../ui/dom.js";
import { icon } from "../ui/icons.js";

/** @import { Lesson } from "../model/lessons.js" */

/** Deep enough for the end of every lesson's game. */
const REPLY_DEPTH = 20;

/** @param {App} app */
export function lessonsSection(app) {
  const host = h("div", { class: "lesson-board" });
  const board = new Board(host, "Lesson");
  const words = h("div", { class: "lesson-words", "aria-live": "polite" });
  const list = h("ol", { class: "lesson-list" });
  /** Which tasks of a lesson are done. @param {Lesson} one */
  const doneOf = ({ id }) => readProgress().lessons[id] ?? [];
  /** The first task of a lesson that is still to do; -1 for none. @param {Lesson} one */
  const openTask = (one) => one.tasks.findIndex((_, task) => !doneOf(one).includes(task));
  let lesson = LESSONS.find((one) => openTask(one) >= 0) ?? LESSONS[0];
  let at = Math.max(0, openTask(lesson));
  /** Goes up with every task and answer, so that a late answer is not shown. */
  let turn = 0;

  const drawList = () => {
    fill(
      list,
      LESSONS.map((one) => {
        const isDone = openTask(one) < 0;
        return h(
          "li",
          null,
          h(
            "button",
            {
              class: "lesson-name",
              "aria-current": one === lesson ? "true" : null,
              onclick: () => begin(one, Math.max(0, openTask(one))),
            },
            h("b", null, one.title),
            isDone && icon("check"),
            isDone && h("span", { class: "hidden" }, "done"),
          ),
        );
      }),
    );
    // On a phone the list is one row, which scrolls.
    queueMicrotask(() => {
      const { offsetLeft = 0 } = list.querySelector("[aria-current]")?.closest("li") ?? {};
      list.scrollLeft = offsetLeft - list.offsetLeft - 40;
    });
  };

  /** The tasks of the lesson, to go to any of them. */
  const tasks = () =>
    h(
      "div",
      { class: "tasks", role: "group", "aria-label": "Tasks" },
      lesson.tasks.map((_, task) => {
        const isDone = doneOf(lesson).includes(task);
        return h(
          "button",
          {
            class: `task-number${isDone ? " done" : ""}`,
            "aria-current": task === at ? "true" : null,
            "aria-label": `Task ${task + 1}${isDone ? ", done" : ""}`,
            onclick: () => begin(lesson, task),
          },
          isDone ? icon("check") : task + 1,
        );
      }),
    );

  /** @param {Lesson} chosen @param {number} task */
  const begin = (chosen, task) => {
    lesson = chosen;
    at = task;
    drawList();
    ask([]);
  };

  /** @param {(Node | string | false)[]} parts */
  const say = (...parts) =>
    fill(
      words,
      h("div", { class: "row between" }, h("h3", null, lesson.title), tasks()),
      h("p", { class: "muted" }, lesson.text),
      ...parts.map((part) => (typeof part === "string" ? h("p", null, part) : part)),
    );

  const refusal = h("p", { class: "muted" });
  /** Says why nothing has moved. @param {string} text */
  const refuse = (text) => {
    refusal.textContent = text;
    if (text && !refusal.isConnected) words.append(refusal);
  };

  const question = () => h("p", { class: "task" }, h("b", null, lesson.tasks[at].ask));
  const lessonPoint = () =>
    h("p", { class: "right" }, h("b", null, "Right. "), lesson.tasks[at].right);

  /** @param {string[]} moves since the task's position */
  const placeOf = (moves) => ({
    variant: /** @type {const} */ ("breakthrough"),
    fen: lesson.tasks[at].fen,
    moves,
  });

  /** @param {string[]} moves */
  const pictureAfter = (moves) =>
    moves.reduce(
      (picture, move) => play(picture, move).picture,
      parseFen(lesson.tasks[at].fen, "breakthrough"),
    );

  /** Asks for White's move. @param {string[]} moves that were played before, the last one Black's */
  const ask = async (moves) => {
    const mine = ++turn;
    const picture = pictureAfter(moves);
    host.style.setProperty("--files", String(picture.width));
    const shown = { picture, last: moves.at(-1) };
    board.show({ ...shown, animate: moves.length > 0 });
    if (moves.length) {
      const before = pictureAfter(moves.slice(0, -1));
      const reply = moveText(before, moves[moves.length - 1]);
      say(
        lessonPoint(),
        h("p", { class: "task" }, `Black answers ${reply}. `, h("b", null, "Go on and win.")),
      );
    } else say(question());
    const { moves: legal } = await persist(() => factsOf(app.engine, placeOf(moves)));
    if (mine !== turn) return;
    board.show({
      ...shown,
      legal,
      onMove: (move) => answer(moves, move),
      onRefuse: (square, from) => refuse(refusalOf(picture, true, square, from)),
      announce: (text) => announce(app, text),
    });
  };

  /**
   * White's move: Black answers until the game is over.
   * @param {string[]} before @param {string} move
   */
  const answer = async (before, move) => {
    const mine = ++turn;
    const moves = [...before, move];
    board.show({ picture: pictureAfter(moves), last: move, animate: true });
    const isFirst = !before.length;
    const isRight = !isFirst || lesson.tasks[at].wins.includes(move);
    if (!isRight) refuted(before, move);
    else if (isFirst) say(lessonPoint());
    const { winner } = await persist(() => factsOf(app.engine, placeOf(moves)));
    if (mine !== turn) return;
    if (winner === "white") return done();
    const { reply, isLost } = await replyTo(moves);
    if (mine !== turn || !reply) return;
    if (isRight && isLost) return ask([...moves, reply]);
    const picture = pictureAfter(moves);
    board.show({ picture: play(picture, reply).picture, last: reply, animate: true });
    refuted(before, move, moveText(picture, reply));
  };

  /**
   * Black's move that resists longest. The positions are so small that the search sees the end.
   * @param {string[]} moves
   */
  const replyTo = async (moves) => {
    let isLost = false;
    const { move: reply } = await persist(() =>
      app.engine.search(placeOf(moves), `go depth ${REPLY_DEPTH}`, {
        options: { MultiPV: 1, UCI_LimitStrength: false },
        info: ({ score }) => {
          if (score && !score.bound) isLost = (score.mate ?? 0) < 0;
        },
      }),
    );
    return { reply, isLost };
  };

  /**
   * A move that does not win, and what the engine replies.
   * @param {string[]} before @param {string} move @param {string} [reply]
   */
  const refuted = (before, move, reply) => {
    const text = moveText(pictureAfter(before), move);
    const fails = (!before.length && lesson.tasks[at].fails) || "does not win";
    say(
      before.length ? lessonPoint() : question(),
      `${text} ${fails}${reply ? `: Black answers ${reply}` : ""}.`,
      h(
        "div",
        { class: "row" },
        button("again", "Try again", () => ask(before), "primary"),
      ),
    );
  };

  const done = () => {
    noteTask(app, lesson.id, at);
    drawList();
    const isLast = at + 1 === lesson.tasks.length;
    const following = LESSONS[LESSONS.indexOf(lesson) + 1];
    const onward = !isLast
      ? button("forward", "Next", () => begin(lesson, at + 1), "primary")
      : following
        ? button(
            "forward",
            `Next: ${following.title}`,
            () => begin(following, Math.max(0, openTask(following))),
            "primary",
          )
        : newGameButton(app);
    say(lessonPoint(), "You won.", h("div", { class: "row" }, onward));
    onward.focus({ preventScroll: true });
  };

  drawList();
  ask([]);
  return h(
    "section",
    { "aria-label": "First lessons", class: "lessons" },
    h("h2", null, "First lessons"),
    h("div", { class: "lesson-table" }, list, host, words),
  );
}

/** To the form of a new game, whatever game there was before. @param {App} app */
export function newGameButton(app) {
  const begin = () => app.store.set({ view: "play", settingUp: "play" });
  return button("play", "Play a game", begin, "primary");
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
            tableHead(["Level", "Won", "Lost"]),
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
        : h("p", { class: "muted" }, "Your results against petard’s levels will appear here."),
      next && h("p", null, `${next.why} Try `, h("b", null, next.name), " next."),
    );
  };
  app.store.on(["kept", "view"], draw);
  draw();
  return h("section", { "aria-label": "Your results" }, h("h2", null, "Your results"), body);
}
