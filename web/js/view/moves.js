/** The tree of moves: the main line in two columns, variations and comments between. */

import { goTo, markChanged, shownGame } from "../control/app.js";
import { endTyping, offerUndo } from "../control/history.js";
import { verdictsOf } from "../control/review.js";
import { provenWinner } from "../model/chance.js";
import { makeMainLine, nodeOf, numberOf, onMainLine, removeNode } from "../model/tree.js";
import { moveText } from "../rules/apply.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { iconButton } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";

/** @import { Node, Tree } from "../../types/game" */
/** @import { Verdict } from "../model/judge.js" */
/** @typedef {Map<number, Verdict>} Verdicts */

export const GLYPHS = /** @type {Record<number, string>} */ ({
  1: "!",
  2: "?",
  3: "!!",
  4: "??",
  5: "!?",
  6: "?!",
});
export const SIGNS = /** @type {Record<string, string>} */ ({
  inaccuracy: "?!",
  mistake: "?",
  blunder: "??",
});

/** @param {App} app */
export function moveList(app) {
  const { store } = app;
  const list = h("div", { class: "moves", role: "group", "aria-label": "Moves" });
  list.addEventListener("click", (event) => {
    const id = /** @type {Element} */ (event.target)
      .closest("[data-node]")
      ?.getAttribute("data-node");
    if (id) goTo(app, Number(id), true);
  });
  const tools = app.recorded ? null : moveTools(app);
  let drawn = "";
  const draw = () => {
    const game = shownGame(app);
    if (!game) return;
    const key = `${game.id} ${game.changed} ${game.tree.nodes.length}`;
    if (key !== drawn) {
      drawn = key;
      fill(list, render(game, verdictsOf(app, game)));
    }
    const before = list.querySelector("[aria-current]");
    const now = list.querySelector(`[data-node="${game.at}"]`);
    if (before !== now) {
      before?.removeAttribute("aria-current");
      now?.setAttribute("aria-current", "true");
    }
    const scroll = () => {
      if (now instanceof HTMLElement) keepInSight(list, now);
      else list.scrollTop = 0;
    };
    // A list that is not in the page yet has no layout.
    if (list.isConnected) scroll();
    else requestAnimationFrame(scroll);
  };
  store.on(["view", "rev", "games"], draw);
  draw();
  return h("div", { class: "move-box" }, list, tools);
}

/** Scrolls the list and nothing else. @param {HTMLElement} list @param {HTMLElement} item */
function keepInSight(list, item) {
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  const isLast = !list.querySelector(`[data-node="${item.dataset.node}"] ~ .move`);
  if (isLast) list.scrollTop = list.scrollHeight;
  else if (inner.top < outer.top + 8) list.scrollTop -= outer.top - inner.top + 40;
  else if (inner.bottom > outer.bottom - 8) list.scrollTop += inner.bottom - outer.bottom + 40;
}

/** @param {Game} game @param {Verdicts} verdicts */
function render({ tree, review = {}, result, reason, mode }, verdicts) {
  /** @type {HTMLElement[]} */
  const parts = [];
  const root = tree.nodes[0];
  if (root.comment) parts.push(h("p", { class: "comment" }, root.comment));
  if (!root.children.length) parts.push(h("p", { class: "empty" }, "No moves yet."));
  let node = root;
  let open = false;
  while (node.children.length) {
    const [main, ...others] = node.children.map((id) => nodeOf(tree, id));
    const white = whiteToMove(node.fen);
    if (white || !open)
      parts.push(h("span", { class: "number" }, numberOf(tree, main).replace(/\.+$/, "")));
    if (!white && !open) parts.push(h("span", { class: "gap" }, "…"));
    parts.push(
      moveButton(tree, main, "", verdicts.get(main.id), provenWinner(main, review[main.id])),
    );
    open = white;
    if (main.comment || others.length) {
      if (white) parts.push(h("span", { class: "gap" }, "…"));
      open = false;
      const inside = [
        main.comment && h("p", { class: "comment" }, main.comment),
        ...others.map((other) => h("div", { class: "variation" }, inline(tree, other))),
      ];
      parts.push(h("div", { class: "aside" }, ...inside));
    }
    node = main;
  }
  // In play it stands above the list.
  if (result !== "*" && mode !== "play")
    parts.push(h("p", { class: "ended" }, h("b", null, resultText(result)), reason));
  return parts;
}

/** A result as it is printed. @param {string} result */
export function resultText(result) {
  return result === "1/2-1/2" ? "½–½" : result.replace("-", "–");
}

/** How long a game is. @param {number} plies */
export function movesText(plies) {
  const count = Math.ceil(plies / 2);
  return count === 1 ? "1 move" : `${count} moves`;
}

/**
 * A variation as running text.
 * @param {Tree} tree
 * @param {Node} first
 * @returns {(HTMLElement | string)[]}
 */
function inline(tree, first) {
  /** @type {(HTMLElement | string)[]} */
  const parts = [moveButton(tree, first, numberOf(tree, first))];
  for (let node = first; ; ) {
    if (node.comment) parts.push(h("span", { class: "comment" }, node.comment));
    if (!node.children.length) return parts;
    const [main, ...others] = node.children.map((id) => nodeOf(tree, id));
    const number = numberOf(tree, main);
    parts.push(moveButton(tree, main, node.comment || !number.endsWith("...") ? number : ""));
    for (const other of others)
      parts.push(h("span", { class: "nested" }, "(", ...inline(tree, other), ")"));
    node = main;
  }
}

