/** Keeps the address in step with what is shown, and vice versa. */

import { movesTo } from "../model/tree.js";
import { wholeLink, writeLink } from "../text/link.js";
import { followLink } from "./import.js";
import { leaveAt } from "./library.js";

/** Safari allows a page 100 changes of its address in 30 s. */
const PACE = 350;

/** The part of the address after `#` for what is shown. @param {App} app */
export function linkOf({ store: { state } }) {
  if (state.view !== "analyse") return `#${state.view}`;
  const { tree, at, packed } = state.games.analyse;
  if (packed) return wholeLink(packed);
  return writeLink("analyse", tree.variant, tree.nodes[0].fen, movesTo(tree, at));
}

/** @param {App} app @param {Promise<void>} followed once the address is */
export function keepAddress(app, followed) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** When the address may be written next. */
  let next = 0;
  let { view } = app.store.state;
  if (!location.hash) history.replaceState(null, "", linkOf(app));
  /** The link that was written or followed last. */
  let known = location.hash;
  /** Links that are being followed: until then the address is theirs. */
  let open = 0;
  const follow = (/** @type {Promise<void>} */ work) => {
    open++;
    work.finally(() => {
      open--;
      schedule();
    });
  };
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (open) return;
    const link = linkOf(app);
    // A view is a step in the browser's history, a move is not.
    const same = view === app.store.state.view;
    view = app.store.state.view;
    // Another link has just come that the page has yet to hear of: it must be followed.
    if (location.hash !== known || link === known) return;
    next = performance.now() + PACE;
    if (same) history.replaceState(null, "", link);
    else history.pushState(null, "", link);
    known = location.hash;
  };
  const schedule = () => {
    timer ??= setTimeout(write, Math.max(0, next - performance.now()));
  };
  follow(followed);
  app.store.on(["rev", "view"], schedule);
  // A page that is left may not have written what it shows; loaded anew, it shows that, not this.
  addEventListener("pagehide", () => leaveAt(open ? "" : known));
  addEventListener("hashchange", () => {
    clearTimeout(timer);
    timer = undefined;
    known = location.hash;
    if (location.hash !== linkOf(app)) follow(followLink(app, location.hash));
  });
}
