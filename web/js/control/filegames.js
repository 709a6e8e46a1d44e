/** The games inside the imported files: to be found by a search, and exported with the others. */

import { readSome } from "../text/import.js";
import { listFiles, loadFile } from "./files.js";

/** @import { PgnGame } from "../text/pgn.js" */
/** @import { FileEntry } from "./files.js" */
/** @typedef {{file: FileEntry, games: PgnGame[], at: number, text: string}} FileGame `text` is what it is found by */

/**
 * All games of all files; those of a file that cannot be read are left out.
 * @param {string} board what moves without a start are played on
 * @returns {Promise<FileGame[]>}
 */
export async function gamesInFiles(board) {
  /** @type {FileGame[]} */
  const found = [];
  for (const file of await listFiles().catch(() => [])) {
    const text = await loadFile(file.id).catch(() => undefined);
    const games = text ? gamesOf(text, board) : [];
    for (const [at, game] of games.entries()) {
      const words = [...Object.values(game.headers), game.result, file.name];
      found.push({ file, games, at, text: words.join(" ").toLowerCase() });
    }
    // The page gets a turn.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return found;
}

/** @param {string} text @param {string} board */
function gamesOf(text, board) {
  try {
    return readSome(text, board).games;
  } catch {
    return [];
  }
}
