/**
 * Imported files of several games, and proofs, kept in this browser as they came. Where the browser forbids
 * that, they last as long as the page.
 */

import { readSome } from "../text/import.js";

/** @import { PgnGame } from "../text/pgn.js" */
/** @typedef {{id: string, name: string, games: number, added: number}} FileEntry */
/** @typedef {{file: FileEntry, games: PgnGame[], at: number, text: string}} FileGame `text` is what it is found by */

const DATABASE = "petard";
const [TEXTS, ENTRIES, PROOFS] = ["texts", "entries", "proofs"];

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

/** @returns {Promise<IDBDatabase>} */
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        request.result.createObjectStore(TEXTS);
        request.result.createObjectStore(ENTRIES, { keyPath: "id" });
      }
      request.result.createObjectStore(PROOFS);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: (name: string) => IDBObjectStore) => IDBRequest<T>} work
 * @returns {Promise<T>} the last request's result, once all of it is stored
 */
async function inTransaction(mode, work) {
  const transaction = (await database()).transaction([TEXTS, ENTRIES, PROOFS], mode);
  const request = work((name) => transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Keeps a file; the same text once. @param {string} name @param {string} text @param {number} games */
export async function saveFile(name, text, games) {
  const bytes = await crypto.subtle?.digest("SHA-256", new TextEncoder().encode(text));
  const id = bytes
    ? Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
    : `${name} ${text.length}`;
  await inTransaction("readwrite", (store) => {
    store(TEXTS).put(text, id);
    return store(ENTRIES).put({ id, name, games, added: Date.now() });
  });
}

/** All kept files, the latest first. @returns {Promise<FileEntry[]>} */
export async function listFiles() {
  const found = await inTransaction("readonly", (store) => store(ENTRIES).getAll());
  return found.sort((a, b) => b.added - a.added);
}

/** @param {string} id @returns {Promise<string | undefined>} its text */
export function loadFile(id) {
  return inTransaction("readonly", (store) => store(TEXTS).get(id));
}

/**
 * The games of a file; none if it cannot be read.
 * @param {string} id
 * @param {string} board what moves without a start are played on
 * @returns {Promise<PgnGame[]>}
 */
export async function gamesIn(id, board) {
  try {
    return readSome((await loadFile(id)) ?? "", board).games;
  } catch {
    return [];
  }
}

/** A text as it is searched: whoever types no accents or apostrophes finds them too. @param {string} text */
export function plain(text) {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f'’]/g, "")
    .toLowerCase();
}

/**
 * All games of all files: to be found by a search, and exported with the others.
 * @param {string} board
 */
export async function gamesInFiles(board) {
  /** @type {FileGame[]} */
  const found = [];
  for (const file of await listFiles().catch(() => [])) {
    const games = await gamesIn(file.id, board);
    for (const [at, game] of games.entries()) {
      const words = [...Object.values(game.headers), game.result, file.name];
      found.push({ file, games, at, text: plain(words.join(" ")) });
    }
    // The page gets a turn.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return found;
}

/** @param {string} id */
export function deleteFile(id) {
  return inTransaction("readwrite", (store) => {
    store(TEXTS).delete(id);
    return store(ENTRIES).delete(id);
  });
}

/** Keeps the certificate of a board. @param {string} board @param {Uint8Array} bytes */
export function saveProof(board, bytes) {
  return inTransaction("readwrite", (store) => store(PROOFS).put(bytes, board));
}

/** @param {string} board @returns {Promise<Uint8Array | undefined>} */
export function loadProof(board) {
  return inTransaction("readonly", (store) => store(PROOFS).get(board));
}

/** The boards whose certificates are kept. @returns {Promise<string[]>} */
export async function listProofs() {
  const boards = await inTransaction("readonly", (store) => store(PROOFS).getAllKeys());
  return boards.map(String);
}

/** @param {string} board */
export function deleteProof(board) {
  return inTransaction("readwrite", (store) => store(PROOFS).delete(board));
}
