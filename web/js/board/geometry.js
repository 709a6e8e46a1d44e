/** Where squares lie in the drawing. One square is 60 units wide. */

/** @import { Square } from "../rules/squares.js" */

export const SIZE = 60;

export class Geometry {
  /**
   * @param {number} width files
   * @param {number} height ranks
   * @param {boolean} flipped Black at the bottom
   */
  constructor(width, height, flipped) {
    this.width = width;
    this.height = height;
    this.flipped = flipped;
    /** Letters of large boards are drawn larger, as their squares appear smaller. */
    this.font = Math.min(22, Math.max(12, Math.max(width, height) * 0.9));
  }

  /** Width and height of the drawing. @returns {[number, number]} */
  get extent() {
    return [this.width * SIZE, this.height * SIZE];
  }

  /** The upper left corner of a square. @param {Square} square @returns {[number, number]} */
  corner({ file, rank }) {
    const column = this.flipped ? this.width - 1 - file : file;
    const row = this.flipped ? rank : this.height - 1 - rank;
    return [column * SIZE, row * SIZE];
  }

  /** @param {Square} square @returns {[number, number]} */
  centre(square) {
    const [x, y] = this.corner(square);
    return [x + SIZE / 2, y + SIZE / 2];
  }

  /**
   * The square at a point of the drawing.
   * @param {number} x
   * @param {number} y
   * @returns {Square | null}
   */
  at(x, y) {
    const column = Math.floor(x / SIZE);
    const row = Math.floor(y / SIZE);
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return null;
    return this.flipped
      ? { file: this.width - 1 - column, rank: row }
      : { file: column, rank: this.height - 1 - row };
  }

  /** All squares, row by row as displayed. @returns {Square[][]} */
  rows() {
    return Array.from({ length: this.height }, (_, row) =>
      Array.from(
        { length: this.width },
        (_, column) => /** @type {Square} */ (this.at((column + 0.5) * SIZE, (row + 0.5) * SIZE)),
      ),
    );
  }
}
