/**
 * Proofs of boards beyond those that the engine has built in: certificates that the user has loaded
 * once, as a file or from beside the page, kept in this browser. Like the engine's `ProofFile`, they
 * are trusted.
 */

import { CertificateError, moveIn, readCertificate, readHeader } from "../model/certificate.js";
import { resultOf } from "../model/chance.js";
import { nodeOf, pathTo } from "../model/tree.js";
import { play } from "../rules/apply.js";
import { parseFen, whiteToMove } from "../rules/picture.js";
import { loadFacts, markChanged, notify, shownGame } from "./app.js";
import { deleteProof, listProofs, loadProof, saveProof } from "./files.js";

/** @import { Node, Proof } from "../../types/game" */
/** @import { Certificate } from "../model/certificate.js" */

/** By board; null where there is none. @type {Map<string, Promise<Certificate | null>>} */
const known = new Map();
/** Where tabs announce boards whose proofs have come or gone. */
const CHANNEL = "petard.proofs";

/** @param {string} board */
function announceChange(board) {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(board);
  channel.close();
}

/** @param {{width: number, height: number}} size */
const boardOf = ({ width, height }) => `${width}x${height}`;

/**
 * Takes a certificate and keeps it.
 * @param {App} app @param {Uint8Array} bytes
 * @returns {Promise<string | null>} what is wrong with it
 */
export async function importProof(app, bytes) {
  try {
    const certificate = await readCertificate(bytes);
    const board = boardOf(certificate);
    known.set(board, Promise.resolve(certificate));
    const isKept = await saveProof(board, bytes).then(
      () => true,
      () => false,
    );
    announceChange(board);
    const { store } = app;
    store.set({ dialog: null, kept: store.state.kept + 1 });
    notify(
      app,
      `Proof of ${nameOf(certificate)} loaded: ${contentsOf(readHeader(bytes))}.` +
        (isKept ? "" : " This browser cannot keep it."),
      "note",
      {
        label: "Show the board",
        run: () => {
          location.hash = `#analyse?board=${board}`;
        },
      },
    );
    markChanged(app);
    return null;
  } catch (error) {
    if (error instanceof CertificateError) return error.message;
    throw error;
  }
}

/** @param {{width: number, height: number}} size */
const nameOf = (size) => boardOf(size).replace("x", "×");

/** What a proof holds, in words. @param {{winner: "white" | "black", count: number}} proof */
function contentsOf({ winner, count }) {
  return `${winner === "white" ? "White" : "Black"} wins, ${count.toLocaleString("en")} positions`;
}

/** The proofs that were loaded, in words, by board. @returns {Promise<{board: string, text: string}[]>} */
export async function loadedProofs() {
  const found = [];
  for (const board of await listProofs().catch(() => [])) {
    const bytes = await loadProof(board).catch(() => undefined);
    try {
      const head = bytes && readHeader(bytes);
      if (head) found.push({ board, text: `${nameOf(head)}: ${contentsOf(head)}` });
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
    }
  }
  return found;
}

/** @typedef {{name: string, board: string, bytes: number}} Offer a certificate beside the page */

/** All that are there. @type {Promise<Offer[]> | null} */
let offers = null;

/** The certificates beside the page that tell more about the board shown. @param {App} app */
export async function offeredProofs(app) {
  const { tree } = app.store.state.games.analyse;
  if (tree.variant !== "breakthrough") return [];
  const wanted = boardOf(parseFen(tree.nodes[0].fen));
  offers ??= fetch("certificates.json")
    .then((answer) => answer.json())
    .catch(() => {
      offers = null;
      return [];
    });
  const [found, loaded] = await Promise.all([
    offers,
    listProofs().catch(() => /** @type {string[]} */ ([])),
  ]);
  return loaded.includes(wanted) ? [] : found.filter(({ board }) => board === wanted);
}

/** @param {App} app @param {Offer} offer */
export async function loadOffered(app, { name }) {
  const failed = () => "The proof could not be loaded.";
  const error = await fetch(`certificates/${name}`)
    .then((answer) => (answer.ok ? answer.arrayBuffer() : null))
    .then((data) => (data ? importProof(app, new Uint8Array(data)) : failed()), failed);
  if (error) notify(app, error, "error");
  return !error;
}

/**
 * Loads the certificate that lies beside the page, if one tells about the board shown.
 * @param {App} app
 * @returns {Promise<boolean>} whether it proves the position shown
 */
export async function provenByOffer(app) {
  const game = app.store.state.games.analyse;
  const [offer] = await offeredProofs(app);
  if (!offer || !(await loadOffered(app, offer))) return false;
  const certificate = await certificateOf(offer.board);
  if (certificate && markPath(game, certificate)) markChanged(app, game);
  return Boolean(nodeOf(game.tree, game.at).proof);
}

