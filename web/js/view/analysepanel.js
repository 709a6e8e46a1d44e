/** Beside the board during analysis: the engine, proofs, moves, the review. */

import { shownGame } from "../control/app.js";
import { openEditor } from "../control/editor.js";
import { analysePosition } from "../control/import.js";
import { changeSettings } from "../control/library.js";
import { newGame, startAt } from "../control/play.js";
import { forgetProof, loadedProofs, loadOffered, offeredProofs } from "../control/proofs.js";
import { startOf } from "../model/game.js";
import { button, iconButton, toggle } from "../ui/controls.js";
import { fill, h, showBelowBoard } from "../ui/dom.js";
import { chapterCard, studyCard } from "./chapters.js";
import { editorPanel } from "./editorpanel.js";
import { moveEntry } from "./entry.js";
import { explorerCard } from "./explorer.js";
import { lessonCard } from "./lessoncard.js";
import { linesView } from "./lines.js";
import { moveList } from "./moves.js";
import { explosions } from "./playpanel.js";
import { practiceCard } from "./practicecard.js";
import { proofButton, proofCard } from "./proofcard.js";
import { reviewCard } from "./reviewcard.js";
import { boardField } from "./setup.js";

/** @import { PanelName } from "../../types/state" */
/** @import { Offer } from "../control/proofs.js" */

/** @param {App} app */
export function analysePanel(app) {
  const { store } = app;
  const engine = engineCard(app);
  const tabs = tabCard(app);
  const usual = h(
    "div",
    { class: "panel" },
    lessonCard(app),
    practiceCard(app),
    engine,
    proofCard(app),
    tabs,
  );
  // The place of an engine's lines that is off is the list's; it changes while nobody points there.
  const fit = () => {
    if (!tabs.matches(":hover")) engine.classList.toggle("off", !store.state.analysing);
  };
  // At pointerleave Firefox still has :hover.
  tabs.addEventListener("mouseleave", fit);
  store.on(["analysing"], fit);
  fit();
  const panel = h("div", { class: "analysis" });
  /** @type {HTMLElement | undefined} */
  let editor;
  let editing = /** @type {boolean | null} */ (null);
  const draw = () => {
    const edits = Boolean(store.state.editor);
    if (edits === editing) return;
    editing = edits;
    if (!edits) return fill(panel, usual);
    editor ??= editorPanel(app);
    fill(panel, editor);
    panel.querySelector("button")?.focus({ preventScroll: true });
    // On a phone the board is above.
    scrollTo(0, 0);
  };
  store.on(["editor"], draw);
  draw();
  return panel;
}

/** Below the lines, one at a time, so that each is reached without scrolling. @param {App} app */
function tabCard(app) {
  const { store } = app;
  const open = (/** @type {PanelName} */ name) => {
    store.set({ panel: name });
    // By then it is drawn.
    setTimeout(() => showBelowBoard(card));
  };
  const parts = /** @type {[PanelName, string, HTMLElement][]} */ ([
    ["moves", "Moves", movesPart(app)],
    ["explorer", "Explorer", explorerCard(app)],
    ["review", "Review", reviewCard(app)],
    ["board", "Board", boardPart(app)],
  ]).map(([name, label, part]) => ({
    name,
    tab: h("button", { class: "panel-tab", "data-panel": name, onclick: () => open(name) }, label),
    body: h("div", { class: "tab-body" }, part),
  }));
  const draw = () => {
    for (const { name, tab, body } of parts) {
      const isShown = name === store.state.panel;
      tab.setAttribute("aria-pressed", String(isShown));
      body.hidden = !isShown;
    }
  };
  store.on(["panel"], draw);
  draw();
  const card = h(
    "section",
    { class: "card tab-card" },
    h(
      "div",
      { class: "panel-tabs", role: "group", "aria-label": "Below the lines" },
      parts.map(({ tab }) => tab),
    ),
    parts.map(({ body }) => body),
  );
  return card;
}

/** @param {App} app */
function movesPart(app) {
  return h(
    "div",
    { class: "tree-card" },
    studyCard(app),
    chapterCard(app),
    chainWordsView(app),
    moveList(app, moveEntry(app)),
  );
}

