/**
 * The board: any size, both games, to look at and to play on. It stands alone, needs only
 * `css/board.css`, and knows no rules: the caller says what may move.
 */

import { parseMove, parseSquare, sameSquare, squareName } from "../rules/squares.js";
import { arrow, circle, labels, layer, overlay, pieces, WALLS, wall } from "./drawing.js";
import { Geometry, SIZE } from "./geometry.js";
import { BoardInput } from "./input.js";
import { perform, still } from "./motion.js";
import { svg } from "./svg.js";

/** @import { Explosion } from "../rules/apply.js" */
/** @import { BoardState } from "../rules/picture.js" */
/** @import { Square, Step } from "../rules/squares.js" */
/**
 * @typedef {{move: string, kind: "best" | "other" | "threat" | "hint" | "mine" | "red" | "blue" |
 *   "yellow", label?: string}}
 * Arrow from and to the same square is a circle
 */
/** @typedef {{square: string, text: string, kind: string}} Badge */
/**
 * What a board shows.
 * @typedef {object} View
 * @property {BoardState} picture
 * @property {boolean} [flipped] Black at the bottom
 * @property {boolean} [coordinates] true unless said otherwise
 * @property {string | null} [last] the move that led here
 * @property {number[]} [moved] the board after that move and before its explosions
 * @property {Explosion[]} [chain] its explosions
 * @property {boolean} [animate] whether to animate the last move
 * @property {string[]} [legal] moves that can be made on the board
 * @property {boolean} [targets] whether to mark where a piece can go; true unless said otherwise
 * @property {Arrow[]} [arrows]
 * @property {Badge[]} [badges]
 * @property {Record<string, string>} [values] small texts on pieces, by square
 * @property {string | null} [planned] a move to be made later
 * @property {(move: string) => void} [onMove]
 * @property {() => void} [onClear] a click that picks nothing
 * @property {(shape: string) => void} [onShape] two squares, by the right button
 * @property {boolean} [drawsByTouch] a finger held on a square draws such a shape too
 * @property {(square: Square) => void} [onSquare] every click goes here instead, for an editor
 * @property {(square: Square, from: Square | null) => void} [onRefuse] a click that makes no move, and
 *   the piece that was picked
 * @property {(text: string) => void} [announce] what a screen reader should say
 */

export class Board {
  /** @param {HTMLElement} host @param {string} [label] its name for screen readers */
  constructor(host, label = "Board") {
    this.root = svg("svg", { class: "board", role: "grid", "aria-label": label });
    host.append(this.root);
    /** @type {View} */
    this.view = {
      picture: {
        variant: "breakthrough",
        width: 2,
        height: 4,
        cells: Array(8).fill(0),
        white: true,
        clock: 0,
        number: 1,
      },
    };
    this.geometry = new Geometry(2, 4, false);
    /** @type {Square | null} */
    this.selected = null;
    /** Name of the square that the keyboard is at. */
    this.cursor = "a1";
    this.shown = "";
    this.turn = 0;
    /** The move that a drag has just made: its piece is there already. */
    this.dropped = "";
    this.performing = false;
    /** @type {Map<string, SVGRectElement>} */
    this.cells = new Map();
    /** @type {Map<string, SVGGElement>} */
    this.standing = new Map();
    this.layer = {
      marks: layer("marks"),
      pieces: layer("standing"),
      over: layer("over"),
      focus: layer("focus"),
      effects: layer("effects"),
    };
    this.input = new BoardInput(this);
  }

  /** Whether it takes moves. */
  get active() {
    return Boolean(this.view.onSquare || (this.view.onMove && this.view.legal?.length));
  }

  /** @param {View} view */
  show(view) {
    const before = this.view;
    this.view = view;
    // Moves are only planned until their turn comes.
    this.root.classList.toggle("ahead", Boolean(view.onClear));
    const framed = this.frame();
    const same =
      !framed &&
      before.last === view.last &&
      before.picture.cells.join() === view.picture.cells.join();
    // A piece picked for a move later stays picked when its turn comes.
    const kept =
      same ||
      (!framed &&
        before.onClear &&
        this.selected &&
        Math.sign(this.stackAt(this.selected)) === (view.picture.white ? 1 : -1));
    if (!kept || !view.onMove) this.selected = null;
    // An update of the same position must not disturb pieces that are moving or dragged, or a shape
    // being drawn.
    const movers = (/** @type {View} */ { legal, onMove }) => (onMove ? (legal ?? []).join() : "");
    if (same && (this.performing || this.input.drag?.moving || movers(before) === movers(view)))
      return this.paint();
    this.turn++;
    this.performing = false;
    this.layer.effects.replaceChildren();
    const step = parseMove(view.last);
    this.drawPieces(view.picture.cells);
    this.paint();
    const isThere = Boolean(view.last) && view.last === this.dropped;
    this.dropped = "";
    if (view.animate && step && !same && !still() && (!isThere || view.chain?.length))
      this.perform(step, isThere);
  }

  /** Shows the last move again, with all its explosions. */
  replay() {
    const step = parseMove(this.view.last);
    if (step) this.perform(step);
  }