/** What this board's proof says is asked for anew. @param {App} app @param {string} board */
function forgetWhatIsKnown(app, board) {
  known.delete(board);
  markChanged(app, undefined, { kept: app.store.state.kept + 1 });
}

/** Positions lose what only this proof knows. @param {App} app @param {string} board */
export async function forgetProof(app, board) {
  const bytes = await loadProof(board);
  await deleteProof(board);
  const changed = () => {
    forgetWhatIsKnown(app, board);
    announceChange(board);
  };
  changed();
  const run = async () => {
    if (bytes) await saveProof(board, bytes);
    changed();
  };
  notify(app, `The proof of ${board.replace("x", "×")} is forgotten.`, "note", {
    label: "Undo",
    run,
  });
}

/** @param {string} board @returns {Promise<Certificate | null>} */
function certificateOf(board) {
  const there = known.get(board);
  if (there) return there;
  const loading = loadProof(board)
    .then((bytes) => (bytes ? readCertificate(bytes) : null))
    .catch(() => null);
  known.set(board, loading);
  return loading;
}

/** Says who wins, in the analysis, where a certificate knows it. @param {App} app */
export function keepProven(app) {
  new BroadcastChannel(CHANNEL).onmessage = ({ data }) => forgetWhatIsKnown(app, data);
  app.store.on(["rev", "games", "view"], async () => {
    const game = app.store.state.view === "analyse" ? shownGame(app) : null;
    if (game?.tree.variant !== "breakthrough") return;
    const { at } = game;
    const path = pathTo(game.tree, at);
    const shown = path[path.length - 1];
    const proof = shown.proof || shown.winner ? null : proofByMoves(shown);
    if (proof) {
      shown.proof = proof;
      markChanged(app, game);
    }
    const isMarked = game.tree.nodes.some((node) => node.proof?.isLoaded);
    if (!isMarked && path.every((node) => node.proof || node.winner)) return;
    const certificate = await certificateOf(boardOf(parseFen(path[0].fen)));
    if (certificate && markPath(game, certificate)) markChanged(app, game);
    if (certificate || !isMarked) return;
    unmark(game);
    markChanged(app, game);
    for (const { id } of path) loadFacts(app, game, id);
  });
}

/** Takes back what a proof has said that is there no more. @param {Game} game */
export function unmark({ tree }) {
  for (const node of tree.nodes) {
    if (!node.proof?.isLoaded) continue;
    // What followed for its moves goes too; the engine says again what it knows.
    for (const key of /** @type {const} */ (["proof", "theory", "legal"])) delete node[key];
  }
}

/**
 * Who wins a position by what the engine knows of its moves without searching.
 * @param {Node} node @returns {Proof | null}
 */
export function proofByMoves(node) {
  const { fen, legal = [] } = node;
  const [mover, other] = whiteToMove(fen)
    ? /** @type {const} */ (["white", "black"])
    : /** @type {const} */ (["black", "white"]);
  const move = legal.find((one) => resultOf(node, one) === "won");
  if (move) return { winner: mover, move };
  const isLost = legal.length && legal.every((one) => resultOf(node, one) === "lost");
  return isLost ? { winner: other, move: null } : null;
}

/**
 * Marks what is proven on the way to the position shown.
 * @param {Game} game @param {Certificate} certificate
 * @returns {boolean} whether anything is new
 */
export function markPath({ tree, at }, certificate) {
  const { winner } = certificate;
  let isNew = false;
  /** What is known of the position before. @type {{isWon: boolean, answer: string | null}} */
  let before = { isWon: false, answer: null };
  for (const node of pathTo(tree, at)) {
    const picture = parseFen(node.fen);
    const isWinners = whiteToMove(node.fen) === (winner === "white");
    const move = moveIn(certificate, picture);
    // Whatever the loser does, and after the winner's right move.
    const follows = before.isWon && (isWinners || node.move === before.answer);
    // Whatever the loser could do here leads to a known position.
    const isLost =
      !isWinners &&
      Boolean(node.legal?.length) &&
      node.legal?.every((reply) => moveIn(certificate, play(picture, reply).picture));
    const isWon = Boolean(move || follows || isLost);
    before = { isWon, answer: move };
    if (!isWon || node.winner || (node.proof && (node.proof.move || !move))) continue;
    // What something else has proven stays when this proof goes.
    const isOwn = node.proof && !node.proof.isLoaded;
    node.proof = isOwn ? { winner, move } : { winner, move, isLoaded: true };
    isNew = true;
  }
  return isNew;
}
