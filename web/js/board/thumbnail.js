/** A position as a small picture, to be recognised rather than read. */

import { svg } from "./svg.js";

/** @import { BoardState } from "../rules/picture.js" */

/** @param {BoardState} picture @param {boolean} [flipped] Black at the bottom */
export function thumbnail({ width, height, cells }, flipped = false) {
  const place = (/** @type {number} */ index) => {
    const [file, rank] = [index % width, Math.floor(index / width)];
    return flipped ? [width - 1 - file, rank] : [file, height - 1 - rank];
  };
  let dark = "";
  for (let index = 0; index < width * height; index++) {
    const [x, y] = place(index);
    if ((index % width) % 2 === Math.floor(index / width) % 2) dark += `M${x} ${y}h1v1h-1z`;
  }
  const pieces = cells.flatMap((cell, index) => {
    if (!cell) return [];
    const [x, y] = place(index);
    return svg("circle", {
      class: cell > 0 ? "white" : "black",
      cx: x + 0.5,
      cy: y + 0.5,
      r: 0.36,
    });
  });
  return svg(
    "svg",
    { class: "thumbnail", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    svg("rect", { class: "light", width, height }),
    svg("path", { class: "dark", d: dark }),
    ...pieces,
  );
}
