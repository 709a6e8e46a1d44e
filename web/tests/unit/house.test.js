import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** What each folder may import, as README.md says. */
const MAY = {
  rules: ["rules"],
  board: ["board", "rules"],
  engine: ["engine", "rules"],
  model: ["model", "rules", "engine"],
  text: ["text", "model", "rules", "engine"],
  control: ["control", "text", "model", "engine", "rules", "."],
  ui: ["ui", "board"],
  view: ["view", "ui", "control", "text", "model", "engine", "board", "rules", "."],
};

/** @param {string} folder @returns {string[]} */
const files = (folder) =>
  readdirSync(join(ROOT, folder)).flatMap((name) =>
    statSync(join(ROOT, folder, name)).isDirectory()
      ? files(join(folder, name))
      : [join(folder, name)],
  );
const scripts = files("js");

/** A script and all that it imports. @param {string} file @param {Set<string>} found */
function importedBy(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(ROOT, file), "utf8");
  for (const [, from] of text.matchAll(/^(?:import|export) [^;]*?from "([^"]+)";$/gm))
    importedBy(join(dirname(file), from), found);
  return found;
}

test("a folder imports only what it may", () => {
  for (const file of scripts) {
    const [, folder] = file.split("/");
    const may = /** @type {Record<string, string[]>} */ (MAY)[folder];
    if (!may) continue;
    for (const [, from] of readFileSync(join(ROOT, file), "utf8").matchAll(
      /^import [^;]*? from "([^"]+)";$/gm,
    )) {
      const to = from.startsWith("./")
        ? folder
        : from.split("/").length > 2
          ? from.split("/")[1]
          : ".";
      assert.ok(may.includes(to), `${file} imports ${from}`);
    }
  }
});

test("lines are short, and what a first visit sends is small", () => {
  let size = 0;
  // The puzzles come when they are asked for.
  const data = files("data").filter((file) => !/puzzles/.test(file));
  const sent = importedBy("js/main.js");
  for (const file of [...scripts, ...files("css"), ...data, "index.html", "icon.svg"]) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const long = text.split("\n").findIndex((line) => line.length > 120);
    assert.ok(long === -1 || file === "icon.svg", `${file}:${long + 1} is long`);
    if (sent.has(file) || (!scripts.includes(file) && file !== "css/review.css"))
      size += gzipSync(text).length;
  }
  // Games and lessons come when they are asked for, and the review of files is no part of the page.
  assert.deepEqual(
    scripts.filter((file) => !sent.has(file)),
    [
      "js/board/thumbnail.js",
      "js/review.js",
      "js/view/gamespage.js",
      "js/view/learnpage.js",
      "js/view/lessons.js",
    ],
  );
  assert.ok(size < 200_000, `${size} bytes, compressed`);
});

test("nothing makes markup of text, and nothing comes from elsewhere", () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment|DOMParser|https?:\/\/(?!www\.w3\.org\/2000\/svg)/;
  for (const file of [...scripts, ...files("css"), "index.html"]) {
    const found = forbidden.exec(readFileSync(join(ROOT, file), "utf8"));
    assert.equal(found?.[0], undefined, file);
  }
});
