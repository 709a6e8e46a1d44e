/** Parts of every page, also of one that is a file: light or dark, and notices. */

import { changeSettings } from "../control/library.js";
import { iconButton } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";

/** Messages that pass. @param {App} app */
export function notices(app) {
  const box = h("div", { class: "notice", hidden: true, role: "alert" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const close = () => app.store.set({ notice: null });
  // A dialog covers all that is not inside it.
  app.store.on(["notice", "dialog"], () =>
    (document.querySelector("dialog[open]") ?? document.body).append(box),
  );
  app.store.on(["notice"], () => {
    const { notice } = app.store.state;
    clearTimeout(timer);
    box.hidden = !notice;
    if (!notice) return fill(box);
    box.className = `notice ${notice.kind}`;
    const action =
      notice.action &&
      h(
        "button",
        {
          class: "link",
          onclick: () => {
            notice.action?.run();
            close();
          },
        },
        notice.action.label,
      );
    fill(
      box,
      h("span", null, notice.text),
      action,
      h("button", { class: "icon-button", "aria-label": "Close", onclick: close }, icon("close")),
    );
    // What can be undone can be as long as one looks at it.
    if (!action) timer = setTimeout(close, notice.kind === "error" ? 9000 : 3000);
  });
  app.store.on(["view"], () => app.store.state.notice?.action && close());
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
