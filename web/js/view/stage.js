/** The board with everything around it: players, clocks, the evaluation bar, the buttons. */

import { Board } from "../board/board.js";
import {
  announce,
  flip,
  goTo,
  markChanged,
  notify,
  shownGame,
  shownNode,
  walk,
} from "../control/app.js";
import { paint } from "../control/editor.js";
import { mayPremove, personMoves, personToMove, premove, startByMove } from "../control/play.js";
import { answer, askedMove, askedNode, solution, tryAgain } from "../control/practice.js";
import { answerPuzzle, mayAnswer } from "../control/puzzles.js";
import { verdictsOf } from "../control/review.js";
import { isProven, shortScore, valueLabels, winnerBy } from "../model/chance.js";
import { startOf } from "../model/game.js";
import { addMove, moveTextAt, nodeOf } from "../model/tree.js";
import { play } from "../rules/apply.js";
import { fenOf, parseFen, whiteToMove } from "../rules/picture.js";
import { premoveTargets } from "../rules/premoves.js";
import { refusalOf } from "../rules/refusal.js";
import { parseMove, squareName } from "../rules/squares.js";
import { isAsking } from "../state.js";
import { iconButton } from "../ui/controls.js";
import { h } from "../ui/dom.js";
import { sound } from "../ui/sound.js";
import { evaluationBar } from "./evalbar.js";
import { SIGNS } from "./moves.js";
import { playerStrip } from "./strip.js";

/** @import { View as BoardView, Arrow, Badge } from "../board/board.js" */
/** @import { Info } from "../engine/parse.js" */
/** @import { BoardState } from "../rules/picture.js" */
/** @import { Square } from "../rules/squares.js" */
/** @import { Notice } from "../../types/state" */

/** Arrows of the engine's lines. */
const MAX_ARROWS = 5;

/** @param {App} app */
export function stage(app) {
  const { store } = app;
  const host = h("div", { class: "board-host" });
  const frame = h("div", { class: "board-frame" }, evaluationBar(app), host);
  const board = new Board(host);
  const status = h("p", { class: "board-status" });
  const refusal = refusals(app);
  const bar = h(
    "div",
    { class: "board-bar", role: "toolbar", "aria-label": "Board" },
    iconButton("first", "First position (Home)", () => walk(app, "first")),
    iconButton("back", "Back (left arrow)", () => walk(app, "back")),
    iconButton("forward", "Forward (right arrow)", () => walk(app, "forward")),
    iconButton("last", "Last position (End)", () => walk(app, "last")),
    h("span", { class: "gap" }),
    iconButton("burst", "Show the last move again", () => board.replay(), "replay"),
    iconButton("flip", "Flip the board (F)", () => flip(app)),
    ...(app.recorded
      ? []
      : [
          iconButton("bring", "Import a game or position", () => store.set({ dialog: "bring" })),
          iconButton("share", "Share or save", () => store.set({ dialog: "share" })),
        ]),
  );
  // Whoever clicks there while an answer's refutation is shown tries again.
  host.addEventListener("pointerdown", () => tryAgain(app), { capture: true });
  const column = h(
    "div",
    { class: "stage" },
    playerStrip(app, "top"),
    frame,
    h("div", { class: "foot" }, playerStrip(app, "bottom"), status, bar),
  );

  let before = shownGame(app);
  const draw = () => {
    const shown = viewOf(app);
    if (!shown) return;
    const game = shownGame(app);
    // A piece is picked in one game alone.
    if (game !== before) board.selected = null;
    before = game;
    const view = { ...shown, onRefuse: app.recorded ? undefined : refusal.tell };
    refusal.check(view);
    const { width, height } = view.picture;
    board.show(view);
    column.style.setProperty("--files", String(width));
    column.style.setProperty("--ranks", String(height));
    column.classList.toggle("long", width > 14 || height > 14);
    status.hidden = store.state.view !== "analyse";
    const steps = matchMedia("(pointer: coarse)").matches ? "‹ and ›" : "Back and Forward";
    // An answer that is shown is no line to come back from.
    status.textContent =
      store.state.preview && !askedNode(app) ? `Previewing a line; ${steps} step through it.` : "";
    column.classList.toggle("chained", Boolean(view.chain?.length));
    if (!store.state.animate) return;
    if (store.state.settings.sound) sound(soundOf(app, view));
    queueMicrotask(() => store.set({ animate: false }));
  };
  store.on(
    [
      "view",
      "analysing",
      "rev",
      "games",
      "settings",
      "analysis",
      "threat",
      "values",
      "preview",
      "hint",
      "premove",
      "practice",
      "puzzles",
      "editor",
      "showThreat",
      "settingUp",
      "sketch",
    ],
    draw,
  );
  queueMicrotask(draw);
  return { column, board };
}

