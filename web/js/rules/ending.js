/** How a game ended, in words. The engine says that it has ended, and who won. */

/** @typedef {"white" | "black" | "draw"} Winner */

/** @param {Winner} winner @returns {"1-0" | "0-1" | "1/2-1/2"} */
export function resultOf(winner) {
  return winner === "white" ? "1-0" : winner === "black" ? "0-1" : "1/2-1/2";
}

/** @param {boolean} white */
export function sideName(white) {
  return white ? "White" : "Black";
}

/** @param {Winner} winner @param {string | null | undefined} reason the engine's word for it */
export function reasonOf(winner, reason) {
  const [side, other] = [sideName(winner === "white"), sideName(winner !== "white")];
  if (winner === "draw") return "The same position for the third time: a draw.";
  if (reason === "arrived") return `${side} wins: a piece reached the far side.`;
  return `${side} wins: ${other} ${reason === "no pieces" ? "has no pieces left" : "cannot move"}.`;
}
