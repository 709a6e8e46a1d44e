/** The levels of play. Ratings are those of the option `UCI_Elo`. */

/** @typedef {{id: string, name: string, elo: number | null, about: string, slips?: number}} Level `slips` is the share of moves that are any legal move instead */

/** @type {Level[]} from the weakest; no rating is full strength */
export const LEVELS = [
  { id: "0", name: "First steps", elo: 780, slips: 0.75, about: "For small children: three moves of four are any legal move." },
  { id: "1", name: "Newcomer", elo: 780, about: "Knows the rules, overlooks most things." },
  { id: "2", name: "Beginner", elo: 1000, about: "Captures what it sees, plans little." },
  { id: "3", name: "Casual", elo: 1250, about: "Sees simple threats." },
  { id: "4", name: "Steady", elo: 1500, about: "Keeps its home row and trades with care." },
  { id: "5", name: "Skilled", elo: 1750, about: "Looks a few moves ahead everywhere." },
  { id: "6", name: "Expert", elo: 2000, about: "Punishes a wasted move." },
  { id: "7", name: "Master", elo: 2300, about: "Sees a breakthrough long before it comes." },
  { id: "8", name: "Grandmaster", elo: 2700, about: "Seldom gives anything away." },
  { id: "full", name: "Full strength", elo: null, about: "All that this machine can do." },
];

/** @param {string} id */
export function levelOf(id) {
  return LEVELS.find((level) => level.id === id) ?? LEVELS[LEVELS.length - 1];
}

/** What is printed as a level's rating. @param {Level} level */
export function ratingOf({ elo, slips }) {
  return elo === null || slips ? "–" : String(elo);
}

/** A move that is not thought about, as weak levels make them; null to think. @param {Level} level @param {string[]} legal */
export function slip({ slips = 0 }, legal) {
  return Math.random() < slips ? (legal[Math.floor(Math.random() * legal.length)] ?? null) : null;
}

/** Options that make an engine play at a level. @param {Level} level @returns {Record<string, number | boolean>} */
export function levelOptions(level) {
  return level.elo === null ? { UCI_LimitStrength: false } : { UCI_LimitStrength: true, UCI_Elo: level.elo };
}
