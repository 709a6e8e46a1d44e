/**
 * The lesson after a lost or imported game: its offer, what lost the game, how far the review has
 * got, and what comes next.
 */

import { markChanged, shownGame } from "../control/app.js";
import {
  chanceGivenUp,
  declineReview,
  learnFromGame,
  learnFromShown,
  losingMove,
  moveName,
  offersReview,
  playOn,
  sideThatLost,
  wasLostAtStart,
} from "../control/lesson.js";
import { rematch } from "../control/play.js";
import { badMoves } from "../control/practice.js";
import { learnerOf, personsSide } from "../model/game.js";
import { sideName } from "../rules/ending.js";
import { isStart, parseFen } from "../rules/picture.js";
import { button, choice, iconButton } from "../ui/controls.js";
import { fill, h, showWithBoard } from "../ui/dom.js";

/** @import { Sides } from "../../types/game" */

/** @param {App} app */
export function lessonCard(app) {
  const { store } = app;
  const words = h("div", { class: "report" });
  const progress = h("progress", { max: 1, value: 0, "aria-label": "Review" });
  const on = button("play", "Play on from there", () => playOn(app), "primary");
  const again = button("again", "Rematch", () => {
    store.set({ view: "play", lesson: null });
    rematch(app);
  });
  const close = button("close", "Close", () => store.set({ lesson: null }), "quiet");
  const next = h("div", { class: "row wrap" }, on, again, close);
  const offer = h("div", { class: "offer" });
  const card = h(
    "section",
    { class: "card lesson-card", "aria-label": "Lesson" },
    offer,
    words,
    progress,
    next,
  );
  let drawn = "";
  /** The game whose review is offered. */
  let offered = "";
  const draw = () => {
    const { lesson, review, practice } = store.state;
    const game = shownGame(app);
    const isLesson = lesson !== null && game?.id === lesson.game;
    const isOffer = !isLesson && !review && !practice && offersReview(app);
    card.hidden = !isLesson && !isOffer;
    const key = game && isOffer ? game.id : "";
    // Made once: the keyboard may be at one of its buttons.
    if (key !== offered) fill(offer, game && isOffer ? offerView(app, game) : []);
    offered = key;
    words.hidden = isOffer;
    if (!isLesson || !game) {
      progress.hidden = next.hidden = true;
      drawn = "";
      return;
    }
    progress.hidden = !review;
    next.hidden = Boolean(review || practice);
    if (review) {
      progress.max = review.total;
      progress.value = review.done;
    }
    again.hidden = !personsSide(game);
    const loser = review ? null : sideThatLost(game, lesson.sides);
    const white = loser === "white";
    const isGivenUp = loser && chanceGivenUp(game, white) !== null;
    const lost = loser && losingMove(app, game, white);
    on.hidden = !isGivenUp && !lost;
    const there = lost && !isGivenUp ? `move ${parseInt(moveName(game, lost.id), 10)}` : "there";
    fill(/** @type {Element} */ (on.lastElementChild), `Play on from ${there}`);
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

const SIDES = /** @type {[Sides, string][]} */ ([
  ["white", "White"],
  ["black", "Black"],
  ["both", "Both"],
]);

/** The way into the lesson from a game that was imported. @param {App} app @param {Game} game */
function offerView(app, game) {
  const sides = choice("Whose mistakes", SIDES, learnerOf(game), (chosen) => {
    game.learner = chosen;
    markChanged(app, game);
  });
  return [
    !personsSide(game) && sides,
    button(null, "Review the game", () => learnFromShown(app), "primary"),
    iconButton("close", "No review", () => declineReview(app)),
  ];
}

/** What decided the game. @param {App} app @param {Game} game */
function summary(app, game) {
  const { lesson, practice } = app.store.state;
  const sides = lesson?.sides ?? "both";
  const loser = sideThatLost(game, sides);
  if (!loser) {
    const whose = sides === "both" ? "Both sides’" : `${sideName(sides === "white")}’s`;
    const bad = badMoves(app, game, sides === "both" ? undefined : sides === "white");
    if (practice) return `${whose} worst moves.`;
    return bad.length
      ? `${whose} mistakes are marked in the moves.`
      : `${whose} moves hold no mistake.`;
  }
  const white = loser === "white";
  const name = personsSide(game) ? "You" : sideName(white);
  const lost = losingMove(app, game, white);
  const { fen, variant } = { ...game.tree.nodes[0], ...game.tree };
  const { width, height } = parseFen(fen, variant);
  const board = isStart(fen, variant) ? `${width} × ${height}` : "This position";
  const chance = chanceGivenUp(game, white);
  if (chance !== null) {
    const how = game.reason.startsWith(`${sideName(white)} resigns`) ? "resigned" : "lost in";
    return `${name} ${how} a position that was ${chance > 0.9 ? "won" : "not lost"}.`;
  }
  if (lost) return `${name} lost: ${moveName(game, lost.id)} gave it away.`;
  if (wasLostAtStart(game, white))
    return (
      `${board} is a win for ${sideName(!white)} from the start.` +
      (practice ? ` But ${name === "You" ? "you" : name} could have resisted longer.` : "")
    );
  return practice
    ? `${name} lost little by little. These moves cost most.`
    : `${name} lost, but no move stands out as a mistake.`;
}

/** Begins the lesson. @param {App} app */
export function lessonButton(app) {
  return button("target", "Learn from this game", () => learnFromGame(app), "primary wide");
}
