/** Beside the board while a position is set up. */

import { edit, resize, startPosition, useEdited } from "../control/editor.js";
import { fenOf, parseFen } from "../rules/picture.js";
import { h, refill } from "../ui/dom.js";
import { button, choice, number } from "../ui/controls.js";
import { men } from "../board/drawing.js";
import { svg } from "../board/svg.js";

/** @import { App } from "../control/app.js" */
/** @import { Picture } from "../rules/picture.js" */
/** @param {App} app */
export function editorPanel(app) {
  const { store } = app;
  const brushes = h("div", { class: "brushes", role: "group", "aria-label": "What a click places" });
  const shape = h("div");
  const text = h("input", { type: "text", class: "entry wide", "aria-label": "Position as FEN", spellcheck: "false", autocomplete: "off", maxlength: 400 });
  const fault = h("p", { class: "fault", role: "alert" });
  text.addEventListener("change", () => {
    const { editor } = store.state;
    if (!editor) return;
    try {
      edit(app, parseFen(text.value, editor.picture.variant));
    } catch (wrong) {
      store.set({ editor: { ...editor, fault: /** @type {Error} */ (wrong).message } });
    }
  });
  let drawn = "";
  const draw = () => {
    const { editor } = store.state;
    if (!editor) {
      drawn = "";
      return;
    }
    const { picture, brush } = editor;
    const names = /** @type {[number, string][]} */ (picture.variant === "freeling" ? [[1, "White man"], [2, "White pair"], [-1, "Black man"], [-2, "Black pair"], [0, "Empty"]] : [[1, "White man"], [-1, "Black man"], [0, "Empty"]]);
    refill(
      brushes,
      ...names.map(([value, name]) => h("button", { class: "brush", "aria-pressed": String(value === brush), "aria-label": name, title: name, onclick: () => store.set({ editor: { ...editor, brush: value } }) }, svg("svg", { class: "board", viewBox: "-30 -32 60 64", "aria-hidden": "true" }, value ? men(value) : svg("path", { class: "nothing", d: "M-14-14L14 14M14-14L-14 14" })))),
    );
    const key = `${picture.variant} ${picture.width} ${picture.height} ${picture.white}`;
    if (key !== drawn) refill(shape, shapeFields(app, picture));
    drawn = key;
    if (document.activeElement !== text) text.value = fenOf(picture);
    fault.textContent = editor.fault;
  };
  store.on(["editor"], draw);
  draw();
  return h(
    "div",
    { class: "panel" },
    h(
      "section",
      { class: "card form" },
      h("h2", null, "Set up a position"),
      brushes,
      shape,
      text,
      fault,
      h("div", { class: "row wrap" }, button("check", "Analyse it", () => useEdited(app), "primary"), button("close", "Cancel", () => store.set({ editor: null }), "quiet")),
    ),
  );
}

/** @param {App} app @param {Picture} picture */
function shapeFields(app, picture) {
  const { width, height, variant } = picture;
  const freeling = variant === "freeling";
  const kind = choice("Game", [["breakthrough", "Troyka’s"], ["freeling", "Freeling’s"]], variant, (value) => startPosition(app, value === "freeling" ? "freeling" : "8x8"));
  const size = h("div", { class: "pair" }, number("Files", { value: width, min: 2, max: 32 }, (value) => resize(app, Math.round(value), height)), number("Ranks", { value: height, min: 4, max: 64 }, (value) => resize(app, width, Math.round(value))));
  const turn = choice("To move", [["w", "White"], ["b", "Black"]], picture.white ? "w" : "b", (value) => edit(app, { white: value === "w" }));
  const empty = button("trash", "Clear", () => edit(app, { cells: picture.cells.map(() => 0) }), "quiet");
  const start = button("again", "Start position", () => startPosition(app, freeling ? "freeling" : `${width}x${height}`), "quiet");
  return h("div", { class: "stacked" }, kind, !freeling && size, turn, h("div", { class: "row wrap" }, start, empty));
}
