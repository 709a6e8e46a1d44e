/** Who plays a side, and the clock. */

import { shownGame } from "../control/app.js";
import { timeLeft } from "../control/clock.js";
import { againstEngine, liveNode } from "../control/play.js";
import { levelOf } from "../engine/levels.js";
import { nodeOf, pathTo } from "../model/tree.js";
import { sideName } from "../rules/ending.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { fill, h } from "../ui/dom.js";

/** @param {App} app @param {"top" | "bottom"} end of the board */
export function playerStrip(app, end) {
  const { store } = app;
  const name = h("span", { class: "name" });
  const clock = h("span", { class: "clock" });
  const dots = h("span", { class: "thinking", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const disc = h("span", { class: "disc" });
  const taken = h("span", { class: "taken" });
  const strip = h("div", { class: `strip ${end}` }, disc, name, taken, dots, clock);
  const draw = () => {
    const game = shownGame(app);
    const { view, thinking, watching, obstacle, link } = store.state;
    // Its place stays free, so that the board does not move when a game starts.
    strip.classList.toggle("away", !game);
    if (!game) return;
    const white = (end === "bottom") !== game.flipped;
    const side = white ? "white" : "black";
    const live =
      view === "analyse" || view === "puzzles" ? game.tree.nodes[game.at] : liveNode(game);
    const turn = game.result === "*" && live !== undefined && whiteToMove(live.fen) === white;
    disc.className = `disc ${side}`;
    strip.classList.toggle("turn", turn);
    fill(
      name,
      h("b", null, nameOf(game, white)),
      game.result === (white ? "1-0" : "0-1") && h("span", { class: "won" }, "won"),
    );
    showTaken(
      taken,
      game,
      view === "analyse" || view === "play" ? game.at : (live?.id ?? 0),
      white,
    );
    dots.hidden = !(
      turn &&
      link.status !== "lost" &&
      game.players[side].kind === "engine" &&
      ((view === "play" && thinking) || (view === "watch" && watching && !obstacle))
    );
    const left = game.clocks ? timeLeft(game, side) : noted(game, white);
    clock.hidden = left === undefined;
    clock.textContent = left === undefined ? "" : clockText(left);
    clock.classList.toggle("short", left !== undefined && left < 20_000);
  };
  store.on(
    [
      "view",
      "rev",
      "known",
      "games",
      "thinking",
      "editor",
      "watching",
      "obstacle",
      "settingUp",
      "link",
    ],
    draw,
  );
  draw();
  return strip;
}

/**
 * The pieces that a side has captured, and by how many it is ahead.
 * @param {HTMLElement} box @param {Game} game @param {number} at @param {boolean} white
 */
function showTaken(box, { tree, origin }, at, white) {
  const lost = (/** @type {boolean} */ byWhite) =>
    pieces(origin ?? nodeOf(tree, 0).fen, tree.variant, byWhite) -
    pieces(nodeOf(tree, at).fen, tree.variant, byWhite);
  const [captured, ahead] = [lost(!white), lost(!white) - lost(white)];
  const text = `${captured} captured${ahead > 0 ? `, ${ahead} ahead` : ""}`;
  box.hidden = captured <= 0;
  if (box.title === text) return;
  box.title = text;
  box.className = `taken ${white ? "black" : "white"}`;
  fill(
    box,
    h("span", { class: "hidden" }, text),
    Array.from({ length: Math.min(captured, 20) }, () => h("i", { "aria-hidden": "true" })),
    ahead > 0 && h("b", { "aria-hidden": "true" }, `+${ahead}`),
  );
}

/** @param {string} fen @param {Variant} variant @param {boolean} white */
function pieces(fen, variant, white) {
  return parseFen(fen, variant).cells.reduce(
    (sum, cell) => sum + Math.max(0, white ? cell : -cell),
    0,
  );
}

/** @param {Game} game @param {boolean} white */
function nameOf(game, white) {
  const player = game.players[white ? "white" : "black"];
  if (player.kind === "engine") return `petard · ${levelOf(player.level ?? "full").name}`;
  const tag = game.headers[sideName(white)];
  if (tag && tag !== "?" && tag !== "Player") return tag;
  return againstEngine(game) ? "You" : sideName(white);
}

/**
 * What a side had left at the position shown, as noted in the moves.
 * @param {Game} game
 * @param {boolean} white
 */
function noted({ tree, at }, white) {
  return pathTo(tree, at).findLast(
    (node) => node.clock !== undefined && whiteToMove(node.fen) !== white,
  )?.clock;
}

/** @param {number} milliseconds */
function clockText(milliseconds) {
  const left = Math.max(0, milliseconds);
  const minutes = Math.floor(left / 60_000);
  const seconds = (left % 60_000) / 1000;
  if (left < 20_000) return `${minutes}:${seconds.toFixed(1).padStart(4, "0")}`;
  return `${minutes}:${String(Math.floor(seconds)).padStart(2, "0")}`;
}
