/** Mistakes, asked again. */

import { shownGame } from "../control/app.js";
import {
  askedMove,
  askedNode,
  back,
  badMoves,
  giveUp,
  goOn,
  leave,
  practise,
  solution,
  tryAgain,
} from "../control/practice.js";
import { isBad, markWords } from "../model/judge.js";
import { whyBad } from "../model/reasons.js";
import { nodeOf } from "../model/tree.js";
import { moveText } from "../rules/apply.js";
import { sideName } from "../rules/ending.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { button } from "../ui/controls.js";
import { fill, h, showWithBoard } from "../ui/dom.js";

/** @param {App} app */
export function practiceCard(app) {
  const { store } = app;
  const report = h("div", { class: "report" });
  const again = button("undo", "Try again", () => tryAgain(app), "primary");
  const show = button("hint", "Show the move", () => giveUp(app), "quiet");
  const next = button("forward", "Next", () => goOn(app), "primary");
  const home = button("back", "Back to the position", () => back(app), "primary");
  const end = button("close", "End", () => leave(app), "quiet");
  const card = h(
    "section",
    { class: "card practice-card", "aria-label": "Learn from mistakes" },
    report,
    h("div", { class: "row wrap" }, home, again, next, show, end),
  );
  let drawn = "";
  const draw = () => {
    const { practice } = store.state;
    const game = shownGame(app);
    const node = askedNode(app);
    card.hidden = !practice || !node;
    if (!practice || !node || !game) return;
    const { status, at, nodes, move, reply, why, found } = practice;
    const here = game.at === node.id;
    const done = status === "right" || status === "shown";
    const last = at + 1 === nodes.length;
    const picture = parseFen(node.fen, game.tree.variant);
    const text = (/** @type {string} */ one) => moveText(picture, one);
    const bad = askedMove(app);
    const best = text(solution(app) ?? "");
    const because = (/** @type {string} */ reason) => reason && `: ${reason}`;
    const played = nodeOf(game.tree, nodes[at]).move ?? "";
    const side = sideName(whiteToMove(node.fen));
    home.hidden = here || done;
    again.hidden = !here || status !== "wrong" || !reply;
    next.hidden = !done;
    show.hidden = done || !here;
    fill(/** @type {Element} */ (next.lastElementChild), last ? "Done" : "Next");
    const asked = `${practice.game} ${at} ${status === "ask"}`;
    if (asked !== drawn && status === "ask") queueMicrotask(() => showWithBoard(card));
    drawn = asked;
    const verdict = bad?.verdict;
    const called = verdict && !isBad(verdict) ? "hastened the loss" : `was ${markWords(verdict)}`;
    const reason = whyBad(picture, played, bad?.after, bad?.before);
    const words = {
      ask: `${text(played)} ${called}${because(reason)}. Find a better move for ${side}.`,
      checking: `Looking at ${text(move)}…`,
      wrong: `${text(move)} is not the best move${because(why)}.${reply ? "" : ` Find a better move for ${side}.`}`,
      right: `${text(move)} is ${text(move) === best ? "the best move" : "good"}.`,
      shown: `The best move is ${best}.`,
    };
    fill(
      report,
      h(
        "b",
        null,
        `Question ${at + 1} of ${nodes.length}`,
        // A practice that version 0.2 began has no count.
        practice.all > nodes.length && ` (the worst of ${practice.all} mistakes)`,
      ),
      h(
        "span",
        { class: status === "right" ? "right" : null },
        status === "right" && h("b", null, "Right. "),
        words[status],
      ),
      done &&
        last &&
        h("span", { class: "muted" }, `${found} of ${nodes.length} on the first try.`),
    );
  };
  store.on(["practice", "rev", "view", "games", "analysis"], draw);
  draw();
  return card;
}

/** Buttons that start it, for each side that has mistakes. @param {App} app */
export function practiceButtons(app) {
  const game = shownGame(app);
  const sides = game ? [true, false].filter((white) => badMoves(app, game, white).length) : [];
  return sides.map((white) =>
    button(
      "target",
      `Learn from ${white ? "White" : "Black"}’s mistakes`,
      () => practise(app, white),
      "quiet",
    ),
  );
}