  /** @param {Step} step @param {boolean} [isThere] whether the piece has arrived already */
  async perform(step, isThere = false) {
    const { moved, chain = [] } = this.view;
    const turn = ++this.turn;
    this.performing = true;
    const current = () => turn === this.turn;
    const stage = {
      geometry: this.geometry,
      effects: this.layer.effects,
      current,
      draw: (/** @type {number[]} */ cells) => this.drawPieces(cells),
      piecesAt: (/** @type {Square} */ square) => this.standing.get(squareName(square)),
    };
    await perform(stage, isThere ? null : step, moved ?? [], moved ? chain : []);
    if (!current()) return;
    this.performing = false;
    this.drawPieces(this.view.picture.cells);
    this.paint();
  }

  /** Redraws the squares if the board has changed or been flipped; returns whether it did. */
  frame() {
    const { picture, flipped = false, coordinates = true } = this.view;
    const shown = `${picture.variant} ${picture.width}x${picture.height} ${flipped} ${coordinates}`;
    if (shown === this.shown) return false;
    this.shown = shown;
    this.geometry = new Geometry(picture.width, picture.height, flipped);
    const [width, height] = this.geometry.extent;
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.cells.clear();
    const rows = this.geometry
      .rows()
      .map((squares) => svg("g", { role: "row" }, ...squares.map((square) => this.square(square))));
    const walls = layer("walls");
    if (picture.variant === "freeling")
      for (const rank of WALLS)
        for (let file = 0; file < picture.width; file++)
          walls.append(wall(...this.geometry.corner({ file, rank })));
    const focused = this.root.contains(document.activeElement);
    this.root.replaceChildren(
      ...rows,
      walls,
      this.layer.marks,
      coordinates ? labels(this.geometry) : layer("labels"),
      this.layer.pieces,
      this.layer.over,
      this.layer.focus,
      this.layer.effects,
    );
    if (!this.cells.has(this.cursor))
      this.cursor = squareName(this.geometry.rows().at(-1)?.[0] ?? { file: 0, rank: 0 });
    if (focused) this.focus();
    return true;
  }

  /** @param {Square} square */
  square(square) {
    const [x, y] = this.geometry.corner(square);
    const shade = (square.file + square.rank) % 2 ? "light" : "dark";
    const name = squareName(square);
    const node = svg("rect", {
      class: `square ${shade}`,
      x,
      y,
      width: SIZE,
      height: SIZE,
      role: "gridcell",
      tabindex: -1,
      "data-square": name,
    });
    this.cells.set(name, node);
    return node;
  }

  /** @param {number[]} cells */
  drawPieces(cells) {
    const { width } = this.geometry;
    this.standing.clear();
    const nodes = [];
    for (const [index, stack] of cells.entries()) {
      if (!stack) continue;
      const square = { file: index % width, rank: Math.floor(index / width) };
      const [x, y] = this.geometry.centre(square);
      const node = pieces(stack);
      node.setAttribute("transform", `translate(${x} ${y})`);
      node.setAttribute("data-pieces", squareName(square));
      if (this.isMovable(square)) node.classList.add("movable");
      this.standing.set(squareName(square), node);
      nodes.push(node);
    }
    this.layer.pieces.replaceChildren(...nodes);
  }

  /** Marks, arrows, badges and what screen readers announce; the pieces stay. */
  paint() {
    const { view, geometry, selected } = this;
    const marks = [];
    const step = parseMove(view.last);
    if (step) marks.push(this.mark(step.from, "last"), this.mark(step.to, "last"));
    const plan = parseMove(view.planned);
    if (plan) marks.push(this.mark(plan.from, "planned"), this.mark(plan.to, "planned"));
    const picked = selected ?? this.input?.drag?.from;
    if (picked) marks.push(this.mark(picked, "selected"));
    if (selected && view.targets !== false)
      for (const square of this.targetsOf(selected)) marks.push(this.target(square));
    this.layer.marks.replaceChildren(...marks);

    this.layer.over.replaceChildren(...overlay(geometry, view));
    this.describe();
  }

  /** @param {Square} square @param {string} kind */
  mark(square, kind) {
    const [x, y] = this.geometry.corner(square);
    return svg("rect", { class: `mark ${kind}`, x, y, width: SIZE, height: SIZE });
  }

  /** @param {Square} square */
  target(square) {
    const [x, y] = this.geometry.centre(square);
    return this.stackAt(square)
      ? svg("rect", {
          class: "target taken",
          x: x - SIZE / 2 + 3,
          y: y - SIZE / 2 + 3,
          width: SIZE - 6,
          height: SIZE - 6,
          rx: 10,
        })
      : svg("circle", { class: "target", cx: x, cy: y, r: 10 });
  }

