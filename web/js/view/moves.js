/** The tree of moves: the main line in two columns, variations and comments between. */

import { goTo, markChanged, notify, shownGame } from "../control/app.js";
import { endTyping, offerUndo } from "../control/history.js";
import { verdictsOf } from "../control/review.js";
import { evalText, provenWinner } from "../model/chance.js";
import {
  makeMainLine,
  nodeOf,
  numberOf,
  onMainLine,
  pathTo,
  promote,
  removeNode,
} from "../model/tree.js";
import { moveText } from "../rules/apply.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { evalIn, readNote } from "../text/shapes.js";
import { iconButton } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { openMenu } from "./menu.js";

/** @import { Node, Tree } from "../../types/game" */
/** @import { Seen, Verdict } from "../model/judge.js" */
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

/** Signs of evaluations and the like, as PGN numbers them; those that few fonts have as they are typed. */
const OTHER_GLYPHS = /** @type {Record<number, string>} */ ({
  7: "□",
  10: "=",
  11: "=",
  12: "=",
  13: "∞",
  14: "+=",
  15: "=+",
  16: "±",
  17: "∓",
  18: "+−",
  19: "−+",
  22: "⊙",
  32: "↻",
  36: "↑",
  40: "→",
  132: "⇆",
  140: "∆",
  146: "N",
});

/**
 * @param {App} app
 * @param {HTMLElement} [entry] the field for moves, where the moves can be marked and changed
 */
export function moveList(app, entry) {
  const { store } = app;
  const list = h("div", { class: "moves", role: "group", "aria-label": "Moves" });
  list.addEventListener("click", (event) => {
    const id = /** @type {Element} */ (event.target)
      .closest("[data-node]")
      ?.getAttribute("data-node");
    if (id) goTo(app, Number(id), true);
  });
  const tools = entry ? moveTools(app, entry) : null;
  if (tools)
    list.addEventListener("contextmenu", (event) => {
      const move = /** @type {Element} */ (event.target).closest("[data-node]");
      if (move instanceof HTMLElement) moveMenu(app, event, move);
    });
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
    // A list that is not in the page yet, or not shown, has no layout.
    if (list.clientHeight) scroll();
    else requestAnimationFrame(scroll);
  };
  store.on(["view", "rev", "games", "panel"], draw);
  draw();
  return h("div", { class: "move-box" }, h("div", { class: "moves-frame" }, list), tools);
}

/** Scrolls the list and nothing else. @param {HTMLElement} list @param {HTMLElement} item */
function keepInSight(list, item) {
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  const isMain = item.parentElement === list;
  const isLast = isMain && !list.querySelector(`[data-node="${item.dataset.node}"] ~ .move`);
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
    // It came with a variation that has become the main line.
    const before = wordsBefore(main);
    if (before) {
      if (open) parts.push(h("span", { class: "gap" }, "…"));
      open = false;
      parts.push(h("div", { class: "aside" }, h("p", { class: "comment" }, before)));
    }
    if (white || !open)
      parts.push(h("span", { class: "number" }, numberOf(tree, main).replace(/\.+$/, "")));
    if (!white && !open) parts.push(h("span", { class: "gap" }, "…"));
    parts.push(moveButton(tree, main, "", verdicts.get(main.id), review[main.id]));
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

/** What a comment before a move says, without its commands. @param {Node} node */
const wordsBefore = ({ before = "" }) => readNote(before).text;

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
  const parts = [];
  const add = (/** @type {HTMLElement} */ part) => parts.push(...(parts.length ? [" "] : []), part);
  const addComment = (/** @type {string | undefined} */ text) =>
    text && add(h("span", { class: "comment" }, text));
  addComment(wordsBefore(first));
  add(moveButton(tree, first, numberOf(tree, first)));
  addComment(first.comment);
  // After what stands between, the number is needed again.
  let isApart = Boolean(first.comment);
  for (let node = first; node.children.length; ) {
    const [main, ...others] = node.children.map((id) => nodeOf(tree, id));
    const number = numberOf(tree, main);
    const before = wordsBefore(main);
    addComment(before);
    add(moveButton(tree, main, isApart || before || !number.endsWith("...") ? number : ""));
    addComment(main.comment);
    for (const other of others)
      add(h("span", { class: "nested" }, "(", ...inline(tree, other), ")"));
    isApart = Boolean(main.comment || others.length);
    node = main;
  }
  return parts;
}