/**
 * Says why a click on the board makes no move.
 * @param {App} app
 */
function refusals(app) {
  const { store } = app;
  /** @type {BoardView | null} */
  let shown = null;
  /** @type {Notice | null} */
  let report = null;
  return {
    /** Another position has nothing to do with it. @param {BoardView} view */
    check(view) {
      const isOther = shown?.picture.cells.join() !== view.picture.cells.join();
      if (isOther && report && store.state.notice === report) store.set({ notice: null });
      shown = view;
    },
    /** @param {Square} square @param {Square | null} from */
    tell(square, from) {
      const step = parseMove(shown?.legal?.[0]);
      if (!shown || !step) return;
      const { cells, width } = shown.picture;
      const white = cells[step.from.rank * width + step.from.file] > 0;
      const text = refusalOf(shown.picture, white, square, from);
      // What can be undone stays so.
      if (!text || store.state.notice?.action) return;
      notify(app, text);
      report = store.state.notice;
    },
  };
}

/** What the last move sounds like. @param {App} app @param {BoardView} view */
function soundOf(app, { picture, chain }) {
  const game = shownGame(app);
  const node = shownNode(app);
  if (game?.result !== "*" && node && !node.children.length) return "end";
  if (chain?.length) return "explosion";
  const pieces = (/** @type {number[]} */ cells) =>
    cells.reduce((sum, cell) => sum + Math.abs(cell), 0);
  const before =
    game && node?.parent != null
      ? parseFen(nodeOf(game.tree, node.parent).fen, picture.variant)
      : picture;
  return pieces(before.cells) > pieces(picture.cells) ? "capture" : "move";
}

/** What the board shows now. @param {App} app @returns {BoardView | null} */
function viewOf(app) {
  const { state } = app.store;
  if (state.view === "games" || state.view === "learn") return null;
  const { settings } = state;
  const game = shownGame(app);
  const node = shownNode(app);
  /** @type {Pick<BoardView, "coordinates" | "targets" | "announce" | "flipped">} */
  const common = {
    coordinates: settings.coordinates,
    targets: settings.targets,
    announce: (text) => announce(app, text),
    flipped: game?.flipped ?? false,
  };
  if (state.editor && state.view === "analyse")
    return {
      ...common,
      flipped: state.games.analyse.flipped,
      picture: state.editor.picture,
      onSquare: (square) => place(app, square),
    };
  if (!game || !node) {
    // What a new game would start with. White's first move starts it.
    const start = startOf(settings.board);
    const picture = parseFen(start.fen, start.variant);
    const begins =
      state.view === "play" && settings.side !== "black" && start.variant === "breakthrough";
    return {
      ...common,
      picture,
      flipped: state.view === "play" && settings.side === "black",
      legal: begins ? firstMoves(picture) : [],
      onMove: begins ? (move) => startByMove(app, move) : undefined,
      onClear: begins ? () => undefined : undefined,
    };
  }
  const { variant } = game.tree;
  if (state.preview)
    return {
      ...common,
      ...played(state.preview.fen, state.preview.moves.slice(0, state.preview.shown), variant),
      animate: settings.motion,
    };
  const shown =
    node.parent === null || !node.move
      ? { picture: parseFen(node.fen, variant) }
      : played(nodeOf(game.tree, node.parent).fen, [node.move], variant);
  const mayMove =
    state.view === "analyse" ||
    (state.view === "play" && personToMove(game)) ||
    (state.view === "puzzles" && mayAnswer(app));
  // Until the engine has said what is legal after its own move, a move waits for that.
  const asked = state.view === "play" && mayMove && !node.legal;
  const ahead = asked || (state.view === "play" && mayPremove(game));
  const { picture } = shown;
  const waiting = asked ? { ...picture, white: !picture.white } : picture;
  return {
    ...common,
    ...shown,
    animate: state.animate && settings.motion,
    legal: ahead ? premoveTargets(waiting) : mayMove ? node.legal : [],
    planned: ahead ? state.premove : null,
    onClear: ahead ? () => premove(app, null) : undefined,
    onShape: app.recorded ? undefined : (shape) => toggleShape(app, shape),
    drawsByTouch: state.view === "analyse",
    onMove: ahead
      ? (move) => premove(app, move)
      : mayMove
        ? (move) => makeMoveHere(app, move)
        : undefined,
    arrows: arrowsOf(app),
    badges: badgesOf(app),
    values: valueLabels(state.values ?? {}, shown.picture),
  };
}

