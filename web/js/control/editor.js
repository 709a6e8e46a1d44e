/** Setting up a position. */

import { PositionRefused } from "../engine/engine.js";
import { factsOf } from "../engine/questions.js";
import { startOf } from "../model/game.js";
import { capacity } from "../rules/apply.js";
import { fenOf, isBoard, parseFen } from "../rules/picture.js";
import { persist, shownGame, shownNode } from "./app.js";
import { analysePosition } from "./import.js";

/** @import { BoardState } from "../rules/picture.js" */
/** @import { Square } from "../rules/squares.js" */

/** Starts from the position shown. @param {App} app */
export function openEditor(app) {
  const game = shownGame(app);
  const node = shownNode(app);
  if (!game || !node) return;
  const picture = parseFen(node.fen, game.tree.variant);
  app.store.set({
    editor: { picture: { ...picture, clock: 0, number: 1 }, brush: 1, error: "" },
    preview: null,
  });
}

/** @param {App} app @param {Partial<BoardState>} patch */
export function edit({ store }, patch) {
  const { editor } = store.state;
  if (editor)
    store.set({
      editor: { brush: editor.brush, picture: { ...editor.picture, ...patch }, error: "" },
    });
}

/**
 * Puts the brush's pieces on a square; the same again takes them off.
 * @param {App} app
 * @param {Square} square
 */
export function paint(app, square) {
  const { editor } = app.store.state;
  if (!editor) return;
  const { picture, brush } = editor;
  const index = square.rank * picture.width + square.file;
  const room = picture.variant === "freeling" ? capacity(square.file) : 1;
  const pieces = Math.sign(brush) * Math.min(Math.abs(brush), room);
  const cells = picture.cells.slice();
  cells[index] = cells[index] === pieces ? 0 : pieces;
  edit(app, { cells });
}

/**
 * Changes the size; pieces whose square still exists stay.
 * @param {App} app
 * @param {number} width
 * @param {number} height
 */
export function resize(app, width, height) {
  const { editor } = app.store.state;
  if (!editor) return;
  if (!isBoard(width, height))
    return app.store.set({
      editor: {
        ...editor,
        error: `A board of ${width} files and ${height} ranks is not supported: at most 128 squares.`,
      },
    });
  const { picture } = editor;
  const cells = Array.from({ length: width * height }, (_, index) => {
    const [file, rank] = [index % width, Math.floor(index / width)];
    return file < picture.width && rank < picture.height
      ? Math.sign(picture.cells[rank * picture.width + file])
      : 0;
  });
  edit(app, { width, height, cells, variant: "breakthrough" });
}

/** @param {App} app @param {string} name `8x8` or `freeling` */
export function startPosition(app, name) {
  const { variant, fen } = startOf(name);
  edit(app, parseFen(fen, variant));
}

/** Continues with the position, if the engine accepts it. @param {App} app */
export async function useEdited(app) {
  const { store } = app;
  const { editor } = store.state;
  // A text that cannot be read is not the position that is shown.
  if (!editor || editor.draft !== undefined) return;
  const { variant } = editor.picture;
  const fen = fenOf(editor.picture);
  try {
    await persist(() => factsOf(app.engine, { variant, fen, moves: [] }));
    analysePosition(app, variant, fen);
  } catch (error) {
    if (!(error instanceof PositionRefused)) throw error;
    store.set({
      editor: { ...editor, error: `The engine refuses this position: ${error.message}.` },
    });
  }
}
