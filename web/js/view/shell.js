/** The frame of the page: header, views, dialogs, notices, what screen readers hear. */

import { VIEWS } from "../state.js";
import { iconButton } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";
import { logo } from "../ui/icons.js";
import { analysePanel } from "./analysepanel.js";
import { dialogs, takeDrops } from "./dialogs.js";
import { notices, themeButton } from "./frame.js";
import { playPanel } from "./playpanel.js";
import { puzzlePanel } from "./puzzlepanel.js";
import { stage } from "./stage.js";
import { watchPanel } from "./watchpanel.js";

/** @import { ViewName } from "../../types/state" */

/** @param {ViewName} view */
const labelOf = (view) => view[0].toUpperCase() + view.slice(1);

/** @param {App} app @param {HTMLElement} body */
export function shell(app, body) {
  const { store } = app;
  const { column, board } = stage(app);
  /** @type {Map<ViewName, HTMLElement>} made when first shown */
  const panels = new Map();
  const makers = {
    play: playPanel,
    analyse: analysePanel,
    puzzles: puzzlePanel,
    watch: watchPanel,
    games: () => laterPage(async () => (await import("./gamespage.js")).gamesPage(app)),
    learn: () => laterPage(async () => (await import("./learnpage.js")).learnPage(app)),
  };
  const side = h("div", { class: "side" });
  const table = h("div", { class: "table" }, column, side);
  const main = h("main", { id: "main" });
  const heading = h("h1", { class: "hidden" });
  const said = h("div", { class: "hidden", role: "status", "aria-live": "polite" });
  fill(
    body,
    h(
      "a",
      {
        class: "skip",
        href: "#main",
        onclick: (/** @type {Event} */ event) => {
          event.preventDefault();
          board.focus();
        },
      },
      "Skip to the board",
    ),
    header(app),
    linkBar(app),
    main,
    dialogs(app, board),
    notices(app),
    said,
  );
  takeDrops(app);
  ignoreSecondClicks();
  let shown = "";
  const draw = () => {
    const { view } = store.state;
    if (view === shown) return;
    shown = view;
    const panel = panels.get(view) ?? makers[view](app);
    panels.set(view, panel);
    const page = view === "games" || view === "learn";
    if (page) fill(main, panel);
    else {
      fill(side, panel);
      fill(main, heading, table);
    }
    heading.textContent = labelOf(view);
    document.title = `${labelOf(view)} · petard`;
    scrollTo(0, 0);
  };
  store.on(["view"], draw);
  store.on(["said"], () => {
    said.textContent = store.state.said;
  });
  draw();
  return board;
}

/**
 * A page that not everybody needs: it comes when it is asked for.
 * @param {() => Promise<HTMLElement>} make
 */
function laterPage(make) {
  const page = h("div", null);
  const load = async () => {
    fill(page, h("p", { class: "page about", role: "status" }, "Loading…"));
    const made = await make().catch(() => null);
    if (made) return fill(page, made);
    const again = h("button", { class: "button", onclick: load }, "Try again");
    fill(page, h("div", { class: "page" }, h("p", null, "This page cannot be loaded now."), again));
  };
  load();
  return page;
}

/** Clicks further apart than this are no double click, in milliseconds. */
const DOUBLE_CLICK = 1000;

/**
 * The second click of a double click counts only for what the first was made on: not for what has
 * come under the pointer since.
 */
function ignoreSecondClicks() {
  const controlOf = (/** @type {EventTarget | null} */ target) =>
    target instanceof Element
      ? (target.closest("label") ?? target.closest("button, a, summary, input, select, textarea"))
      : null;
  /** @type {Element | null} */
  let first = null;
  let time = -Infinity;
  document.addEventListener(
    "click",
    (event) => {
      const control = controlOf(event.target);
      // Browsers count presses: the first may have made no click, since what it was on was redrawn.
      const isSecond = event.detail > 1 && event.timeStamp - time < DOUBLE_CLICK;
      time = event.timeStamp;
      if (!isSecond) first = control;
      else if (control && control !== first) {
        event.preventDefault();
        event.stopPropagation();
      }
    },
    true,
  );
}

/** @param {App} app */
function header(app) {
  const { store } = app;
  const tabs = VIEWS.map((view) =>
    h(
      "a",
      {
        class: "tab",
        href: `#${view}`,
        "data-view": view,
        onclick: (/** @type {Event} */ event) => {
          event.preventDefault();
          store.set({ view, preview: null });
        },
      },
      labelOf(view),
    ),
  );
  const draw = () => {
    for (const tab of tabs) {
      if (tab.dataset.view === store.state.view) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
  };
  store.on(["view"], draw);
  draw();
  return h(
    "header",
    { class: "masthead" },
    h("span", { class: "brand" }, logo(), h("b", null, "petard")),
    h("nav", { "aria-label": "Views" }, tabs),
    h(
      "div",
      { class: "tools" },
      iconButton("keys", "Keys", () => store.set({ dialog: "keys" }), "wide-only"),
      themeButton(app),
      iconButton("settings", "Settings", () => store.set({ dialog: "settings" })),
    ),
  );
}

/** Says that the connection is lost, and is being retried. @param {App} app */
function linkBar(app) {
  const text = h("span");
  const bar = h("div", { class: "link-bar", role: "alert", hidden: true });
  app.store.on(["link"], () => {
    const { status, reason } = app.store.state.link;
    bar.hidden = status === "open" || status === "idle" || (status === "connecting" && bar.hidden);
    if (status !== "lost") return;
    const offline = navigator.onLine === false ? "You are offline. Reconnecting…" : "";
    text.textContent =
      offline || reason || "The engine cannot be reached. Trying again; your game is kept.";
    if (!bar.childElementCount)
      fill(bar, text, h("button", { class: "link", onclick: () => app.engine.retry() }, "Try now"));
  });
  return bar;
}

/**
 * How much of the engine has been loaded, if it runs in the page.
 * @param {HTMLElement} root of the document: the body's contents come and go
 * @returns {(part: number) => void}
 */
export function loadingBar(root) {
  const bar = h("progress", {
    class: "engine-loading",
    max: 1,
    "aria-label": "Loading the engine",
  });
  return (part) => {
    bar.value = part;
    if (part >= 1) bar.remove();
    else if (!bar.isConnected) root.append(bar);
  };
}
