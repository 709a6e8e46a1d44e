/** White's chances over a game, to look at and to click. */

import { svg } from "../board/svg.js";
import { goTo, shownGame } from "../control/app.js";
import { verdictsOf } from "../control/review.js";
import { knownOf, percent, provenWinner, whiteChance } from "../model/chance.js";
import { isBad } from "../model/judge.js";
import { lineThrough } from "../model/tree.js";
import { fill, h } from "../ui/dom.js";

const WIDTH = 600;
const HEIGHT = 120;

/** @param {App} app */
export function graph(app) {
  const { store } = app;
  const box = h("div", { class: "graph" });
  box.addEventListener("click", (event) => {
    const game = shownGame(app);
    const frame = box.getBoundingClientRect();
    if (!game || !frame.width) return;
    const line = lineThrough(game.tree, game.at);
    const ply = Math.round(((event.clientX - frame.left) / frame.width) * (line.length - 1));
    goTo(app, line[Math.max(0, Math.min(line.length - 1, ply))].id);
  });
  let isDue = false;
  const draw = () => {
    isDue = false;
    const game = shownGame(app);
    if (!game) return;
    const line = lineThrough(game.tree, game.at);
    const chances = line.map((node) => {
      const seen = game.review?.[node.id];
      const known = knownOf(node);
      return known?.sure
        ? known.chance
        : seen
          ? whiteChance(seen.score, node.fen)
          : (known?.chance ?? null);
    });
    box.hidden = line.length < 3 || chances.filter((chance) => chance !== null).length < 2;
    if (box.hidden) return;
    const x = (/** @type {number} */ index) => (index / (line.length - 1)) * WIDTH;
    const y = (/** @type {number} */ chance) => 4 + (1 - chance) * (HEIGHT - 8);
    const curves = runs(chances).map(({ from, values }) => {
      const points = values.map((chance, index) => [x(from + index), y(chance)]);
      const path = points.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(" ");
      return { path, left: points[0][0], right: points[points.length - 1][0] };
    });
    const verdicts = verdictsOf(app, game);
    const dots = line.flatMap((node, index) => {
      const verdict = verdicts.get(node.id);
      const chance = chances[index];
      const mark = verdict?.missed != null ? "missed" : verdict?.mark;
      if (chance === null) return [];
      const winner = provenWinner(node, game.review?.[node.id]);
      const dot = (
        /** @type {string} */ kind,
        /** @type {number} */ r,
        /** @type {string} */ text,
      ) => [
        // A line without length: its round end stays round, however the drawing is stretched.
        svg(
          "path",
          { class: `dot ${kind}`, d: `M${x(index)} ${y(chance)}h0`, "stroke-width": 2 * r },
          svg("title", {}, text),
        ),
      ];
      if (verdict && isBad(verdict))
        return dot(`${mark}`, 4.5, `${node.move}: ${mark === "missed" ? "missed win" : mark}`);
      return winner
        ? dot(
            "proof",
            3.5,
            `${node.move ?? "Start"}: proven, ${winner === "white" ? "White" : "Black"} wins`,
          )
        : [];
    });
    const here = line.findIndex((node) => node.id === game.at);
    const now = chances[here] ?? null;
    const label = now === null ? "" : `, now ${percent(now)}`;
    fill(
      box,
      svg(
        "svg",
        {
          viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": `White's chance to win over the game${label}`,
        },
        ...curves.flatMap(({ path, left, right }) => [
          svg("rect", { class: "known", x: left, y: 0, width: right - left, height: HEIGHT }),
          svg("polygon", { class: "area", points: `${left},${HEIGHT} ${path} ${right},${HEIGHT}` }),
        ]),
        svg("line", { class: "middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
        ...curves.map(({ path }) => svg("polyline", { class: "curve", points: path })),
        svg("line", { class: "here", x1: x(here), x2: x(here), y1: 0, y2: HEIGHT }),
        ...dots,
      ),
    );
  };
  store.on(["rev", "view", "games", "known"], () => {
    if (!isDue) setTimeout(draw, 60);
    isDue = true;
  });
  draw();
  return box;
}

/**
 * The stretches of a game whose chances are known.
 * @param {(number | null)[]} chances
 */
function runs(chances) {
  /** @type {{from: number, values: number[]}[]} */
  const found = [];
  for (const [index, chance] of chances.entries()) {
    if (chance === null) continue;
    const last = found.at(-1);
    if (last && last.from + last.values.length === index) last.values.push(chance);
    else found.push({ from: index, values: [chance] });
  }
  return found;
}