/**
 * @param {Tree} tree
 * @param {Node} node
 * @param {string} number
 * @param {Verdict} [verdict]
 * @param {"white" | "black" | null} [winner]
 */
function moveButton(tree, node, number, verdict, winner = provenWinner(node)) {
  const mark = verdict?.missed != null ? "missed" : verdict?.mark;
  const sign =
    (node.nags ?? []).map((nag) => GLYPHS[nag] ?? "").join("") ||
    (SIGNS[verdict?.mark ?? ""] ?? "");
  const proven =
    winner &&
    h(
      "span",
      { class: "proven", title: `Proven: ${winner === "white" ? "White" : "Black"} wins` },
      winner === "white" ? "W" : "B",
    );
  const before = parseFen(nodeOf(tree, node.parent ?? 0).fen, tree.variant);
  const best = moveText(before, verdict?.best ?? "");
  const title =
    verdict?.missed != null
      ? `${missedText(verdict.missed)}; best was ${best}`
      : SIGNS[verdict?.mark ?? ""]
        ? `${verdict?.mark}; best was ${best}`
        : null;
  return h(
    "button",
    { class: `move ${mark ?? ""}`, "data-node": node.id, title },
    number && h("small", null, number),
    `${moveText(before, node.move ?? "")}${sign}`,
    proven,
  );
}

/** What was missed, in words; of some wins the length is not known. @param {number} moves */
function missedText(moves) {
  return moves ? `A win in ${moves} was missed` : "A proven win was given away";
}

/** Comment, glyph, promotion and deletion of the move that is shown. @param {App} app */
function moveTools(app) {
  const { store } = app;
  /** What the field was filled from. @type {{game: Game, node: Node} | null} */
  let filled = null;
  const newField = () => {
    const field = h("textarea", {
      class: "comment-field",
      rows: 1,
      maxlength: 4000,
      placeholder: "Comment on this position",
      "aria-label": "Comment on this position",
    });
    field.addEventListener("input", () => {
      if (!filled) return;
      filled.node.comment = field.value.trim() || undefined;
      markChanged(app, filled.game);
    });
    field.addEventListener("blur", () => endTyping(app));
    return field;
  };
  let comment = newField();
  const glyphs = h("div", { class: "glyphs", role: "group", "aria-label": "Mark the move" });
  for (const [nag, sign] of Object.entries(GLYPHS))
    glyphs.append(
      h(
        "button",
        {
          class: "glyph",
          "data-nag": nag,
          "aria-pressed": "false",
          onclick: () => setGlyph(app, Number(nag)),
        },
        sign,
      ),
    );
  const up = iconButton("up", "Make this the main line", () =>
    act(app, (game) => makeMainLine(game.tree, game.at)),
  );
  const remove = iconButton("trash", "Delete this move and all after it", () => removeShown(app));
  const tools = h(
    "div",
    { class: "move-tools" },
    comment,
    h("div", { class: "row wrap" }, glyphs, h("span", { class: "gap" }), up, remove),
  );
  const draw = () => {
    const game = shownGame(app);
    tools.hidden = store.state.view !== "analyse" || !game;
    if (!game || tools.hidden) return;
    const node = nodeOf(game.tree, game.at);
    const isFocused = document.activeElement === comment;
    if (filled?.node !== node) {
      // A new field: the browser's own undo must not bring back the text of another position.
      const old = comment;
      comment = newField();
      old.replaceWith(comment);
      if (isFocused) comment.focus();
    }
    if (filled?.node !== node || !isFocused) {
      if (comment.value !== (node.comment ?? "")) comment.value = node.comment ?? "";
      filled = { game, node };
    }
    for (const glyph of glyphs.children) {
      glyph.setAttribute(
        "aria-pressed",
        String(Boolean(node.nags?.includes(Number(glyph.getAttribute("data-nag"))))),
      );
      glyph.toggleAttribute("disabled", !node.move);
    }
    up.disabled = onMainLine(game.tree, game.at);
    remove.disabled = !node.move;
  };
  store.on(["view", "rev", "games"], draw);
  draw();
  return tools;
}

/** Deletes the move that is shown, with all after it. @param {App} app */
function removeShown(app) {
  const game = shownGame(app);
  if (!game) return;
  const { tree, at } = game;
  const parent = nodeOf(tree, nodeOf(tree, at).parent ?? 0);
  const { children } = parent;
  act(app, () => (game.at = removeNode(tree, at)));
  offerUndo(app, "Deleted.", () => {
    parent.children = [...new Set([...children, ...parent.children])];
    game.at = at;
    markChanged(app, game);
    if (shownGame(app) === game) goTo(app, at);
  });
}

/** @param {App} app @param {number} nag */
function setGlyph(app, nag) {
  const game = shownGame(app);
  if (!game) return;
  const node = nodeOf(game.tree, game.at);
  // A move has one of the six marks; other glyphs of an imported game stay.
  const others = (node.nags ?? []).filter((one) => !GLYPHS[one]);
  node.nags = node.nags?.includes(nag) ? others : [nag, ...others];
  markChanged(app, game);
}

/** @param {App} app @param {(game: Game) => void} change */
function act(app, change) {
  const game = shownGame(app);
  if (!game) return;
  change(game);
  markChanged(app, game, { preview: null });
  goTo(app, game.at);
}
