/** Between a game's tree and the lines of a PGN. */

import { evalText } from "../model/chance.js";
import { createGame } from "../model/game.js";
import { verdictsOf } from "../model/judge.js";
import { addMove, nodeOf, numberOf } from "../model/tree.js";
import { parseFen } from "../rules/picture.js";
import { PASS, parseMove, parseSquare, squareName } from "../rules/squares.js";
import { addNags } from "./pgn.js";
import { readNote, writeNote } from "./shapes.js";

/** @import { Node, Result, Tree } from "../../types/game" */
/** @import { BoardState } from "../rules/picture.js" */
/** @import { PgnGame, Line, Entry } from "./pgn.js" */
/** @import { Numbers, Seen, Verdict } from "../model/judge.js" */
/** @typedef {{seen: Record<number, Seen>, verdicts: Map<number, Verdict>}} Review */

/** A review's marks as PGN's glyphs. */
const MARKS = /** @type {Record<string, number>} */ ({ inaccuracy: 6, mistake: 2, blunder: 4 });

/**
 * A game to analyse. Whether its moves are legal is not checked yet, but none of them is nonsense.
 * @param {PgnGame} read
 * @returns {{game: Game, cut: string[]}} what was left out, in words
 */
export function gameOf(read) {
  const game = createGame("analyse", read.variant, read.fen);
  game.headers = { ...read.headers };
  for (const name of Object.keys(game.headers))
    if (/^(fen|setup|variant|result)$/i.test(name)) delete game.headers[name];
  addNote(game.tree.nodes[0], read.comment);
  if (["1-0", "0-1", "1/2-1/2"].includes(read.result))
    game.result = /** @type {Result} */ (read.result);
  /** @type {string[]} */
  const cut = [];
  addLine(game.tree, 0, read.line, cut);
  return { game, cut };
}

/** @param {Tree} tree @param {number} at @param {Line} line @param {string[]} cut */
function addLine(tree, at, line, cut) {
  /** @type {[number, Line][]} */
  const variations = [];
  for (const entry of line) {
    const picture = parseFen(nodeOf(tree, at).fen, tree.variant);
    const move = fullMove(picture, entry.move);
    if (!isSane(picture, move)) {
      cut.push(
        `${numberOf(tree, { ...nodeOf(tree, at), parent: at })} ${entry.move} is not possible.`,
      );
      break;
    }
    const node = addMove(tree, at, move);
    if (entry.before) {
      // Its shapes are drawn with the move; what else it holds stays before the move.
      const { text, shapes, ...rest } = readNote(entry.before);
      addShapes(node, shapes);
      const before = writeNote({ comment: text, ...rest });
      if (before) node.before = joined(node.before, before);
    }
    addNote(node, entry.comment ?? "");
    addNags(node, entry.nags);
    for (const variation of entry.variations) variations.push([at, variation]);
    at = node.id;
  }
  // The main line comes first, also where a variation begins with the same move.
  for (const [from, variation] of variations) addLine(tree, from, variation, cut);
}

/**
 * A move with both squares: `ba3` comes from the b-file, `a3` straight from behind if it can. One
 * that may be several stays as it is. An x that can mean "takes" is not the file x.
 * @param {BoardState} picture
 * @param {string} move
 */
function fullMove({ cells, width, white }, move) {
  const found = /^([a-z])??(\d{1,2})??(x)?([a-z][1-9]\d?)$/.exec(move);
  const to = found && parseSquare(found[4]);
  if (!to) return move;
  const [, file, rank, takes] = found;
  const side = white ? 1 : -1;
  const behind = to.rank - side;
  const target = (cells[to.rank * width + to.file] ?? 0) * side;
  const starts = [to.file - 1, to.file, to.file + 1].filter(
    (at) =>
      at >= 0 &&
      at < width &&
      cells[behind * width + at] * side > 0 &&
      (at === to.file ? target === 0 : target <= 0) &&
      (!file || squareName({ file: at, rank: behind }).startsWith(file)) &&
      (!rank || Number(rank) === behind + 1) &&
      (!takes || target < 0),
  );
  const straight = !file && !rank && !takes && starts.includes(to.file);
  if (starts.length !== 1 && !straight) return move;
  return squareName({ file: straight ? to.file : starts[0], rank: behind }) + found[4];
}

/** @param {Node} node @param {string} given */
function addNote(node, given) {
  const { text, shapes, clock, commands } = readNote(given);
  if (text) node.comment = joined(node.comment, text);
  addShapes(node, shapes);
  if (clock !== undefined) node.clock ??= clock;
  if (commands) node.commands = [...new Set([...(node.commands ?? []), ...commands])];
}

/** @param {Node} node @param {string[]} shapes */
function addShapes(node, shapes) {
  if (shapes.length) node.shapes = [...new Set([...(node.shapes ?? []), ...shapes])];
}

/**
 * Two comments on one move, once if they are the same.
 * @param {string | undefined} text
 * @param {string} more
 */
const joined = (text, more) => (!text || text === more ? more : `${text} ${more}`);

/**
 * Whether a move begins with a piece of the side to move and stays on the board.
 * @param {BoardState} picture
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

/** @param {Game} game @param {Numbers} numbers of the review @returns {PgnGame} */
export function pgnOf(game, numbers) {
  const { tree } = game;
  const name = (/** @type {"white" | "black"} */ side) =>
    game.players[side].kind === "engine" ? "petard" : "?";
  // The day where the player is.
  const [day, month, year] = new Date(game.created).toLocaleDateString("en-GB").split("/");
  const date = `${year}.${month}.${day}`;
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
    ...(game.study ? { StudyName: game.study } : {}),
  };
  return {
    headers,
    variant: tree.variant,
    fen: tree.nodes[0].fen,
    line: lineOf(tree, 0, { seen: game.review ?? {}, verdicts: verdictsOf(game, numbers) }),
    comment: writeNote(tree.nodes[0]),
    result: game.result,
  };
}

/** @param {Tree} tree @param {number} at @param {Review} review @returns {Line} */
function lineOf(tree, at, review) {
  /** @type {Line} */
  const line = [];
  for (let node = nodeOf(tree, at); node.children.length; ) {
    const [main, ...others] = node.children.map((id) => nodeOf(tree, id));
    line.push({
      ...entryOf(main, review),
      variations: others.map((other) => [
        entryOf(other, review),
        ...lineOf(tree, other.id, review),
      ]),
    });
    node = main;
  }
  return line;
}

/**
 * A move with what the user and a review say about it. A review's mark stands where the user has
 * set none, and its evaluation takes the place of another program's.
 * @param {Node} node
 * @param {Review} review
 * @returns {Entry}
 */
function entryOf(node, { seen, verdicts }) {
  const found = seen[node.id];
  const mark = verdicts.get(node.id)?.mark ?? "";
  const nags = [...(node.nags ?? [])];
  if (MARKS[mark] && !nags.some((nag) => nag >= 1 && nag <= 6)) nags.unshift(MARKS[mark]);
  const others = (node.commands ?? []).filter((command) => !found || !/^\[%eval\s/.test(command));
  const commands = found ? [`[%eval ${evalText(found.score, node.fen)}]`, ...others] : others;
  const comment = writeNote({ ...node, commands });
  return {
    move: node.move ?? "",
    variations: [],
    ...(nags.length ? { nags } : {}),
    ...(node.before ? { before: node.before } : {}),
    ...(comment ? { comment } : {}),
  };
}