/** White's moves at the start of a game. @param {BoardState} picture */
function firstMoves(picture) {
  const { cells, width } = picture;
  return premoveTargets({ ...picture, white: false }).filter((move) => {
    const step = parseMove(move);
    return step && cells[step.to.rank * width + step.to.file] <= 0;
  });
}

/**
 * Puts pieces on a square of the position that is set up.
 * @param {App} app
 * @param {Square} square
 */
function place(app, square) {
  // The click leaves the focus in a field: what was typed there comes first.
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
  paint(app, square);
}

/**
 * The picture after moves, and how the last one was played.
 * @param {string} fen
 * @param {string[]} moves
 * @param {Variant} variant
 */
function played(fen, moves, variant) {
  let picture = parseFen(fen, variant);
  /** @type {Partial<BoardView>} */
  let how = {};
  for (const move of moves) {
    const step = play(picture, move);
    picture = step.picture;
    how = { last: move, moved: step.moved, chain: step.chain };
  }
  return { picture, ...how };
}

/** @param {App} app @param {string} move @returns {boolean} whether it can be made here */
export function makeMoveHere(app, move) {
  const { state } = app.store;
  const game = shownGame(app);
  const may =
    state.view === "play" ? personMoves(app, move) : Boolean(shownNode(app)?.legal?.includes(move));
  if (!may) notify(app, `${move} is not possible here.`, "error");
  if (!may || !game || state.view === "play") return may;
  if (state.view === "puzzles") answerPuzzle(app, move);
  else if (isAsking(state) && askedNode(app)?.id === game.at) answer(app, move);
  else {
    const text = moveTextAt(game.tree, game.at, move);
    const node = addMove(game.tree, game.at, move);
    markChanged(app, game);
    goTo(app, node.id, true);
    announce(app, text);
  }
  return may;
}

/**
 * Adds a shape of the user's own, or removes it. An analysis keeps it; elsewhere it lasts as long as
 * the position is shown.
 * @param {App} app @param {string} shape
 */
function toggleShape(app, shape) {
  const node = shownNode(app);
  const shapes = ownShapes(app);
  if (!node) return;
  const now = shapes.includes(shape) ? shapes.filter((one) => one !== shape) : [...shapes, shape];
  if (app.store.state.view !== "analyse") return app.store.set({ sketch: { node, shapes: now } });
  node.shapes = now;
  markChanged(app, shownGame(app) ?? undefined);
}

