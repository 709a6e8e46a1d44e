/** Reading the engine's lines. `protocol.md` says what they mean. */

/** @typedef {{cp?: number, mate?: number, bound?: "lower" | "upper", wdl?: [number, number, number]}} Score from the view of the side to move */
/**
 * @typedef {object} Info
 * @property {number} depth
 * @property {number} seldepth
 * @property {number} multipv
 * @property {Score | null} score
 * @property {number} nodes
 * @property {number} nps
 * @property {number} hashfull
 * @property {number} time
 * @property {string[]} pv
 */
/** @typedef {{name: string, type: string, default: string, min?: number, max?: number, vars: string[]}} Option */
/** @typedef {{time: number, nodes: number, nps: number, proof: number | null, disproof: number | null, table: number}} Progress */

/** @param {string} line @returns {Info | null} null for `info string` and other lines */
export function parseInfo(line) {
  if (!line.startsWith("info ") || line.startsWith("info string")) return null;
  /** @type {Info} */
  const info = { depth: 0, seldepth: 0, multipv: 1, score: null, nodes: 0, nps: 0, hashfull: 0, time: 0, pv: [] };
  const words = line.split(/\s+/);
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === "pv") {
      info.pv = words.slice(at + 1);
      break;
    }
    if (word === "score") info.score = { [words[at + 1] === "mate" ? "mate" : "cp"]: Number(words[at + 2]) };
    else if (word === "wdl" && info.score) info.score.wdl = [Number(words[at + 1]), Number(words[at + 2]), Number(words[at + 3])];
    else if (word === "lowerbound" && info.score) info.score.bound = "lower";
    else if (word === "upperbound" && info.score) info.score.bound = "upper";
    else if (word === "depth" || word === "seldepth" || word === "multipv" || word === "nodes" || word === "nps" || word === "hashfull" || word === "time") info[word] = Number(words[at + 1]);
  }
  return info;
}

/** @param {string} line @returns {Option | null} */
export function parseOption(line) {
  const found = /^option name (.+?) type (\w+)(.*)$/.exec(line);
  if (!found) return null;
  const rest = found[3];
  /** @param {string} key */
  const number = (key) => {
    const value = new RegExp(` ${key} (-?\\d+)`).exec(rest);
    return value ? Number(value[1]) : undefined;
  };
  return { name: found[1], type: found[2], default: / default (\S+)/.exec(rest)?.[1] ?? "", min: number("min"), max: number("max"), vars: [...rest.matchAll(/ var (\S+)/g)].map((one) => one[1]) };
}

/** The move of a `bestmove` line; null if there is none. @param {string} line */
export function parseBest(line) {
  const move = line.split(/\s+/)[1];
  return move && move !== "(none)" ? move : null;
}

/** A line of `go prove`'s progress. @param {string} line @returns {Progress | null} */
export function parseProgress(line) {
  const found = /^info string time ([\d.]+) s\s+nodes (\d+)\s+nodes\/s (\d+)\s+proof (\S+)\s+disproof (\S+)\s+table ([\d.]+)/.exec(line);
  if (!found) return null;
  /** @param {string} text */
  const number = (text) => (/^\d+$/.test(text) ? Number(text) : null);
  return { time: Number(found[1]) * 1000, nodes: Number(found[2]), nps: Number(found[3]), proof: number(found[4]), disproof: number(found[5]), table: Number(found[6]) / 100 };
}

/**
 * What each man is worth, from White's view in centipawns; empty where the evaluation has no
 * such figures.
 * @param {string[]} lines the answer to `eval`
 */
export function parseEval(lines) {
  /** @type {Record<string, number>} */
  const men = {};
  /** @type {{term: string, white: string, black: string, cp: number}[]} */
  const terms = [];
  for (const line of lines) {
    const man = /^man on (\S+)\s+\S+\s+\S+\s+(-?\d+)$/.exec(line);
    const term = /^(.+?)\s+(\S+)\s+(\S+)\s+(-?\d+)$/.exec(line);
    if (man) men[man[1]] = Number(man[2]);
    else if (term && !line.startsWith("Evaluation")) terms.push({ term: term[1], white: term[2], black: term[3], cp: Number(term[4]) });
  }
  const sum = /^Evaluation: (-?\d+) cp for (white|black), ([\d.]+)% to win/.exec(lines.at(-1) ?? "");
  return { men, terms, cp: sum ? Number(sum[1]) : 0, side: sum?.[2] ?? "white" };
}
