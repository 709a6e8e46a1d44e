/** How much of the engine has been loaded, if it runs in the page. */

import { h } from "../ui/dom.js";

/**
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