/** @param {App} app */
function engineCard(app) {
  const { store } = app;
  const power = h("input", {
    type: "checkbox",
    class: "switch",
    "aria-label": "Analyse",
    onchange: () => store.set({ analysing: power.checked }),
  });
  const count = h("span", { class: "figure" });
  const lines = () => store.state.settings.lines;
  // The engine says how many it takes.
  const most = () => app.engine.options.get("MultiPV")?.max ?? 5;
  const fewer = h(
    "button",
    {
      class: "step",
      "aria-label": "Fewer lines",
      onclick: () => changeSettings(app, { lines: Math.max(1, lines() - 1) }),
    },
    "−",
  );
  const more = h(
    "button",
    {
      class: "step",
      "aria-label": "More lines",
      onclick: () => changeSettings(app, { lines: Math.min(most(), lines() + 1) }),
    },
    "+",
  );
  const threat = toggle(null, "Threat", () => store.set({ showThreat: !store.state.showThreat }));
  const values = toggle(null, "Values", () => store.set({ showValues: !store.state.showValues }));
  const arrows = toggle(null, "Arrows", () =>
    changeSettings(app, { arrows: !store.state.settings.arrows }),
  );
  const report = h("p", { class: "about" });
  const draw = () => {
    const { analysing, showThreat, showValues, settings, values: found } = store.state;
    power.checked = analysing;
    count.textContent = String(settings.lines);
    fewer.disabled = settings.lines <= 1;
    more.disabled = settings.lines >= most();
    threat.setAttribute("aria-pressed", String(showThreat));
    values.setAttribute("aria-pressed", String(showValues));
    arrows.setAttribute("aria-pressed", String(settings.arrows));
    report.textContent =
      showValues && found
        ? "On each piece: what it is worth to its side; 4.00 means odds of ten to one."
        : "";
    report.hidden = !report.textContent;
  };
  store.on(["analysing", "settings", "showThreat", "showValues", "values", "link"], draw);
  draw();
  return h(
    "section",
    { class: "card engine-card" },
    h(
      "div",
      { class: "row head" },
      h("label", { class: "engine-name" }, power, h("b", null, "Engine")),
      h("span", { class: "gap" }),
      h(
        "div",
        { class: "stepper", role: "group", "aria-label": "Number of lines" },
        fewer,
        count,
        more,
        h("span", { class: "muted" }, "lines"),
      ),
    ),
    linesView(app),
    h("div", { class: "row wrap tools" }, threat, values, arrows, proofButton(app)),
    report,
  );
}

/** @param {App} app */
function chainWordsView(app) {
  const box = h("div", { hidden: true });
  const draw = () => {
    const game = shownGame(app);
    const words = game && explosions(game, "this");
    box.hidden = !words;
    fill(box, words);
  };
  app.store.on(["rev", "view", "games"], draw);
  draw();
  return box;
}

/** Another board or position. @param {App} app */
function boardPart(app) {
  return h(
    "div",
    { class: "stacked board-part" },
    boardField(app),
    h(
      "div",
      { class: "row wrap" },
      button("plus", "New analysis on this board", () => {
        const { variant, fen } = startOf(app.store.state.settings.board);
        analysePosition(app, variant, fen);
      }),
      button("edit", "Set up a position", () => openEditor(app)),
      button("bring", "Import", () => app.store.set({ dialog: "bring" })),
      button("play", "Play from here", () => {
        const game = shownGame(app);
        if (!game) return;
        newGame(app, startAt(game, game.at));
        app.store.set({ view: "play" });
      }),
    ),
    proofList(app),
  );
}

/**
 * The proofs that were loaded; each can be forgotten. And those of this board that can be loaded.
 * @param {App} app
 */
function proofList(app) {
  const { store } = app;
  const list = h("ul", { class: "proofs", "aria-label": "Proofs" });
  const draw = async () => {
    if (store.state.view !== "analyse" || store.state.panel !== "board") return;
    const [proofs, offers] = await Promise.all([loadedProofs(), offeredProofs(app)]);
    list.hidden = !proofs.length && !offers.length;
    fill(
      list,
      offers.map((offer) => offerItem(app, offer)),
      proofs.map(({ board, text }) =>
        h(
          "li",
          { class: "row" },
          h("span", null, `Proof of ${text}`),
          iconButton("trash", `Forget the proof of ${board.replace("x", "×")}`, () =>
            forgetProof(app, board),
          ),
        ),
      ),
    );
  };
  store.on(["view", "panel", "kept", "games"], draw);
  draw();
  return list;
}

/** A proof that can be loaded. @param {App} app @param {Offer} offer */
function offerItem(app, offer) {
  const { board, bytes } = offer;
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const load = button("bring", "Load", async () => {
    load.setAttribute("disabled", "");
    await loadOffered(app, offer);
    load.removeAttribute("disabled");
  });
  const text = `There is a proof of ${board.replace("x", "×")} (${size}).`;
  return h("li", { class: "row" }, h("span", null, text), load);
}
