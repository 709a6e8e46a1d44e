/**
 * The board and what it needs as one plain script: the modules in order, without their imports
 * and exports. The scripts' reports do the same with a few lines of Python.
 */

import { readFile } from "node:fs/promises";

export const FILES = ["rules/squares.js", "rules/picture.js", "rules/apply.js", "board/svg.js", "board/geometry.js", "board/drawing.js", "board/motion.js", "board/input.js", "board/board.js", "board/export.js"];

export async function bundle() {
  const texts = await Promise.all(FILES.map((name) => readFile(new URL(`../../js/${name}`, import.meta.url), "utf8")));
  return `"use strict";\n${texts.map((text) => text.replace(/^import [^;]*;\n/gm, "").replace(/^export /gm, "")).join("\n")}`;
}
