/** Beside the board: which puzzles, the one that is asked, and what one's answers are worth. */

import {
  analysePuzzle,
  choosePuzzles,
  nextPuzzle,
  openPuzzles,
  ownMistakes,
  readRecord,
  showSolution,
  sideToMove,
  startAt,
  tryAgain,
} from "../control/puzzles.js";
import { eloText } from "../engine/levels.js";
import { dayOf, THEMES } from "../model/puzzles.js";
import { lineTexts } from "../rules/apply.js";
import { parseFen } from "../rules/picture.js";
import { button, choice, select } from "../ui/controls.js";
import { fill, h, showWithBoard } from "../ui/dom.js";
import { moveEntry } from "./entry.js";

/** @import { PuzzleMode, PuzzleState } from "../../types/puzzle" */

const MODES = /** @type {[PuzzleMode, string][]} */ ([
  ["rated", "Rated"],
  ["theme", "Theme"],
  ["streak", "Streak"],
  ["daily", "Daily"],
  ["mistakes", "Mine"],
]);
const ABOUT = {
  rated: "Near your rating, which every answer changes.",
  theme: "Of one kind; your rating does not change.",
  streak: "Each harder than the last, until you miss one.",
  daily: "One a day, the same for everybody.",
  mistakes: "Positions before a mistake in reviewed games.",
};
/** Ratings to begin with. */
const STARTS = /** @type {[string, string][]} */ ([
  ["200", "200: the rules are new to me (a guess)"],
  ["500", "500"],
  ["900", "900: I have played some games (a guess)"],
  ["1300", "1300"],
  ["1700", "1700: I play well (a guess)"],
]);
const BOARDS = /** @type {[string, string][]} */ ([
  ["8x8", "8 × 8"],
  ["7x7", "7 × 7"],
  ["6x6", "6 × 6"],
  ["all", "All"],
]);

/** @param {App} app */
export function puzzlePanel(app) {
  const { store } = app;
  const open = () => store.state.view === "puzzles" && openPuzzles(app);
  store.on(["view"], open);
  open();
  return h("div", { class: "panel" }, puzzleCard(app), choiceCard(app), recordCard(app));
}

/** @param {App} app */
function puzzleCard(app) {
  const { store } = app;
  const title = h("b");
  const text = h("p", { class: "puzzle-text" });
  const facts = h("p", { class: "about" });
  const again = button("undo", "Try again", () => tryAgain(app), "primary again");
  const next = button(null, "Next puzzle", () => nextPuzzle(app), "primary next");
  const show = button("hint", "Solution", () => showSolution(app), "show");
  const study = button("review", "Analyse", () => analysePuzzle(app), "study");
  // Each at a place of its own: what is clicked next does not come under the pointer.
  const row = h("div", { class: "puzzle-actions" }, show, again, study, next);
  const entry = moveEntry(app);
  const card = h(
    "section",
    { class: "card puzzle-card stacked", "aria-label": "Puzzle" },
    title,
    text,
    row,
    entry,
    facts,
  );
  let drawn = "";
  const draw = () => {
    const { puzzles, puzzleList, puzzleFault, puzzleChoice } = store.state;
    row.hidden = entry.hidden = facts.hidden = !puzzles;
    card.className = `card puzzle-card stacked ${puzzles?.status ?? ""}`;
    if (!puzzles) {
      title.textContent = puzzleFault || puzzleList === "loading" ? "Puzzles" : "No puzzle";
      text.textContent =
        puzzleFault || (puzzleList === "loading" ? "Loading…" : nothing(puzzleChoice.mode));
      return;
    }
    const { status, mode } = puzzles;
    card.dataset.puzzle = puzzles.puzzle.id;
    const over = status === "right" || status === "shown";
    title.textContent = titleOf(app, puzzles);
    text.textContent = textOf(puzzles);
    again.hidden = status !== "wrong";
    next.hidden = !over || mode === "daily";
    show.hidden = over || status === "checking";
    study.hidden = !over;
    entry.classList.toggle("away", status !== "ask");
    fill(facts, factsOf(puzzles, over, store.state.streak));
    const now = `${puzzles.game.id} ${status}`;
    // Whoever comes to the view sees its top first.
    if (drawn && now !== drawn && store.state.view === "puzzles")
      queueMicrotask(() => showWithBoard(card));
    drawn = now;
  };
  store.on(["puzzles", "puzzleList", "puzzleFault", "puzzleChoice", "streak", "rev"], draw);
  draw();
  return card;
}

/** @param {PuzzleMode} mode */
function nothing(mode) {
  return mode === "mistakes"
    ? "There are no mistakes to correct. Review a game that you have played: its mistakes come here."
    : "There is no puzzle of this kind.";
}