/**
 * @param {Tree} tree
 * @param {Node} node
 * @param {string} number
 * @param {Verdict} [verdict]
 * @param {Seen} [seen] the position as a review saw it
 */
function moveButton(tree, node, number, verdict, seen) {
  const mark = verdict?.missed != null ? "missed" : verdict?.mark;
  const nags = node.nags ?? [];
  const sign = nags.map((nag) => GLYPHS[nag] ?? "").join("") || (SIGNS[verdict?.mark ?? ""] ?? "");
  const others = nags.flatMap((nag) => (GLYPHS[nag] ? [] : (OTHER_GLYPHS[nag] ?? `$${nag}`)));
  const winner = provenWinner(node, seen);
  const evaluation = winner ? null : seen ? evalText(seen.score, node.fen) : evalIn(node.commands);
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
    [`${moveText(before, node.move ?? "")}${sign}`, ...others].join(" "),
    evaluation &&
      h(
        "span",
        {
          class: "eval",
          title: `Evaluation ${seen ? "by the review" : "from the file"}, for White`,
        },
        signed(evaluation),
      ),
    winner &&
      h(
        "span",
        { class: "proven", title: `Proven: ${winner === "white" ? "White" : "Black"} wins` },
        winner === "white" ? "W" : "B",
      ),
  );
}

/** An evaluation of a PGN, short. @param {string} text `0.35`, or `#-3` */
function signed(text) {
  if (text.startsWith("#")) return text.replace("-", "−");
  const value = Number(text).toFixed(1);
  return Number(value) > 0 ? `+${value}` : value.replace("-", "−");
}

/** What was missed, in words; of some wins the length is not known. @param {number} moves */
function missedText(moves) {
  return moves ? `A win in ${moves} was missed` : "A proven win was given away";
}

/**
 * What can be done to the tree from a move.
 * @param {App} app @param {MouseEvent} event @param {HTMLElement} move
 */
function moveMenu(app, event, move) {
  const game = shownGame(app);
  const id = Number(move.dataset.node);
  if (!game) return;
  const isMain = onMainLine(game.tree, id);
  goTo(app, id);
  openMenu(
    event,
    `Move ${move.textContent}`,
    [
      ["Promote variation", isMain ? null : () => act(app, ({ tree }) => promote(tree, id))],
      ["Make main line", isMain ? null : () => act(app, ({ tree }) => makeMainLine(tree, id))],
      ["Copy line", () => copyLine(app, game, id)],
      ["Delete from here", () => removeShown(app)],
    ],
    move,
  );
}

/** The moves up to one, as text. @param {App} app @param {Game} game @param {number} id */
async function copyLine(app, { tree }, id) {
  const words = pathTo(tree, id).flatMap((node, at) => {
    if (node.parent === null) return [];
    const number = numberOf(tree, node);
    const text = moveText(parseFen(nodeOf(tree, node.parent).fen, tree.variant), node.move ?? "");
    return at === 1 || !number.endsWith("...") ? [number, text] : [text];
  });
  const text = words.join(" ");
  await navigator.clipboard.writeText(text).then(
    () => notify(app, "Copied."),
    () => notify(app, text),
  );
}

/**
 * Comment, glyph, promotion and deletion of the move that is shown. Where the window is low, the
 * first two are shown when they are asked for.
 * @param {App} app @param {HTMLElement} entry
 */
function moveTools(app, entry) {
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
    field.addEventListener("keydown", ({ key }) => key === "Escape" && field.blur());
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
  const annotate = iconButton("edit", "Comment and marks (C)", () => open(!isOpen), "annotate");
  const up = iconButton("up", "Promote variation", () =>
    act(app, (game) => promote(game.tree, game.at)),
  );
  const top = iconButton("top", "Make main line", () =>
    act(app, (game) => makeMainLine(game.tree, game.at)),
  );
  const remove = iconButton("trash", "Delete this move and all after it", () => removeShown(app));
  const tools = h(
    "div",
    { class: "move-tools" },
    comment,
    glyphs,
    entry,
    h("div", { class: "row" }, annotate, up, top, remove),
  );
  let isOpen = false;
  const open = (/** @type {boolean} */ wanted) => {
    isOpen = wanted;
    annotate.setAttribute("aria-expanded", String(isOpen));
    tools.classList.toggle("open", isOpen);
    if (isOpen) comment.focus();
  };
  annotate.setAttribute("aria-expanded", "false");
  // Whoever asks for the field by its key gets it.
  tools.addEventListener("comment", () => open(true));
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
    top.disabled = up.disabled;
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
