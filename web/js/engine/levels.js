/** The levels of play. Ratings are those of the option `UCI_Elo`. */

/** @typedef {{id: string, name: string, elo: number | null, about: string}} Level */

/** @type {Level[]} from the weakest; no rating is full strength */
export const LEVELS = [
  { id: "0", name: "First steps", elo: -340, about: "For a first game: it tries to lose." },
  {
    id: "½",
    name: "Playmate",
    elo: 200,
    about: "Plays all sorts of moves and misses wins.",
  },
  { id: "1", name: "Newcomer", elo: 720, about: "Knows the rules, overlooks most things." },
  { id: "2", name: "Beginner", elo: 1000, about: "Captures what it sees, plans little." },
  { id: "3", name: "Casual", elo: 1250, about: "Sees simple threats." },
  { id: "4", name: "Steady", elo: 1500, about: "Keeps its home row and trades with care." },
  { id: "5", name: "Skilled", elo: 1750, about: "Looks a few moves ahead everywhere." },
  { id: "6", name: "Expert", elo: 2000, about: "Punishes a wasted move." },
  { id: "7", name: "Master", elo: 2300, about: "Sees a breakthrough long before it comes." },
  { id: "8", name: "Grandmaster", elo: 2700, about: "Seldom gives anything away." },
  { id: "full", name: "Full strength", elo: null, about: "As strong as this machine allows." },
];

/** A rating as it is printed. @param {number | null} elo */
export function eloText(elo) {
  return elo === null ? "–" : String(elo).replace("-", "−");
}

/** The level above a level, if there is one. @param {string} id */
export function levelAbove(id) {
  const at = LEVELS.findIndex((level) => level.id === id);
  return at < 0 ? null : (LEVELS[at + 1] ?? null);
}

/** @param {string} id */
export function levelOf(id) {
  return LEVELS.find((level) => level.id === id) ?? LEVELS[LEVELS.length - 1];
}

/**
 * Options that make an engine play at a level.
 * @param {Level} level
 * @returns {Record<string, number | boolean>}
 */
export function levelOptions(level) {
  return level.elo === null
    ? { UCI_LimitStrength: false }
    : { UCI_LimitStrength: true, UCI_Elo: level.elo };
}