/** Shapes of the user's own on the position shown. @param {App} app @returns {string[]} */
function ownShapes(app) {
  const { view, sketch } = app.store.state;
  const node = shownNode(app);
  return (view === "analyse" ? node?.shapes : sketch?.node === node && sketch?.shapes) || [];
}

/** @param {App} app @returns {Arrow[]} */
function arrowsOf(app) {
  const { state } = app.store;
  /** @type {Arrow[]} */
  const arrows = [];
  for (const shape of ownShapes(app))
    arrows.push({ move: shape.replace(/^[RBY]/, ""), kind: ownKind(shape) });
  const { practice } = state;
  // What was played, until it is answered.
  if (isAsking(state) && askedNode(app) === shownNode(app)) {
    const bad = askedMove(app);
    const label = SIGNS[bad?.verdict?.mark ?? ""];
    if (bad?.node.move) arrows.push({ move: bad.node.move, kind: "threat", label });
  }
  if (practice?.status === "shown" && askedNode(app) === shownNode(app))
    arrows.push({ move: solution(app) ?? "", kind: "hint" });
  if (state.hint && state.view === "play") arrows.push({ move: state.hint, kind: "hint" });
  if (state.threat?.pv.length && state.showThreat)
    arrows.push({
      move: state.threat.pv[0],
      kind: "threat",
      // Beside no other figures it would be read as a name.
      label: state.view === "analyse" ? threatLabel(state.threat, shownNode(app)?.fen ?? "") : "",
    });
  const { analysis } = state;
  const lineLabel = (/** @type {Info} */ line) => {
    const node = shownNode(app);
    if (!node || !line.score) return undefined;
    const winner = isProven(line.score) ? null : winnerBy(node, line);
    return winner ? winner[0].toUpperCase() : shortScore(line.score, node.fen);
  };
  if (
    state.view === "analyse" &&
    state.analysing &&
    analysis &&
    !isAsking(state) &&
    state.settings.arrows &&
    analysis.fen === shownNode(app)?.fen
  ) {
    // A move that is proven to win is better than what the search thinks.
    const node = shownNode(app);
    const proof = node?.proof;
    const isWin = proof?.move && (proof.winner === "white") === whiteToMove(node?.fen ?? "");
    const others = analysis.lines.every((line) => node && winnerBy(node, line) !== proof?.winner);
    if (isWin && others)
      arrows.push({ move: proof?.move ?? "", kind: "best", label: proof?.winner[0].toUpperCase() });
    // More would hide the board.
    analysis.lines.slice(0, MAX_ARROWS).forEach((line, index) => {
      if (line.score)
        arrows.push({
          move: line.pv[0],
          kind: index || (isWin && others) ? "other" : "best",
          label: lineLabel(line),
        });
    });
  }
  return arrows;
}

/** The look of a shape of the user's own. @param {string} shape @returns {Arrow["kind"]} */
function ownKind(shape) {
  return (
    {
      R: /** @type {const} */ ("red"),
      B: /** @type {const} */ ("blue"),
      Y: /** @type {const} */ ("yellow"),
    }[shape[0]] ?? "mine"
  );
}

/** The label of a threat to win. @param {Info} threat @param {string} fen */
function threatLabel({ score }, fen) {
  return score?.mate
    ? `${whiteToMove(fen) === score.mate > 0 ? "B" : "W"}${Math.abs(score.mate)}`
    : undefined;
}

/** The verdict of a review on the last move. @param {App} app @returns {Badge[]} */
function badgesOf(app) {
  const game = shownGame(app);
  if (!game?.review || app.store.state.view !== "analyse") return [];
  const verdict = verdictsOf(app, game).get(game.at);
  const text = SIGNS[verdict?.mark ?? ""];
  const step = parseMove(verdict?.move);
  return text && step ? [{ square: squareName(step.to), text, kind: verdict?.mark ?? "" }] : [];
}

/** The FEN of the position on the board. @param {App} app */
export function shownFen(app) {
  const view = viewOf(app);
  return view ? fenOf(view.picture) : "";
}