/** @param {App} app @param {PuzzleState} puzzles */
function titleOf(app, puzzles) {
  const { streak } = app.store.state;
  const { mode, status, gain, failed } = puzzles;
  if (status === "right" && !failed) {
    if (mode === "streak") return `Solved: ${streak} in a row`;
    return gain ? `Solved: ${signed(gain)}` : "Solved";
  }
  if (status === "right") return "Solved at last";
  if (mode === "streak" && failed) return `The streak ends at ${streak}`;
  if (failed && gain) return `Not solved: ${signed(gain)}`;
  return `${sideToMove(puzzles)} to move`;
}

/** @param {number} number */
function signed(number) {
  return number < 0 ? `−${-number}` : `+${number}`;
}

/** @param {PuzzleState} puzzles */
function textOf(puzzles) {
  const { status, move, reply, mode, puzzle, game, asked } = puzzles;
  const own = mode === "mistakes";
  const { ply } = game.tree.nodes[asked];
  const line = lineTexts(parseFen(puzzle.fen, game.tree.variant), puzzle.moves);
  const further = ply > 1 ? `Right. ${line[ply - 1]} was the longest resistance. ` : "";
  const solution = line.slice(1).map((one, index) => (index % 2 ? `(${one})` : one));
  const tried = [move, reply].filter((one) => one);
  const [text, answer] = lineTexts(parseFen(game.tree.nodes[asked].fen, game.tree.variant), tried);
  return {
    ask: own ? `${puzzle.played}. Find a better move.` : `${further}Find the only move that wins.`,
    checking: `Looking at ${text}…`,
    wrong: `${text} ${own ? "is not better" : "loses"}${answer ? `: ${answer} refutes it` : ""}.`,
    right: own ? "That is better." : "Every other move would have lost.",
    shown: `The solution: ${solution.join(" ")}.${solution.length > 1 ? " The replies are in brackets." : ""}`,
  }[status];
}

/** @param {PuzzleState} puzzles @param {boolean} over @param {number} streak solved in a row */
function factsOf({ puzzle, mode, failed }, over, streak) {
  if (mode === "mistakes") return "";
  const row = mode === "streak" && streak && !failed ? `${streak} in a row · ` : "";
  const cost = mode === "rated" && !failed ? " · viewing the solution counts as a fail" : "";
  if (!over) return `${row}${puzzle.board.replace("x", " × ")} · proven${cost}`;
  const themes = puzzle.themes.map((theme) => THEMES[theme] ?? theme).join(", ");
  return `Puzzle ${puzzle.id} · rated ${eloText(puzzle.rating)} ± ${puzzle.deviation} · ${themes}`;
}

/** @param {App} app */
function choiceCard(app) {
  const { store } = app;
  const { puzzleChoice } = store.state;
  const about = h("p", { class: "about" });
  const modes = choice("Kind", MODES, puzzleChoice.mode, (mode) => choosePuzzles(app, { mode }));
  const boards = choice("Board", BOARDS, puzzleChoice.board, (board) =>
    choosePuzzles(app, { board }),
  );
  const themes = select("Theme", Object.entries(THEMES), puzzleChoice.theme, (theme) =>
    choosePuzzles(app, { theme }),
  );
  const start = select("Start at", STARTS, String(readRecord().player.rating), (value) =>
    startAt(app, Number(value)),
  );
  const draw = () => {
    const { mode } = store.state.puzzleChoice;
    about.textContent = ABOUT[mode];
    start.hidden = mode !== "rated" || readRecord().history.length > 0;
    themes.hidden = mode !== "theme";
    boards.hidden = mode === "daily" || mode === "mistakes";
  };
  store.on(["puzzleChoice", "kept"], draw);
  draw();
  return h("section", { class: "card form puzzle-choice" }, modes, about, themes, boards, start);
}

/** What this browser knows of one's puzzles. @param {App} app */
function recordCard(app) {
  const { store } = app;
  const list = h("dl", { class: "figures" });
  const draw = () => {
    if (store.state.view !== "puzzles") return;
    const record = readRecord();
    const tried = Object.values(record.tried);
    const { rating, deviation } = record.player;
    const today = record.days[dayOf(new Date())];
    const rows = [
      ["Your rating", `${Math.round(rating)} ± ${Math.round(deviation)}`],
      ["Solved", `${tried.filter(Boolean).length} of ${tried.length}`],
      ["Longest streak", String(record.best)],
      ["Today’s puzzle", today === undefined ? "not tried yet" : today ? "solved" : "not solved"],
      ["Mistakes in reviewed games", String(ownMistakes(app).length)],
    ];
    fill(
      list,
      rows.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
    );
  };
  store.on(["kept", "view"], draw);
  draw();
  return h("section", { class: "card", "aria-label": "Your puzzles" }, list);
}
