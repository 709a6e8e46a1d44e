/** Parts of every page, also of one that is a file: light or dark, and notices. */

import { changeSettings } from "../control/library.js";
import { iconButton } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";

/** @import { Notice } from "../../types/state" */

/** How long a sentence can be read, in milliseconds. */
const READING = { note: 5000, error: 9000 };

/** Messages that pass, above the board and in the way of nothing. @param {App} app */
export function notices(app) {
  const { store } = app;
  const box = h("div", { class: "notice", hidden: true, role: "alert" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const close = () => store.set({ notice: null });
  // A dialog covers all that is not inside it.
  store.on(["notice", "dialog"], () =>
    (document.querySelector("dialog[open]") ?? document.body).append(box),
  );
  const draw = () => {
    const { notice } = store.state;
    clearTimeout(timer);
    box.hidden = !notice;
    if (!notice) return fill(box);
    box.className = `notice ${notice.kind}`;
    const run = () => {
      notice.action?.run();
      close();
    };
    fill(
      box,
      h("span", null, notice.text),
      notice.action && h("button", { class: "link", onclick: run }, notice.action.label),
      h("button", { class: "icon-button", "aria-label": "Close", onclick: close }, icon("close")),
    );
    // What can be undone can be as long as one looks at it.
    if (!notice.action) timer = setTimeout(close, READING[notice.kind]);
  };
  let { view } = store.state;
  /** @type {Notice | null} what was said before is not drawn yet */
  let drawn = null;
  store.on(["notice", "view"], () => {
    const { notice, view: now } = store.state;
    // What was said of the view before is no use in the next one.
    if (notice !== drawn) draw();
    else if (now !== view) close();
    drawn = notice;
    view = now;
  });
  return box;
}

/** Light or dark, as chosen or as the system prefers. @param {App["store"]} store */
export function keepTheme(store) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const draw = () => {
    const { theme } = store.state.settings;
    document.documentElement.dataset.theme =
      theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
  };
  dark.addEventListener("change", draw);
  store.on(["settings"], draw);
  draw();
}

/** @param {App} app @param {string} [look] */
export function themeButton(app, look = "wide-only") {
  const toggle = () => {
    const { theme } = document.documentElement.dataset;
    changeSettings(app, { theme: theme === "dark" ? "light" : "dark" });
  };
  return iconButton("moon", "Dark or light", toggle, look);
}
