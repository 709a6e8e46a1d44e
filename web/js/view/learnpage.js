/** The rules of both games, the levels, and the keys, on one page, loaded when it is asked for. */

import { Board } from "../board/board.js";
import { eloText, LEVELS } from "../engine/levels.js";
import { play } from "../rules/apply.js";
import { parseFen } from "../rules/picture.js";
import { button } from "../ui/controls.js";
import { h, tableHead } from "../ui/dom.js";
import { keyTable } from "./dialogs.js";
import { lessonsSection, newGameButton, progressSection } from "./lessons.js";

/** @import { Child } from "../ui/dom.js" */
/** @param {App} app */
export function learnPage(app) {
  const sections = [breakthrough(), freeling(), levels(), reading(), section("Keys", keyTable())];
  return h(
    "div",
    { class: "page learn" },
    h("h1", null, "Learn"),
    lessonsSection(app),
    progressSection(app),
    h(
      "nav",
      { class: "contents", "aria-label": "On this page" },
      sections.map((one) =>
        h(
          "button",
          { class: "link", onclick: () => one.scrollIntoView() },
          one.getAttribute("aria-label"),
        ),
      ),
    ),
    sections,
    h("div", { class: "row" }, newGameButton(app)),
  );
}

/**
 * A small board with a caption.
 * @param {string} fen @param {string} caption
 * @param {{variant?: Variant, move?: string, arrows?: string[]}} [how]
 */
function example(fen, caption, { variant = "breakthrough", move, arrows = [] } = {}) {
  const host = h("div", { class: "example-board" });
  const board = new Board(host, caption);
  const before = parseFen(fen, variant);
  const after = move ? play(before, move) : null;
  host.style.setProperty("--files", String(before.width));
  const view = {
    picture: after?.picture ?? before,
    last: move,
    moved: after?.moved,
    chain: after?.chain,
    arrows: arrows.map((one) => ({ move: one, kind: /** @type {const} */ ("best") })),
  };
  board.show(view);
  const again = after?.chain.length
    ? button("burst", "Show the move", () => board.replay(), "quiet")
    : null;
  return h("figure", null, host, h("figcaption", null, caption), again);
}

/** @param {string} title @param {(Child | Child[])[]} children */
function section(title, ...children) {
  return h("section", { "aria-label": title }, h("h2", null, title), ...children);
}

/** @param {(Child | Child[])[]} items */
function points(...items) {
  return h(
    "ul",
    null,
    items.map((item) => h("li", null, item)),
  );
}

function breakthrough() {
  return section(
    "Breakthrough",
    h(
      "p",
      null,
      "Dan Troyka’s game of 2000, on 8\u00a0×\u00a08 and on boards of any other size. Each side " +
        "starts with two full rows of pieces. White moves first, and the sides take turns.",
    ),
    h(
      "div",
      { class: "examples" },
      example(
        "5/2p2/5/2P2/5 w 0 1",
        "A piece moves one step straight or diagonally forward onto an empty square.",
        { arrows: ["c2b3", "c2c3", "c2d3"] },
      ),
      example(
        "5/5/1ppp1/2P2/5 w 0 1",
        "It captures diagonally forward only. A piece straight ahead is in the way.",
        { arrows: ["c2b3", "c2d3"] },
      ),
      example("5/3P1/p4/2p2/5 w 0 1", "The first piece on the last rank wins at once.", {
        arrows: ["d4d5"],
      }),
    ),
    points(
      "Capturing is never compulsory, and there are no chains of captures.",
      "A player with no pieces left has lost.",
      "There are no draws: every move is a step forward, so every game ends.",
    ),
  );
}

function freeling() {
  return section(
    "Freeling’s game",
    h(
      "p",
      null,
      "Christian Freeling’s Breakthrough of 1984 is another game of the same name, on " +
        "5 files and 9 ranks. Each side has ten pieces, one on each square of its two " +
        "nearest ranks. Ranks 3 and 7 are walls.",
    ),
    h(
      "div",
      { class: "examples" },
      example(
        "5/5/5/5/5/5/5/1P3/5 w 0 1",
        "Pieces move diagonally, forward or backward, over any number of empty squares, " +
          "never over others. Moving forward they stop on a wall, and cannot leave it " +
          "forward.",
        { variant: "freeling", arrows: ["b2a3", "b2c3", "b2a1", "b2c1"] },
      ),
      example(
        "5/5/5/5/5/5/5/PP3/PP3 w 0 1",
        "Pieces of one side stack and move as one. Files b, c, d hold two; a and e hold " +
          "one. A square that holds more explodes: here b2–a1.",
        { variant: "freeling", move: "b2a1" },
      ),
      example(
        "5/5/5/5/5/2p2/1pDp1/1P3/5 w 0 1",
        "An explosion shoots one piece forward and one to each side. Pieces shot onto " +
          "enemies capture all of them; pieces shot onto friends join them, and that " +
          "square may explode in turn: here b2–c3.",
        { variant: "freeling", move: "b2c3" },
      ),
    ),
    points(
      "Pieces get past a wall only by an explosion.",
      "A piece shot onto an enemy on the shooter’s goal rank is lost instead.",
      "The first piece on the enemy’s home rank wins at once, by a move or an explosion.",
      "A player may pass while a piece of theirs can move; a player with none that can move loses.",
      "The same position for the third time is a draw.",
    ),
  );
}

function levels() {
  return section(
    "Levels",
    h(
      "p",
      null,
      "Ratings are measured on 8\u00a0×\u00a08 in matches; a difference of 200 means about " +
        "three points out of four. A player who moves at random is rated about −110 and " +
        "wins against First steps more often than not. Hints and analysis are always at " +
        "full strength.",
    ),
    h(
      "table",
      null,
      tableHead(["Level", "Rating", "What to expect"]),
      h(
        "tbody",
        null,
        LEVELS.map((level) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, level.name),
            h("td", null, eloText(level.elo)),
            h("td", null, level.about),
          ),
        ),
      ),
    ),
  );
}

function reading() {
  return section(
    "Reading the engine",
    points(
      "Percentages are White’s chance to win. The figure beside each is the score: " +
        "+4.00 means odds of ten to one.",
      [
        h("span", { class: "score proven" }, "White in 5"),
        " is proven: White wins by its fifth move or sooner, whatever Black does. " +
          "Everything else is an estimate.",
      ],
      "Point at a line to see it played out; click a move of it to add it to the game.",
      "Threat shows what the other side would do if it could move now; Values what each piece is worth.",
      "Prove determines with certainty who wins. Small boards and late positions take " +
        "moments; 8\u00a0×\u00a08 from the start is out of reach.",
    ),
  );
}
