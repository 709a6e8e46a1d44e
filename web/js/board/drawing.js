/** Shapes on the board: squares, walls, pieces, arrows, badges. Colours are in `css/board.css`. */

import { fileName, parseMove, parseSquare, sameSquare } from "../rules/squares.js";
import { SIZE } from "./geometry.js";
import { svg } from "./svg.js";

/** @import { Square } from "../rules/squares.js" */
/** @import { Arrow, View } from "./board.js" */
/** @import { Geometry } from "./geometry.js" */

/** Ranks that are walls in Freeling's game, counted from 0. */
export const WALLS = [2, 6];

/** A group of shapes that screen readers skip. @param {string} name */
export function layer(name) {
  return svg("g", { class: name, "aria-hidden": "true" });
}

/** Files and ranks along the edges. @param {Geometry} geometry */
export function labels(geometry) {
  const group = layer("labels");
  const { font, height } = geometry;
  const label = (
    /** @type {Square} */ square,
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {string} */ text,
  ) => {
    const shade = (square.file + square.rank) % 2 ? "light" : "dark";
    const anchor = x < SIZE / 2 ? "start" : "end";
    const [left, top] = geometry.corner(square);
    group.append(
      svg(
        "text",
        { class: shade, x: left + x, y: top + y, "font-size": font, "text-anchor": anchor },
        text,
      ),
    );
  };
  const rows = geometry.rows();
  for (const [square] of rows) label(square, 3, font, String(square.rank + 1));
  for (const square of rows[height - 1]) label(square, SIZE - 3, SIZE - 4, fileName(square.file));
  return group;
}

/** Bricks over a wall square. @param {number} x @param {number} y */
export function wall(x, y) {
  const third = SIZE / 3;
  const lines = [];
  for (let row = 0; row < 3; row++) {
    const top = y + row * third;
    lines.push(`M${x} ${top}h${SIZE}`);
    for (const at of row % 2 ? [0.25, 0.75] : [0, 0.5])
      lines.push(`M${x + at * SIZE} ${top}v${third}`);
  }
  return svg(
    "g",
    { class: "wall" },
    svg("rect", { x, y, width: SIZE, height: SIZE }),
    svg("path", { d: `${lines.join("")}M${x} ${y + SIZE}h${SIZE}` }),
  );
}

/**
 * A stack of pieces around the middle of its own coordinates. The inner group is what moves.
 * @param {number} stack positive for White
 */
export function pieces(stack) {
  const size = Math.abs(stack);
  const inner = svg("g", { class: "body" });
  const lift = size > 1 ? 4 : 0;
  for (let level = 0; level < Math.min(size, 4); level++) {
    const y = lift - level * 9;
    inner.append(
      svg("circle", { class: "under", cx: 0, cy: y + 4, r: 22 }),
      svg("circle", { class: "face", cx: 0, cy: y, r: 22 }),
      svg("circle", { class: "ring", cx: 0, cy: y, r: 14.5 }),
    );
  }
  if (size > 1) {
    const y = lift - (Math.min(size, 4) - 1) * 9;
    inner.append(svg("text", { class: "count", x: 0, y: y + 6 }, String(size)));
  }
  return svg(
    "g",
    { class: `pieces ${stack > 0 ? "white" : "black"}` },
    svg("ellipse", { class: "shade", cx: 0, cy: 8 + lift, rx: 22.5, ry: 20 }),
    inner,
  );
}

/**
 * @param {Geometry} geometry
 * @param {Square} from
 * @param {Square} to
 * @param {string} kind a class: best, other, threat, hint
 */
export function arrow(geometry, from, to, kind) {
  const [x1, y1] = geometry.centre(from);
  const [x2, y2] = geometry.centre(to);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const half = kind === "other" ? 4.5 : 6;
  const wing = half + 8;
  const tip = length - 2;
  const neck = tip - wing * 1.25;
  const start = 14;
  /** @param {number} along @param {number} across */
  const point = (along, across) =>
    `${(x1 + ux * along - uy * across).toFixed(1)},${(y1 + uy * along + ux * across).toFixed(1)}`;
  const points = [
    point(start, half),
    point(neck, half),
    point(neck, wing),
    point(tip, 0),
    point(neck, -wing),
    point(neck, -half),
    point(start, -half),
  ];
  return svg("g", { class: `arrow ${kind}` }, svg("polygon", { points: points.join(" ") }));
}

