/** Playing on the board: two clicks, drag, touch, and the keyboard. */

import { sameSquare, squareName } from "../rules/squares.js";

/** @import { Square } from "../rules/squares.js" */
/** @import { Board } from "./board.js" */

/** How far a pointer must move to drag, in pixels. */
const SLACK = 5;
/** How long a finger must stay on a square to draw, in milliseconds. */
const REST = 450;

/**
 * Green as it is, red with Shift or Ctrl, blue with Alt, yellow with both: as on lichess.
 * @param {MouseEvent | KeyboardEvent} [event]
 */
function colourOf(event) {
  if (!(event instanceof MouseEvent)) return "";
  const red = event.shiftKey || event.ctrlKey;
  return red && event.altKey ? "Y" : red ? "R" : event.altKey ? "B" : "";
}

/** Turns what a person does on a board into calls of its `select` and `choose`. */
export class BoardInput {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /**
     * @type {{id: number, from: Square, x: number, y: number, moving: boolean, fresh: boolean} |
     * null}
     */
    this.drag = null;
    /** Where a shape that the user draws begins. @type {Square | null} */
    this.shapeFrom = null;
    /** Where a finger came down. @type {{x: number, y: number} | null} */
    this.touched = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.rest = undefined;
    const { root } = board;
    root.addEventListener("pointerdown", (event) => this.press(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", (event) => this.release(event));
    root.addEventListener("pointercancel", () => this.cancel());
    // A finger that scrolls the page does not click.
    root.addEventListener("click", (event) => {
      const name = /** @type {Element} */ (event.target).getAttribute("data-square");
      const square = this.square(event);
      // A screen reader's click has neither count nor place.
      if (!event.detail && name) {
        board.cursor = name;
        this.pick();
      } else if (square) board.view.onSquare?.(square);
    });
    // A finger that draws does not scroll the page.
    root.addEventListener("touchmove", (event) => this.shapeFrom && event.preventDefault(), {
      passive: false,
    });
    root.addEventListener("contextmenu", (event) => board.view.onShape && event.preventDefault());
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusin", (event) => {
      const at = /** @type {Element} */ (event.target).getAttribute("data-square");
      if (at) board.cursor = at;
      board.showFocus();
    });
    root.addEventListener("focusout", () => board.showFocus(false));
  }

  /** Where a pointer is in the drawing. @param {PointerEvent} event */
  point(event) {
    const matrix = this.board.root.getScreenCTM();
    return matrix && new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  }

  /** The square under a pointer. @param {PointerEvent} event */
  square(event) {
    const point = this.point(event);
    return point && this.board.geometry.at(point.x, point.y);
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { board } = this;
    const square = this.square(event);
    // A second finger leaves the first one's piece alone.
    if (this.drag && board.root.hasPointerCapture(this.drag.id)) return;
    this.drag = null;
    clearTimeout(this.rest);
    // The keyboard focus stays where it was.
    if (event.button === 2) event.preventDefault();
    if (event.button === 2 && square && board.view.onShape) {
      this.shapeFrom = square;
      // The button may be let go beside the board.
      board.root.setPointerCapture(event.pointerId);
    }
    if (!square || event.button !== 0) return;
    if (event.pointerType === "touch" && board.view.onShape && board.view.drawsByTouch) {
      this.touched = { x: event.clientX, y: event.clientY };
      this.rest = setTimeout(() => this.beginShape(square), REST);
    }
    if (!board.active) return;
    // The arrow keys walk through the moves, so a click leaves the keyboard focus where it was.
    event.preventDefault();
    const { selected } = board;
    if (board.view.onSquare) return;
    if (selected && board.isTarget(square)) return;
    const fresh = !selected || !sameSquare(selected, square);
    if (!board.isMovable(square)) return;
    if (fresh) board.select(square);
    this.drag = {
      id: event.pointerId,
      from: square,
      x: event.clientX,
      y: event.clientY,
      moving: false,
      fresh,
    };
    board.root.setPointerCapture(event.pointerId);
  }

  /** A finger has rested: from here on it draws. @param {Square} square */
  beginShape(square) {
    this.drag = null;
    this.board.select(null);
    this.board.sketch(square, square);
    this.shapeFrom = square;
  }

  /**
   * @param {Square | null} to
   * @param {MouseEvent | KeyboardEvent} [event] its keys choose a colour
   */
  endShape(to, event) {
    if (this.shapeFrom && to)
      this.board.view.onShape?.(colourOf(event) + squareName(this.shapeFrom) + squareName(to));
    this.shapeFrom = null;
    if (this.drag) this.board.drop();
    this.drag = null;
    this.board.sketch(null, null);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { drag, board, shapeFrom, touched } = this;
    if (shapeFrom) return board.sketch(shapeFrom, this.square(event));
    if (touched && Math.hypot(event.clientX - touched.x, event.clientY - touched.y) >= SLACK)
      clearTimeout(this.rest);
    if (!drag || drag.id !== event.pointerId) return;
    if (!drag.moving && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SLACK) return;
    drag.moving = true;
    const point = this.point(event);
    if (!point) return;
    const square = this.square(event);
    board.lift(drag.from, point.x, point.y, square && board.isTarget(square) ? square : null);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { drag, board } = this;
    clearTimeout(this.rest);
    if (this.shapeFrom) return this.endShape(this.square(event), event);
    if (drag && drag.id !== event.pointerId) return;
    // Pressed during a drag, the right button ends it.
    if (event.button === 2) return drag ? this.cancel() : undefined;
    this.drag = null;
    if (!board.active || board.view.onSquare) return;
    const square = this.square(event);
    if (drag?.moving) {
      if (square && board.isTarget(square)) return board.choose(square, true);
      board.drop();
      if (square && !sameSquare(square, drag.from)) this.refuse(square);
      return;
    }
    if (!square || event.button !== 0) return;
    if (board.selected && board.isTarget(square)) board.choose(square);
    else if (!board.isMovable(square)) this.refuse(square);
    else if (drag && !drag.fresh) board.select(null);
  }

  /** What was clicked, or where a piece was let go, makes no move. @param {Square} square */
  refuse(square) {
    const { selected } = this.board;
    this.board.select(null);
    this.board.view.onRefuse?.(square, selected);
  }

  cancel() {
    clearTimeout(this.rest);
    this.endShape(null);
    this.board.drop();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { board } = this;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[
      event.key
    ];
    if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const turn = board.geometry.flipped ? -1 : 1;
      board.moveCursor(step[0] * turn, step[1] * turn);
    } else if (event.key === "Enter" && event.shiftKey && board.view.onShape) {
      const square = board.cursorSquare();
      if (this.shapeFrom) this.endShape(square);
      else if (square) this.beginShape(square);
    } else if (event.key === "Enter" || event.key === " ") {
      this.pick();
    } else if (event.key === "Escape") {
      this.endShape(null);
      board.select(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Enter on the square under the cursor. */
  pick() {
    const { board } = this;
    const square = board.cursorSquare();
    if (!square || !board.active) return;
    if (board.view.onSquare) board.view.onSquare(square);
    else if (board.selected && board.isTarget(square)) board.choose(square);
    else if (board.isMovable(square))
      board.select(board.selected && sameSquare(board.selected, square) ? null : square);
    else {
      board.view.announce?.(`${squareName(square)}: no move from here.`);
      board.view.onRefuse?.(square, board.selected);
    }
  }
}
