/**
 * The board and what it needs as one plain script: the modules, each after those that it imports,
 * without imports and exports.
 */

import { readFile } from "node:fs/promises";

const ENTRIES = ["board/board.js", "board/export.js", "rules/picture.js", "rules/apply.js"];
const IMPORT = /^import [^;]*? from "([^"]+)";\n/gm;

export async function bundle() {
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const name of ENTRIES) await gather(new URL(`../../js/${name}`, import.meta.url), texts);
  return `"use strict";\n${[...texts.values()].join("\n")}`;
}

/** @param {URL} file @param {Map<string, string>} texts */
async function gather(file, texts) {
  if (texts.has(file.href)) return;
  const text = await readFile(file, "utf8");
  for (const [, from] of text.matchAll(IMPORT)) await gather(new URL(from, file), texts);
  texts.set(file.href, text.replace(IMPORT, "").replace(/^export /gm, ""));
}
