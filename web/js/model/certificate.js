/**
 * Short certificates (`docs/certificates.md`) as books: who wins a position, and by which
 * move. Positions are numbers of up to 127 bits, and of up to 64 on boards of up to 40 squares.
 */

import { parseFen } from "../rules/picture.js";
import { parseMove, squareName } from "../rules/squares.js";

/** @import { BoardState } from "../rules/picture.js" */
/**
 * @typedef {object} Certificate
 * @property {string} fen the position that is proven
 * @property {"white" | "black"} winner
 * @property {number} width
 * @property {number} height
 * @property {BigUint64Array} positions in ascending order, without what is above 64 bits
 * @property {BigUint64Array | null} above what is above them, if anything is
 * @property {Uint8Array} moves one for each position
 */

/** A file that is no certificate, or a damaged one; the message is for people. */
export class CertificateError extends Error {}

const MAGIC = "breakthrough certificate ";
const HEADER =
  /^breakthrough certificate 2\nfen ([^\n]+)\nwinner (white|black)\ndepth \d\nleaf-nodes \d+\nentries (\d+)\n\n/;
/** As many as the format allows, and as many as fit into 64 bits. */
const MAX_SQUARES = { all: 80, short: 40 };
/** Entries between two chances for the page to answer. */
const SLICE = 50_000;

/** @param {Uint8Array} bytes whether they begin as a certificate does */
export function isCertificate(bytes) {
  return new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/** What a certificate proves, by its first lines. @param {Uint8Array} bytes */
export function readHeader(bytes) {
  const head = HEADER.exec(new TextDecoder().decode(bytes.subarray(0, 500)));
  if (!head) throw new CertificateError("Only short certificates (version 2) can be read here.");
  const [{ length }, fen, winner, count] = head;
  const { width, height } = parseFen(fen);
  return {
    length,
    fen,
    winner: /** @type {"white" | "black"} */ (winner),
    width,
    height,
    count: Number(count),
  };
}

/** @param {Uint8Array} bytes @returns {Promise<Certificate>} */
export async function readCertificate(bytes) {
  const { length, fen, winner, width, height, count } = readHeader(bytes);
  if (width * height > MAX_SQUARES.all)
    throw new CertificateError(`Proofs are of boards of up to ${MAX_SQUARES.all} squares.`);
  const end = bytes.length - 4;
  const checksum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(Math.max(0, end), true);
  if (checksum !== crc32(bytes.subarray(0, end)))
    throw new CertificateError("The proof is damaged.");
  const entries = Math.min(count, bytes.length);
  const positions = new BigUint64Array(entries);
  const above = width * height > MAX_SQUARES.short ? new BigUint64Array(entries) : null;
  const moves = new Uint8Array(entries);
  let at = length;
  /** One number: seven bits a byte, lowest first. */
  const next = () => {
    let [low, high, shift] = [0, 0n, 0];
    for (; at < end; shift++) {
      const byte = bytes[at++];
      if (shift < 7) low += (byte & 127) * 128 ** shift;
      else high |= BigInt(byte & 127) << BigInt(7 * shift);
      if (byte < 128) return high ? high + BigInt(low) : BigInt(low);
    }
    throw new CertificateError("The proof is damaged.");
  };
  let position = 0n;
  for (let entry = 0; entry < entries; entry++) {
    position += next();
    positions[entry] = position;
    if (above) above[entry] = position >> 64n;
    moves[entry] = Number(next());
    if (entry % SLICE === SLICE - 1) await new Promise((resolve) => setTimeout(resolve));
  }
  if (at !== end) throw new CertificateError("The proof is damaged.");
  return {
    fen,
    winner,
    width,
    height,
    positions,
    above,
    moves,
  };
}

/**
 * The winner's move in a position where the winner is to move; null if the file has none.
 * @param {Certificate} certificate @param {BoardState} picture
 */
export function moveIn({ winner, width, height, positions, above, moves }, picture) {
  if (picture.width !== width || picture.height !== height) return null;
  const isWhite = winner === "white";
  if (picture.white !== isWhite) return null;
  const own = (/** @type {number} */ cell) => (cell > 0 === isWhite ? 1n : 2n);
  let [plain, mirrored] = [0n, 0n];
  for (let rank = height - 1; rank >= 0; rank--) {
    for (let file = width - 1; file >= 0; file--) {
      const row = (isWhite ? rank : height - 1 - rank) * width;
      const [cell, other] = [picture.cells[row + file], picture.cells[row + width - 1 - file]];
      plain = plain * 3n + (cell ? own(cell) : 0n);
      mirrored = mirrored * 3n + (other ? own(other) : 0n);
    }
  }
  const isMirrored = mirrored < plain;
  const wanted = isMirrored ? mirrored : plain;
  const number = (/** @type {number} */ entry) =>
    above ? (above[entry] << 64n) | positions[entry] : positions[entry];
  let [from, to] = [0, positions.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (number(middle) < wanted) from = middle + 1;
    else to = middle;
  }
  if (from === positions.length || number(from) !== wanted) return null;
  const [square, side] = [Math.floor(moves[from] / 3), (moves[from] % 3) - 1];
  const name = (/** @type {number} */ file, /** @type {number} */ rank) =>
    squareName({
      file: isMirrored ? width - 1 - file : file,
      rank: isWhite ? rank : height - 1 - rank,
    });
  const [file, rank] = [square % width, Math.floor(square / width)];
  const move = name(file, rank) + name(file + side, rank + 1);
  return parseMove(move) ? move : null;
}

/** As in zlib. @param {Uint8Array} bytes */
function crc32(bytes) {
  const table = Uint32Array.from({ length: 256 }, (_, value) => {
    let rest = value;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    return rest;
  });
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ table[(sum ^ byte) & 255];
  return (sum ^ 0xffffffff) >>> 0;
}
