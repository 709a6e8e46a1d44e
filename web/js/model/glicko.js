/**
 * Ratings by Glicko-2: Mark Glickman, "Example of the Glicko-2 system" (2022), whose steps these
 * are.
 */

/**
 * @typedef {object} Rating
 * @property {number} rating
 * @property {number} deviation
 * @property {number} volatility
 */
/** @typedef {{rating: number, deviation: number, score: number}} Result against whom, and 1 or 0 */

/** What a newcomer begins with: a level that has just learnt the rules. @type {Rating} */
export const NEWCOMER = { rating: 900, deviation: 350, volatility: 0.06 };

/** How much the volatility may change: tau. */
const CHANGE = 0.5;
const SCALE = 173.7178;
const MIDDLE = 1500;
const PRECISION = 1e-6;

/**
 * A rating after a rating period with these results.
 * @param {Rating} player
 * @param {Result[]} results
 * @param {number} [change] the constant tau
 * @returns {Rating}
 */
export function rated(player, results, change = CHANGE) {
  // Step 2: to the Glicko-2 scale
  const mu = (player.rating - MIDDLE) / SCALE;
  const phi = player.deviation / SCALE;
  const sigma = player.volatility;
  if (!results.length) return { ...player, deviation: SCALE * Math.hypot(phi, sigma) };
  // Steps 3 and 4: the variance, and the estimated improvement
  let information = 0;
  let gain = 0;
  for (const { rating, deviation, score } of results) {
    const weight = 1 / Math.sqrt(1 + (3 * (deviation / SCALE) ** 2) / Math.PI ** 2);
    const expected = 1 / (1 + Math.exp(-weight * (mu - (rating - MIDDLE) / SCALE)));
    information += weight ** 2 * expected * (1 - expected);
    gain += weight * (score - expected);
  }
  const variance = 1 / information;
  const volatility = volatilityAfter(phi, sigma, variance, variance * gain, change);
  // Steps 6 to 8
  const before = Math.hypot(phi, volatility);
  const after = 1 / Math.sqrt(1 / before ** 2 + 1 / variance);
  return {
    rating: MIDDLE + SCALE * (mu + after ** 2 * gain),
    deviation: SCALE * after,
    volatility,
  };
}

/**
 * Step 5, by the Illinois method.
 * @param {number} phi @param {number} sigma @param {number} variance @param {number} delta
 * @param {number} change
 */
function volatilityAfter(phi, sigma, variance, delta, change) {
  const a = Math.log(sigma ** 2);
  const f = (/** @type {number} */ x) => {
    const power = Math.exp(x);
    const sum = phi ** 2 + variance + power;
    return (power * (delta ** 2 - sum)) / (2 * sum ** 2) - (x - a) / change ** 2;
  };
  let low = a;
  let high;
  if (delta ** 2 > phi ** 2 + variance) high = Math.log(delta ** 2 - phi ** 2 - variance);
  else {
    let step = 1;
    while (f(a - step * change) < 0) step++;
    high = a - step * change;
  }
  let atLow = f(low);
  let atHigh = f(high);
  while (Math.abs(high - low) > PRECISION) {
    /** @type {number} */
    const middle = low + ((low - high) * atLow) / (atHigh - atLow);
    const atMiddle = f(middle);
    if (atMiddle * atHigh <= 0) {
      low = high;
      atLow = atHigh;
    } else atLow /= 2;
    high = middle;
    atHigh = atMiddle;
  }
  return Math.exp(low / 2);
}
