/** Proving who wins. */

import { shownGame, shownNode } from "../control/app.js";
import { askedNode } from "../control/practice.js";
import { keepProof, prove, stopProof } from "../control/proof.js";
import { provenByOffer } from "../control/proofs.js";
import { large } from "../model/chance.js";
import { lineTexts, moveText } from "../rules/apply.js";
import { parseFen } from "../rules/picture.js";
import { isAsking, isProving } from "../state.js";
import { button } from "../ui/controls.js";
import { fill, h } from "../ui/dom.js";

/** @import { Node } from "../../types/game" */
/** @import { ProofState } from "../../types/state" */

/** The largest board that the engine proves. */
const LARGEST = 80;

/** The button that starts a proof. @param {App} app */
export function proofButton(app) {
  // What lies there ready need not be searched for.
  const start = button(null, "Prove", async () => (await provenByOffer(app)) || prove(app));
  const draw = () => {
    const game = shownGame(app);
    const node = shownNode(app);
    if (app.store.state.view !== "analyse" || !game || !node) return;
    const { width, height } = parseFen(node.fen);
    const possible = game.tree.variant === "breakthrough" && width * height <= LARGEST;
    const { proof } = app.store.state;
    // What the proof of the board knows is who wins, and not the line.
    const isDone = proof?.status === "proven" && proof.key === `${game.id} ${node.id}`;
    start.disabled = !possible || isProving(app.store.state) || isDone || Boolean(node.winner);
    start.title = possible
      ? "Prove who wins"
      : `Only Breakthrough on boards of up to ${LARGEST} squares can be proven`;
  };
  app.store.on(["proof", "rev", "view", "games"], draw);
  draw();
  return start;
}

/** How a proof is getting on, and what it has found. @param {App} app */
export function proofCard(app) {
  const { store } = app;
  const report = h("div", { class: "report" });
  const stop = button("close", "Stop", () => stopProof(), "quiet");
  const keep = button("plus", "Add the line", () => keepProof(app), "quiet");
  const card = h(
    "section",
    { class: "card proof-card" },
    h("div", { class: "row top" }, report, stop, keep),
  );
  const draw = () => {
    const { proof, view } = store.state;
    const game = shownGame(app);
    const node = shownNode(app);
    if (view !== "analyse" || !game || !node) return;
    const here = proof?.key === `${game.id} ${game.at}`;
    const proving = isProving(store.state);
    // It names the move that is asked.
    const isAsked = isAsking(store.state) && askedNode(app) === node;
    const proven = !proving && !isAsked && Boolean(node.proof);
    card.hidden = !proving && !proven && (!here || isAsked);
    stop.hidden = !proving;
    keep.hidden = !(proven && here && proof?.line.length);
    card.classList.toggle("proven", proven);
    fill(report, proving && proof ? searching(proof, here) : verdict(here ? proof : null, node));
  };
  store.on(["proof", "rev", "view", "games", "practice"], draw);
  draw();
  return card;
}

/** @param {ProofState} proof @param {boolean} here */
function searching({ progress }, here) {
  const numbers = progress
    ? [
        `${(progress.time / 1000).toFixed(0)} s`,
        `${large(progress.nodes)} nodes`,
        `${large(progress.nps)}/s`,
        `table ${Math.round(progress.table * 100)}%`,
      ].join(" · ")
    : "Starting…";
  const number = (/** @type {number | null} */ value) => (value === null ? "∞" : large(value));
  const far =
    progress &&
    `Proof number ${number(progress.proof)}, disproof number ${number(progress.disproof)}`;
  return [
    h("b", null, here ? "Looking for a proof" : "Looking for a proof of another position"),
    h("span", { class: "muted" }, numbers),
    far && h("span", { class: "muted" }, far),
  ];
}

/** Why there is no proof. */
const UNPROVEN = {
  open:
    "The search for a proof has ended without one. Give it more memory in the " +
    "settings, or try a later position.",
  stopped: "Stopped. Try a later position, or give it more time.",
  lost: "The connection to the engine was lost.",
};

/** @param {ProofState | null} proof of this position @param {Node} node */
function verdict(proof, node) {
  if (node.proof) {
    const winner = node.proof.winner === "white" ? "White" : "Black";
    const first = moveText(parseFen(node.fen), node.proof.move ?? "");
    const line = lineTexts(parseFen(node.fen, "breakthrough"), proof?.line ?? []);
    const start = `${line.slice(0, 6).join(" ")}${line.length > 6 ? " …" : ""}`;
    return [
      h("b", { class: "verdict" }, `Proven: ${winner} wins`),
      h(
        "span",
        { class: "muted" },
        line.length
          ? `A line of ${Math.ceil(line.length / 2)} moves to the end: ${start}`
          : `${winner} wins against any defence${first && `, by ${first}`}.`,
      ),
    ];
  }
  return [
    h("b", null, "Not proven"),
    h(
      "span",
      { class: "muted" },
      proof?.reason || UNPROVEN[/** @type {keyof typeof UNPROVEN} */ (proof?.status ?? "stopped")],
    ),
  ];
}
