/** The lesson after a lost game: what lost it, how far the review has got, and what comes next. */

import { shownGame } from "../control/app.js";
import { learnFromGame, losingMove, moveName, playOn, wasLostAtStart } from "../control/lesson.js";
import { rematch } from "../control/play.js";
import { sideName } from "../rules/ending.js";
import { isStart, parseFen } from "../rules/picture.js";
import { button } from "../ui/controls.js";
import { fill, h, showWithBoard } from "../ui/dom.js";

/** @param {App} app */
export function lessonCard(app) {
  const { store } = app;
  const words = h("div", { class: "told" });
  const progress = h("progress", { max: 1, value: 0, "aria-label": "Review" });
  const on = button("play", "Play on from there", () => playOn(app), "primary");
  const again = button("again", "Rematch", () => {
    store.set({ view: "play", lesson: null });
    rematch(app);
  });
  const close = button("close", "Close", () => store.set({ lesson: null }), "quiet");
  const next = h("div", { class: "row wrap" }, on, again, close);
  const card = h(
    "section",
    { class: "card lesson-card", "aria-label": "Lesson" },
    words,
    progress,
    next,
  );
  let drawn = "";
  const draw = () => {
    const { lesson, review, practice } = store.state;
    const game = shownGame(app);
    card.hidden = !lesson || game?.id !== lesson.game;
    if (!lesson || !game || card.hidden) {
      drawn = "";
      return;
    }
    progress.hidden = !review;
    next.hidden = Boolean(review || practice);
    if (review) {
      progress.max = review.total;
      progress.value = review.done;
    }
    const lost = review ? null : losingMove(app, game, lesson.white);
    on.hidden = !lost;
    const text = review ? "Looking for the moves that decided the game…" : summary(app, game);
    fill(words, h("b", null, text));
    const stage = review ? "review" : practice ? "practice" : "end";
    if (stage !== drawn && stage !== "practice") queueMicrotask(() => showWithBoard(card));
    drawn = stage;
  };
  store.on(["lesson", "review", "practice", "rev", "view", "games"], draw);
  draw();
  return card;
}

/** Why the game was lost. @param {App} app @param {Game} game */
function summary(app, game) {
  const { lesson, practice } = app.store.state;
  const white = Boolean(lesson?.white);
  const lost = losingMove(app, game, white);
  const { fen, variant } = { ...game.tree.nodes[0], ...game.tree };
  const { width, height } = parseFen(fen, variant);
  const board = isStart(fen, variant) ? `${width} × ${height}` : "This position";
  if (lost) return `You lost: ${moveName(game, lost.id)} gave it away.`;
  if (wasLostAtStart(game, white))
    return (
      `${board} is a win for ${sideName(!white)} from the start.` +
      (practice ? " But you could have resisted longer." : "")
    );
  return practice
    ? "You lost little by little. These moves cost most."
    : "You lost, but no move stands out as a mistake.";
}

/** Begins the lesson. @param {App} app */
export function lessonButton(app) {
  return button("target", "Learn from this game", () => learnFromGame(app), "primary wide");
}
