/** Beside the board while a position is set up. */

import { pieces } from "../board/drawing.js";
import { svg } from "../board/svg.js";
import { markChanged } from "../control/app.js";
import { edit, resize, startPosition, useEdited } from "../control/editor.js";
import { fenOf, parseFen } from "../rules/picture.js";
import { button, choice, number } from "../ui/controls.js";
import { h } from "../ui/dom.js";

/** @import { Editor } from "../../types/state" */

const BRUSHES = /** @type {[number, string][]} */ ([
  [1, "White piece"],
  [2, "White pair"],
  [-1, "Black piece"],
  [-2, "Black pair"],
  [0, "Empty"],
]);

/** @param {App} app */
export function editorPanel(app) {
  const { store } = app;
  const now = () => /** @type {Editor} */ (store.state.editor);
  const brushes = BRUSHES.map(([value, name]) =>
    h(
      "button",
      {
        class: "brush",
        "aria-label": name,
        title: name,
        onclick: () => store.set({ editor: { ...now(), brush: value } }),
      },
      svg(
        "svg",
        { class: "board", viewBox: "-30 -32 60 64", "aria-hidden": "true" },
        value ? pieces(value) : svg("path", { class: "nothing", d: "M-14-14L14 14M14-14L-14 14" }),
      ),
    ),
  );
  const kind = choice(
    "Game",
    [
      ["breakthrough", "Breakthrough’s"],
      ["freeling", "Freeling’s"],
    ],
    "",
    (value) => startPosition(app, value === "freeling" ? "freeling" : "8x8"),
  );
  const files = number("Files", { value: 8, min: 2, max: 32 }, (value) =>
    resize(app, value, now().picture.height),
  );
  const ranks = number("Ranks", { value: 8, min: 4, max: 64 }, (value) =>
    resize(app, now().picture.width, value),
  );
  const size = h("div", { class: "pair" }, files, ranks);
  const turn = choice(
    "To move",
    [
      ["w", "White"],
      ["b", "Black"],
    ],
    "",
    (value) => edit(app, { white: value === "w" }),
  );
  const start = button(
    "again",
    "Start position",
    () => {
      const { variant, width, height } = now().picture;
      startPosition(app, variant === "freeling" ? variant : `${width}x${height}`);
    },
    "quiet",
  );
  const empty = button(
    "trash",
    "Clear",
    () => edit(app, { cells: now().picture.cells.map(() => 0) }),
    "quiet",
  );
  const text = h("input", {
    type: "text",
    class: "entry wide",
    "aria-label": "Position as FEN",
    spellcheck: "false",
    autocomplete: "off",
    maxlength: 400,
  });
  const error = h("p", { class: "error", role: "alert" });
  text.addEventListener("change", () => {
    const { editor } = store.state;
    if (!editor) return;
    try {
      edit(app, parseFen(text.value, editor.picture.variant));
    } catch (wrong) {
      store.set({
        editor: { ...editor, draft: text.value, error: /** @type {Error} */ (wrong).message },
      });
    }
  });
  const input = (/** @type {Element} */ field, which = "") =>
    /** @type {HTMLInputElement} */ (field.querySelector(`input${which}`));
  const draw = () => {
    const { editor } = store.state;
    if (!editor) return;
    const { picture, brush } = editor;
    const { variant, width, height, white } = picture;
    brushes.forEach((one, index) => {
      const [value] = BRUSHES[index];
      one.hidden = Math.abs(value) > 1 && variant !== "freeling";
      one.setAttribute("aria-pressed", String(value === brush));
    });
    size.hidden = variant === "freeling";
    input(kind, `[value=${variant}]`).checked = true;
    input(turn, white ? "[value=w]" : "[value=b]").checked = true;
    input(files).value = String(width);
    input(ranks).value = String(height);
    if (document.activeElement !== text) text.value = editor.draft ?? fenOf(picture);
    error.textContent = editor.error;
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
      h("div", { class: "brushes", role: "group", "aria-label": "What a click places" }, brushes),
      h(
        "div",
        { class: "stacked" },
        kind,
        size,
        turn,
        h("div", { class: "row wrap" }, start, empty),
      ),
      text,
      error,
      h(
        "div",
        { class: "row wrap" },
        button("check", "Analyse it", () => useEdited(app), "primary"),
        button("close", "Cancel", () => markChanged(app, undefined, { editor: null }), "quiet"),
      ),
    ),
  );
}
