/** Our own icons, drawn with strokes on 24 by 24. */

import { svg } from "../board/svg.js";

const PATHS = {
  first: "M18 6l-7 6 7 6M7 6v12",
  back: "M15 6l-7 6 7 6",
  forward: "M9 6l7 6-7 6",
  last: "M6 6l7 6-7 6M17 6v12",
  flip: "M8 20V5M8 5L4.5 8.5M8 5l3.5 3.5M16 4v15M16 19l-3.5-3.5M16 19l3.5-3.5",
  share: "M12 15V4M12 4L8 8M12 4l4 4M5 13v6h14v-6",
  bring: "M12 4v11M12 15l-4-4M12 15l4-4M5 13v6h14v-6",
  settings:
    "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8a2.2 2.2 0 1 0 0 4.4a2.2 2.2 0 1 0 0-4.4M9 " +
    "14.8a2.2 2.2 0 1 0 0 4.4a2.2 2.2 0 1 0 0-4.4",
  moon: "M20 14.5A8.2 8.2 0 0 1 9.5 4A8.3 8.3 0 1 0 20 14.5",
  undo: "M8.5 5L4 9.5L8.5 14M4 9.5h10a5 5 0 0 1 0 10h-4",
  hint:
    "M9.2 17.5h5.6M10.3 20.5h3.4M12 3.5a6 6 0 0 0-3.4 10.9c.5.4.8 1 .8 " +
    "1.6h5.2c0-.6.3-1.2.8-1.6A6 6 0 0 0 12 3.5",
  resign: "M6 21V4M6 5h11.5l-2.5 3.5l2.5 3.5H6",
  plus: "M12 5v14M5 12h14",
  again: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3M19.5 3.5v4.2h-4.2",
  target:
    "M12 4.5a7.5 7.5 0 1 0 0 15a7.5 7.5 0 1 0 0-15M12 9.5a2.5 2.5 0 1 0 0 5a2.5 2.5 " +
    "0 1 0 0-5M12 2v4M12 18v4M2 12h4M18 12h4",
  review: "M4 19V5M4 19h16M7.5 14.5l3.5-4 3 2.5 5-6.5",
  edit: "M4.5 19.5l1-4L16 5a2 2 0 0 1 2.8 0l.2.2a2 2 0 0 1 0 2.8L8.5 18.5zM14.2 6.8l3 3",
  close: "M6 6l12 12M18 6L6 18",
  play: "M8 5.5l10 6.5-10 6.5z",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 10.5v5.5M13.5 10.5v5.5",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  copy: "M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9",
  check: "M5 12.5l4.5 4.5L19 7.5",
  up: "M6 14.5l6-6 6 6",
  top: "M6 18l6-6 6 6M6 11.5l6-6 6 6",
  keys: "M3 7h18v10H3zM6.5 10.5h.01M10 10.5h.01M14 10.5h.01M17.5 10.5h.01M8 14h8",
  burst:
    "M12 3l1.8 4.6L18.4 5.6l-2 4.6L21 12l-4.6 1.8l2 4.6l-4.6-2L12 21l-1.8-4.6l-4.6 " +
    "2l2-4.6L3 12l4.6-1.8l-2-4.6l4.6 2z",
  download: "M12 4v11M12 15l-4-4M12 15l4-4M5 20h14",
};

/** @typedef {keyof typeof PATHS} IconName */

/** @param {IconName} name */
export function icon(name) {
  return svg(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: PATHS[name] }),
  );
}

/** The program's logo: two pieces and the way between them. */
export function logo() {
  return svg(
    "svg",
    { class: "logo", viewBox: "0 0 32 32", "aria-hidden": "true" },
    svg("rect", { class: "tile", x: 1, y: 1, width: 30, height: 30, rx: 7 }),
    svg("path", { class: "way", d: "M9 23L21 11M21 11h-7M21 11v7" }),
    svg("circle", { class: "piece", cx: 9.5, cy: 22.5, r: 4 }),
  );
}
