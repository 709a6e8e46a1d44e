/**
 * A picture of a board: what stands where and whose turn it is. It knows notation, not rules.
 *
 * Squares hold numbers: 2 is a pair of White's, -1 a single piece of Black's, 0 is empty.
 */

/**
 * @typedef {object} BoardState
 * @property {Variant} variant
 * @property {number} width files
 * @property {number} height ranks
 * @property {number[]} cells rank by rank from White's side, `rank * width + file`
 * @property {boolean} white whether White is to move
 * @property {number} clock plies without a piece leaving the board (Freeling's game only)
 * @property {number} number of the full move
 */

export const FREELING_START = "ppppp/ppppp/5/5/5/5/5/PPPPP/PPPPP w 0 1";
export const MAX_SQUARES = 128;
/** The largest counter of a FEN, and the largest move number: the engine counts plies. */
const MAX_COUNTER = 65_535;
const MAX_NUMBER = 32_768;
const PIECES = /** @type {Record<string, number>} */ ({ P: 1, p: -1, D: 2, d: -2 });

/** A position, maybe with an EPD's operations. */
export const EPD =
  /^([pd\d]+\/\S+ [wb]( (-|[KQA-H]+) (-|a?[a-z]\d+))?( \d+ \d+)?)(?!.*[; ]moves )((?<=[-\d]) [a-z]\w*[ ;].*| ?;.*)?$/i;

/** A FEN that cannot be read; the message is for people. */
export class FenError extends Error {}

/** Whether there is a board of that size. @param {number} width @param {number} height */
export function isBoard(width, height) {
  return width >= 2 && height >= 4 && width * height <= MAX_SQUARES && width <= 32 && height <= 64;
}

/**
 * The start position of Breakthrough.
 * @param {number} width
 * @param {number} height
 * @returns {string}
 */
export function startFen(width, height) {
  const empty = Array(height - 4).fill(String(width));
  return (
    [...Array(2).fill("p".repeat(width)), ...empty, ...Array(2).fill("P".repeat(width))].join("/") +
    " w 0 1"
  );
}

/**
 * Reads a FEN of two, four or six fields, or an EPD.
 * @param {string} text
 * @param {Variant} [variant] if not given, whatever game it is of can be read
 * @returns {BoardState}
 */
export function parseFen(text, variant) {
  const line = text.trim().replace(/\s+/g, " ");
  const parts = ((/;/.test(line) && EPD.exec(line)?.[1]) || line).split(" ");
  const rows = parts[0].split("/").map((row, index) => parseRow(row, index + 1));
  const width = rows[0].length;
  const odd = rows.findIndex((row) => row.length !== width);
  if (odd >= 0)
    throw new FenError(`Row ${odd + 1} has ${rows[odd].length} squares, row 1 has ${width}.`);
  if (!isBoard(width, rows.length))
    throw new FenError(`A board of ${width} files and ${rows.length} ranks is not supported.`);
  const side = parts[1]?.toLowerCase();
  if (side !== "w" && side !== "b")
    throw new FenError("After the rows, w or b must give the side to move.");
  const [clock, number] = countersOf(parts.slice(2).filter(Boolean));
  if (variant === "freeling" && (width !== 5 || rows.length !== 9))
    throw new FenError(`Freeling's game has 5 files and 9 ranks, not ${width} and ${rows.length}.`);
  const cells = rows.reverse().flat();
  if (variant === "breakthrough" && cells.some((cell) => Math.abs(cell) > 1))
    throw new FenError("Pairs (D, d) belong to Freeling's game.");
  return {
    variant: variant ?? "breakthrough",
    width,
    height: rows.length,
    cells,
    white: side === "w",
    clock: variant === "freeling" ? clock : 0,
    number,
  };
}

/**
 * The counters of a FEN, which may follow the castling rights and the en passant square of chess.
 * @param {string[]} fields after the side to move
 */
function countersOf(fields) {
  const isOfChess = /^(?:-|[KQkqA-Ha-h]+) (?:-|a?[a-z][1-9]\d?)$/;
  const hasBoth = isOfChess.test(fields.slice(0, 2).join(" "));
  const counters = hasBoth ? fields.slice(2) : fields;
  if (![0, 2].includes(counters.length) || !counters.every((part) => /^\d+$/.test(part)))
    throw new FenError(
      `What follows the side to move cannot be read: ${fields.join(" ").slice(0, 40)}`,
    );
  const [clock, number] = counters.length ? counters.map(Number) : [0, 1];
  if (Math.max(clock, number) > MAX_COUNTER)
    throw new FenError(`A counter is at most ${MAX_COUNTER}.`);
  return [clock, Math.min(Math.max(number, 1), MAX_NUMBER)];
}

/** @param {string} row @param {number} number */
function parseRow(row, number) {
  /** @type {number[]} */
  const cells = [];
  for (const token of row.match(/\d{1,2}|./gu) ?? []) {
    const piece = PIECES[token];
    if (piece) cells.push(piece);
    else if (/^[1-9]\d?$/.test(token)) cells.push(...Array(Number(token)).fill(0));
    else
      throw new FenError(
        `Row ${number} has '${token}', which is neither a piece nor a number of empty squares.`,
      );
    if (cells.length > 64) throw new FenError(`Row ${number} is too long.`);
  }
  return cells;
}

/** @param {BoardState} picture @returns {string} the FEN of four fields */
export function fenOf(picture) {
  const letters = picture.cells.map((cell) => "dp.PD"[cell + 2]);
  const rows = [];
  for (let at = 0; at < letters.length; at += picture.width) {
    const row = letters.slice(at, at + picture.width).join("");
    rows.unshift(row.replace(/\.+/g, ({ length }) => String(length)));
  }
  return `${rows.join("/")} ${picture.white ? "w" : "b"} ${picture.clock} ${picture.number}`;
}

/** Whether a FEN says that White is to move. @param {string} fen */
export function whiteToMove(fen) {
  return / w\b/.test(fen);
}

/**
 * Whether a FEN is the start position of its board.
 * @param {string} fen
 * @param {Variant} variant
 */
export function isStart(fen, variant) {
  if (variant === "freeling") return fen === FREELING_START;
  const { width, height } = parseFen(fen);
  return fen === startFen(width, height);
}