/**
 * A ring around a square.
 * @param {Geometry} geometry
 * @param {Square} square
 * @param {string} kind
 */
export function circle(geometry, square, kind) {
  const [cx, cy] = geometry.centre(square);
  return svg("circle", { class: `circle ${kind}`, cx, cy, r: SIZE * 0.45 });
}

/** A small label on a plate. @param {number} x @param {number} y @param {string} text */
function tag(x, y, text) {
  const width = text.length * 8.4 + 10;
  return svg(
    "g",
    { class: "tag" },
    svg("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 5 }),
    svg("text", { x, y: y + 5 }, text),
  );
}

/**
 * Scores beside the heads of arrows, or back along an arrow where there is one already.
 * @param {Geometry} geometry
 * @param {Arrow[]} arrows
 */
function tags(geometry, arrows) {
  /** @type {number[][]} */
  const taken = [];
  return arrows.flatMap(({ move, label }) => {
    const line = parseMove(move);
    if (!line || !label) return [];
    const [[x1, y1], [x2, y2]] = [geometry.centre(line.from), geometry.centre(line.to)];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const spots = [0.5, 0.25, 0.75, 0].map((part) => [
      x1 + (x2 - x1) * part,
      y1 + (y2 - y1) * part,
    ]);
    spots.unshift([x2 + ((x2 - x1) / length) * 8, y2 + ((y2 - y1) / length) * 22]);
    const [x, y] =
      spots.find(([x, y]) =>
        taken.every(([a, b]) => Math.abs(a - x) > 44 || Math.abs(b - y) > 18),
      ) ?? spots[0];
    taken.push([x, y]);
    return tag(x, y, label);
  });
}

/**
 * A round badge on a square's upper right corner, such as `??` or the number of an explosion.
 * @param {number} x @param {number} y corner of the square
 * @param {string} text @param {string} kind
 */
export function badge(x, y, text, kind) {
  const [cx, cy] = [x + SIZE - 10, y + 11];
  return svg(
    "g",
    { class: `badge ${kind}` },
    svg("circle", { cx, cy, r: 11 }),
    svg("text", { x: cx, y: cy + 4.5 }, text),
  );
}

/**
 * What lies over the pieces: arrows, circles, badges, figures.
 * @param {Geometry} geometry
 * @param {View} view
 */
export function overlay(geometry, { picture, arrows = [], chain = [], badges = [], values = {} }) {
  const over = [];
  for (const { move, kind } of arrows.slice().reverse()) {
    const line = parseMove(move);
    if (line && sameSquare(line.from, line.to)) over.push(circle(geometry, line.to, kind));
    else if (line) over.push(arrow(geometry, line.from, line.to, kind));
  }
  over.push(...tags(geometry, arrows));
  for (const [index, { at }] of chain.entries())
    over.push(badge(...geometry.corner(at), String(index + 1), "explosion"));
  for (const { square, text, kind } of badges) {
    const at = parseSquare(square);
    if (at) over.push(badge(...geometry.corner(at), text, kind));
  }
  for (const [square, text] of Object.entries(values)) {
    const at = parseSquare(square);
    if (!at) continue;
    const [x, y] = geometry.centre(at);
    const white = picture.cells[at.rank * picture.width + at.file] > 0;
    over.push(svg("text", { class: `value ${white ? "white" : "black"}`, x, y: y + 5 }, text));
  }
  return over;
}

/** The rays of an explosion. @param {number} x @param {number} y the middle */
export function burst(x, y) {
  const points = Array.from({ length: 24 }, (_, index) => {
    const radius = index % 2 ? 17 : 34;
    const angle = (index / 24) * 2 * Math.PI;
    return `${(Math.cos(angle) * radius).toFixed(1)},${(Math.sin(angle) * radius).toFixed(1)}`;
  });
  return svg(
    "g",
    { class: "burst", transform: `translate(${x} ${y})` },
    svg("polygon", { points: points.join(" ") }),
  );
}
