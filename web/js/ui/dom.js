/** Making HTML elements. Text is always set as text, never as markup. */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Props `class`, `on…` listeners, booleans, and attributes */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Props | null} [props]
 * @param {(Child | Child[])[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on") && typeof value === "function")
      node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "value" && "value" in node) node.value = String(value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  fill(node, ...children);
  return node;
}

/**
 * Replaces the contents of an element.
 * @param {Element} node
 * @param {(Child | Child[])[]} children
 */
export function fill(node, ...children) {
  const list = children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false);
  node.replaceChildren(...list.map((child) => (child instanceof Node ? child : String(child))));
}

/** The head of a table, with a name for each column that has one. @param {(string | null)[]} names */
export function tableHead(names) {
  const cells = names.map((name) => (name ? h("th", { scope: "col" }, name) : h("td")));
  return h("thead", null, h("tr", null, cells));
}

/**
 * Brings a card beside the board into sight: the page scrolls to the board, and then everything
 * around the card as little as needed.
 * @param {Element} card
 */
export function showWithBoard(card) {
  scrollTo(0, 0);
  card.scrollIntoView({ block: "nearest" });
}

/**
 * Brings a card whose foot is below the window up to the board, where that stands above it.
 * @param {HTMLElement} card
 */
export function showBelowBoard(card) {
  const { bottom, left } = card.getBoundingClientRect();
  const board = /** @type {HTMLElement} */ (document.querySelector(".stage"));
  if (bottom <= innerHeight || left > board.getBoundingClientRect().left) return;
  const { position, top } = getComputedStyle(board);
  const kept = position === "sticky" ? board.offsetHeight + Number.parseFloat(top) : 0;
  card.style.scrollMarginTop = `${kept}px`;
  card.scrollIntoView();
}

/** Offers a file to the user. @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

let ids = 0;

/** A name for an element that a label belongs to. @param {string} stem */
export function newId(stem) {
  return `${stem}-${++ids}`;
}
