/** Between a game's tree and the lines of a PGN. */

import { createGame } from "../model/game.js";
import { addMove, nodeOf, numberOf } from "../model/tree.js";
import { parseFen } from "../rules/picture.js";
import { PASS, parseMove } from "../rules/squares.js";
import { readNote, writeNote } from "./shapes.js";

/** @import { Node, Result, Tree } from "../../types/game" */
/** @import { Picture } from "../rules/picture.js" */
/** @import { PgnGame, Line, Entry } from "./pgn.js" */

/**
 * A game to analyse. Whether its moves are legal is not checked yet, but none of them is nonsense.
 * @param {PgnGame} read
 * @returns {{game: Game, cut: string[]}} what was left out, in words
 */
export function gameOf(read) {
  const game = createGame("analyse", read.variant, read.fen);
  game.headers = { ...read.headers };
  for (const name of ["FEN", "SetUp", "Variant", "Result"]) delete game.headers[name];
  comment(game.tree.nodes[0], read.comment);
  if (["1-0", "0-1", "1/2-1/2"].includes(read.result))
    game.result = /** @type {Result} */ (read.result);
  /** @type {string[]} */
  const cut = [];
  addLine(game.tree, 0, read.line, cut);
  return { game, cut };
}

/** @param {Tree} tree @param {number} at @param {Line} line @param {string[]} cut */
function addLine(tree, at, line, cut) {
  for (const entry of line) {
    if (!isSane(parseFen(nodeOf(tree, at).fen, tree.variant), entry.move)) {
      cut.push(
        `${numberOf(tree, { ...nodeOf(tree, at), parent: at })} ${entry.move} is not possible.`,
      );
      return;
    }
    const node = addMove(tree, at, entry.move);
    comment(node, entry.comment ?? "");
    if (entry.nag) node.nag = entry.nag;
    for (const variation of entry.variations) addLine(tree, at, variation, cut);
    at = node.id;
  }
}

/** @param {Node} node @param {string} given */
function comment(node, given) {
  const { text, shapes, clock } = readNote(given);
  if (text) node.comment = text;
  if (shapes.length) node.shapes = shapes;
  if (clock !== undefined) node.clock = clock;
}

/**
 * Whether a move begins with a piece of the side to move and stays on the board.
 * @param {Picture} picture
 * @param {string} move
 */
function isSane(picture, move) {
  if (move === PASS) return picture.variant === "freeling";
  const step = parseMove(move);
  if (
    !step ||
    [step.from, step.to].some(({ file, rank }) => file >= picture.width || rank >= picture.height)
  )
    return false;
  return (
    picture.cells[step.from.rank * picture.width + step.from.file] * (picture.white ? 1 : -1) > 0
  );
}

/** @param {Game} game @returns {PgnGame} */
export function pgnOf(game) {
  const { tree } = game;
  const name = (/** @type {"white" | "black"} */ side) =>
    game.players[side].kind === "engine" ? "petard" : "?";
  const date = new Date(game.created).toISOString().slice(0, 10).replaceAll("-", ".");
  const time = game.control && {
    TimeControl: `${game.control.main / 1000}+${game.control.increment / 1000}`,
  };
  const headers = {
    Event: "Breakthrough",
    Site: "petard",
    Date: date,
    Round: "-",
    White: name("white"),
    Black: name("black"),
    ...time,
    ...game.headers,
  };
  return {
    headers,
    variant: tree.variant,
    fen: tree.nodes[0].fen,
    line: lineOf(tree, 0),
    comment: writeNote(tree.nodes[0]),
    result: game.result,
  };
}

/** @param {Tree} tree @param {number} at @returns {Line} */
function lineOf(tree, at) {
  /** @type {Line} */
  const line = [];
  for (let node = nodeOf(tree, at); node.children.length; ) {
    const [main, ...others] = node.children.map((id) => nodeOf(tree, id));
    line.push({
      ...entryOf(main),
      variations: others.map((other) => [entryOf(other), ...lineOf(tree, other.id)]),
    });
    node = main;
  }
  return line;
}

/** @param {Node} node @returns {Entry} */
function entryOf(node) {
  const comment = writeNote(node);
  return {
    move: node.move ?? "",
    variations: [],
    ...(node.nag ? { nag: node.nag } : {}),
    ...(comment ? { comment } : {}),
  };
}
