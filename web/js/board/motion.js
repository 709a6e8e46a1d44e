/** Moves and explosions in motion. Nothing here changes what is shown at the end. */

import { burst } from "./drawing.js";

/** @import { Explosion } from "../rules/apply.js" */
/** @import { Square, Step } from "../rules/squares.js" */
/** @import { Geometry } from "./geometry.js" */

/** A move in milliseconds, and one explosion of a chain. */
const MOVE = 160;
const EXPLOSION = 420;

/** Whether the user prefers reduced motion. */
export function still() {
  return typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Slides the pieces on a square there from another one.
 * @param {SVGGElement | undefined} node
 * @param {Geometry} geometry @param {Square} from @param {Square} to
 * @param {number} [milliseconds]
 * @returns {Promise<unknown>}
 */
function slide(node, geometry, from, to, milliseconds = MOVE) {
  const body = node?.querySelector(".body");
  if (!node || !body) return Promise.resolve();
  const [x1, y1] = geometry.corner(from);
  const [x2, y2] = geometry.corner(to);
  node.parentNode?.append(node);
  const motion = body.animate(
    [{ transform: `translate(${x1 - x2}px, ${y1 - y2}px)` }, { transform: "none" }],
    { duration: milliseconds, easing: "ease-out" },
  );
  return motion.finished.catch(() => undefined);
}

/**
 * Shows a move and then its explosions one after the other.
 * @param {object} stage
 * @param {Geometry} stage.geometry
 * @param {SVGGElement} stage.effects where the rays are drawn
 * @param {(cells: number[]) => void} stage.draw draws the pieces
 * @param {(square: Square) => SVGGElement | undefined} stage.piecesAt
 * @param {() => boolean} stage.current false as soon as something else is shown
 * @param {Step | null} step null if the piece is there already
 * @param {number[]} moved the board before the chain
 * @param {Explosion[]} chain
 */
export async function perform(stage, step, moved, chain) {
  if (chain.length) stage.draw(moved);
  if (step) await slide(stage.piecesAt(step.to), stage.geometry, step.from, step.to);
  for (const explosion of chain) {
    if (!stage.current()) return;
    const [x, y] = stage.geometry.centre(explosion.at);
    const rays = burst(x, y);
    stage.effects.append(rays);
    const grow = [
      { transform: "scale(0.2)", opacity: 1 },
      { transform: "scale(1.15)", opacity: 0.9, offset: 0.5 },
      { transform: "scale(1.4)", opacity: 0 },
    ];
    const shine = rays.firstElementChild?.animate(grow, {
      duration: EXPLOSION,
      easing: "ease-out",
    });
    stage.draw(explosion.cells);
    const flights = explosion.shots
      .filter((shot) => shot.effect !== "lost")
      .map((shot) =>
        slide(stage.piecesAt(shot.to), stage.geometry, explosion.at, shot.to, EXPLOSION * 0.7),
      );
    await Promise.all([shine?.finished.catch(() => undefined), ...flights]);
    rays.remove();
  }
}
