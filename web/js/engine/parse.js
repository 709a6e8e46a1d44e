/** Reading the engine's lines. `protocol.md` says what they mean. */

/**
 * @typedef {{cp?: number, mate?: number, bound?: "lower" | "upper", wdl?: [number, number,
 * number]}} Score from the view of the side to move
 */
/**
 * @typedef {object} Info
 * @property {number} depth
 * @property {number} multipv
 * @property {Score | null} score
 * @property {number} nodes
 * @property {number} nps
 * @property {number} hashfull
 * @property {string[]} pv
 */
/** @typedef {{name: string, min?: number, max?: number}} Option */
/**
 * @typedef {{time: number, nodes: number, nps: number, proof: number | null, disproof: number |
 * null, table: number}} Progress
 */

/** @param {string} line @returns {Info | null} null for `info string` and other lines */
export function parseInfo(line) {
  if (!line.startsWith("info ") || line.startsWith("info string")) return null;
  /** @type {Info} */
  const info = { depth: 0, multipv: 1, score: null, nodes: 0, nps: 0, hashfull: 0, pv: [] };
  const words = line.split(/\s+/);
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === "pv") {
      info.pv = words.slice(at + 1);
      break;
    }
    if (word === "score")
      info.score = { [words[at + 1] === "mate" ? "mate" : "cp"]: Number(words[at + 2]) };
    else if (word === "wdl" && info.score)
      info.score.wdl = [Number(words[at + 1]), Number(words[at + 2]), Number(words[at + 3])];
    else if (word === "lowerbound" && info.score) info.score.bound = "lower";
    else if (word === "upperbound" && info.score) info.score.bound = "upper";
    else if (Object.hasOwn(info, word)) /** @type {any} */ (info)[word] = Number(words[at + 1]);
  }
  return info;
}

/** @param {string} line @returns {Option | null} */
export function parseOption(line) {
  const found = /^option name (.+?) type (.*)$/.exec(line);
  if (!found) return null;
  /** @param {string} key */
  const number = (key) => {
    const value = new RegExp(` ${key} (-?\\d+)`).exec(found[2]);
    return value ? Number(value[1]) : undefined;
  };
  return { name: found[1], min: number("min"), max: number("max") };
}

/** The move of a `bestmove` line; null if there is none. @param {string} line */
export function parseBest(line) {
  const move = line.split(/\s+/)[1];
  return move && move !== "(none)" ? move : null;
}

/** A line of `go prove`'s progress. @param {string} line @returns {Progress | null} */
export function parseProgress(line) {
  const found =
    /^info nodes (\d+) nps (\d+) hashfull (\d+) time (\d+) proof (\S+) disproof (\S+)/.exec(line);
  if (!found) return null;
  const [nodes, nps, hashfull, time] = found.slice(1).map(Number);
  const number = (/** @type {string} */ text) => (text === "inf" ? null : Number(text));
  return {
    time,
    nodes,
    nps,
    proof: number(found[5]),
    disproof: number(found[6]),
    table: hashfull / 1000,
  };
}

/** What the engine notes in words, such as why it refuses something. @param {string} line */
export function parseNote(line) {
  return /^info string (?!proof |variant )(?:refused: )?(.+)/.exec(line)?.[1] ?? null;
}

/**
 * Who wins beyond doubt, by a proof of the position or of the whole board.
 * @param {string} line
 * @returns {"white" | "black" | null}
 */
export function parseProof(line) {
  const found = /^info string proof (white|black) wins/.exec(line);
  return found ? /** @type {"white" | "black"} */ (found[1]) : null;
}
