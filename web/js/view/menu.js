/** A small menu where the right button was pressed. */

import { h } from "../ui/dom.js";

/** @typedef {[label: string, run: (() => void) | null]} Item null where it cannot be done */

/**
 * @param {MouseEvent} event @param {string} label @param {Item[]} items
 * @param {HTMLElement} owner what the menu is about, which has the focus again afterwards
 */
export function openMenu(event, label, items, owner) {
  event.preventDefault();
  const close = () => {
    menu.remove();
    leave.abort();
  };
  const leave = new AbortController();
  const menu = h(
    "div",
    { class: "menu", role: "menu", "aria-label": label },
    items.map(([text, run]) =>
      h(
        "button",
        {
          role: "menuitem",
          tabindex: -1,
          disabled: !run,
          onclick: () => {
            close();
            owner.focus({ preventScroll: true });
            run?.();
          },
        },
        text,
      ),
    ),
  );
  menu.addEventListener("keydown", (key) => {
    const open = [
      .../** @type {NodeListOf<HTMLElement>} */ (menu.querySelectorAll("button:enabled")),
    ];
    const at = open.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const step = { ArrowDown: 1, ArrowUp: -1 }[key.key];
    if (key.key === "Escape" || key.key === "Tab") {
      close();
      owner.focus({ preventScroll: true });
    } else if (step) open.at((at + step) % open.length)?.focus();
    else if (key.key !== "Enter" && key.key !== " ") return;
    key.stopPropagation();
    if (step || key.key === "Tab") key.preventDefault();
  });
  (owner.closest("main") ?? document.body).append(menu);
  // Made by the keyboard, the event may have no place.
  const from = owner.getBoundingClientRect();
  const [left, top] =
    event.clientX || event.clientY ? [event.clientX, event.clientY] : [from.left, from.bottom];
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(top, innerHeight - height - 4))}px`;
  /** @type {HTMLElement | null} */ (menu.querySelector("button:enabled"))?.focus();
  const isOutside = (/** @type {Event} */ other) =>
    !menu.contains(/** @type {Node} */ (other.target));
  const { signal } = leave;
  addEventListener("pointerdown", (other) => isOutside(other) && close(), {
    signal,
    capture: true,
  });
  // Not by "scroll": the list scrolls by itself to the move whose menu this is.
  addEventListener("wheel", (other) => isOutside(other) && close(), { signal, passive: true });
  addEventListener("blur", close, { signal });
}