  /** Names of squares for screen readers, and which one the Tab key reaches. */
  describe() {
    const targets = this.selected ? this.targetsOf(this.selected).map(squareName) : [];
    for (const [name, node] of this.cells) {
      const square = /** @type {Square} */ (parseSquare(name));
      const stack = this.stackAt(square);
      const size = Math.abs(stack) > 1 ? `${Math.abs(stack)} pieces` : "piece";
      const what = stack === 0 ? "empty" : `${stack > 0 ? "white" : "black"} ${size}`;
      const goes = targets.includes(name) ? ", can move here" : "";
      const side =
        this.view.picture.variant === "freeling" && WALLS.includes(square.rank) ? ", wall" : "";
      node.setAttribute("aria-label", `${name} ${what}${side}${goes}`);
      node.setAttribute(
        "aria-selected",
        String(Boolean(this.selected && sameSquare(this.selected, square))),
      );
      node.setAttribute("tabindex", name === this.cursor ? "0" : "-1");
    }
  }

  /** @param {Square} square */
  stackAt({ file, rank }) {
    return this.view.picture.cells[rank * this.geometry.width + file] ?? 0;
  }

  /** @param {Square} from @returns {Square[]} */
  targetsOf(from) {
    return (this.view.legal ?? [])
      .map(parseMove)
      .flatMap((step) => (step && sameSquare(step.from, from) ? [step.to] : []));
  }

  /** @param {Square} square */
  isMovable(square) {
    return Boolean(this.view.onMove) && this.targetsOf(square).length > 0;
  }

  /** Whether the selected piece can go there. @param {Square} square */
  isTarget(square) {
    return (
      this.selected !== null && this.targetsOf(this.selected).some((to) => sameSquare(to, square))
    );
  }

  /** @param {Square | null} square */
  select(square) {
    this.selected = square;
    this.paint();
    if (square) {
      const targets = this.targetsOf(square).map(squareName);
      this.view.announce?.(`${squareName(square)}: can move to ${targets.join(", ")}.`);
    } else {
      this.view.onClear?.();
    }
  }

  /** @param {Square} to @param {boolean} [dropped] whether the piece was dragged there */
  choose(to, dropped = false) {
    const from = this.selected;
    if (!from) return;
    const move = squareName(from) + squareName(to);
    this.selected = null;
    this.paint();
    if (dropped) this.settle(from, to, move);
    this.view.onMove?.(move);
  }

  /**
   * A dragged piece stays where it was let go, until the move is shown. One that is to move later,
   * or whose move is refused, goes back.
   * @param {Square} from @param {Square} to @param {string} move
   */
  settle(from, to, move) {
    if (this.view.onClear) return this.drop();
    const [x, y] = this.geometry.centre(to);
    this.standing.get(squareName(to))?.remove();
    this.standing.get(squareName(from))?.setAttribute("transform", `translate(${x} ${y})`);
    this.dropped = move;
    setTimeout(() => {
      if (this.dropped !== move) return;
      this.dropped = "";
      this.drop();
    }, 100);
  }

  /**
   * Draws pieces under the pointer.
   * @param {Square} from
   * @param {number} x
   * @param {number} y
   * @param {Square | null} over
   */
  lift(from, x, y, over) {
    const node = this.standing.get(squareName(from));
    if (!node) return;
    if (!node.classList.contains("lifted")) {
      node.classList.add("lifted");
      node.parentNode?.append(node);
    }
    node.setAttribute("transform", `translate(${x} ${y})`);
    this.layer.marks.querySelector(".over")?.remove();
    if (over) this.layer.marks.append(this.mark(over, "over"));
  }

  /** Shows a shape that is being drawn. @param {Square | null} from @param {Square | null} to */
  sketch(from, to) {
    const shapes =
      !from || !to
        ? []
        : sameSquare(from, to)
          ? [circle(this.geometry, to, "mine")]
          : [arrow(this.geometry, from, to, "mine")];
    this.layer.effects.replaceChildren(...shapes);
  }

  /** Puts a lifted piece back. */
  drop() {
    this.layer.marks.querySelector(".over")?.remove();
    this.drawPieces(this.view.picture.cells);
  }

  cursorSquare() {
    return parseSquare(this.cursor);
  }

  /** @param {number} files @param {number} ranks */
  moveCursor(files, ranks) {
    const at = this.cursorSquare();
    if (!at) return;
    const file = Math.min(this.geometry.width - 1, Math.max(0, at.file + files));
    const rank = Math.min(this.geometry.height - 1, Math.max(0, at.rank + ranks));
    this.cursor = squareName({ file, rank });
    this.describe();
    this.focus();
  }

  /** Frames the square that has the keyboard focus, over its piece and within the board. */
  showFocus(isIn = true) {
    const square = this.cursorSquare();
    const isSeen = isIn && square && this.cells.get(this.cursor)?.matches(":focus-visible");
    const [x, y] = isSeen ? this.geometry.corner(square) : [0, 0];
    const inner = SIZE - 6;
    const frame = () => svg("rect", { x: x + 3, y: y + 3, width: inner, height: inner });
    this.layer.focus.replaceChildren(...(isSeen ? [frame()] : []));
  }

  /** Takes the keyboard focus. */
  focus() {
    this.cells.get(this.cursor)?.focus();
  }
}
