import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";

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
const files = (folder) => readdirSync(join(ROOT, folder)).flatMap((name) => (statSync(join(ROOT, folder, name)).isDirectory() ? files(join(folder, name)) : [join(folder, name)]));
const scripts = files("js");

test("a folder imports only what it may", () => {
  for (const file of scripts) {
    const [, folder] = file.split("/");
    const may = /** @type {Record<string, string[]>} */ (MAY)[folder];
    if (!may) continue;
    for (const [, from] of readFileSync(join(ROOT, file), "utf8").matchAll(/^import [^;]*? from "([^"]+)";$/gm)) {
      const to = from.startsWith("./") ? folder : from.split("/").length > 2 ? from.split("/")[1] : ".";
      assert.ok(may.includes(to), `${file} imports ${from}`);
    }
  }
});

test("files are short, the page is small", () => {
  let size = 0;
  for (const file of [...scripts, ...files("css"), ...files("data"), "index.html", "icon.svg"]) {
    const text = readFileSync(join(ROOT, file), "utf8");
    assert.ok(text.split("\n").length <= 301, `${file} is long`);
    size += Buffer.byteLength(text);
  }
  assert.ok(size < 300_000, `${size} bytes in all`);
});

test("nothing makes markup of text, and nothing comes from elsewhere", () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment|DOMParser|https?:\/\/(?!www\.w3\.org\/2000\/svg)/;
  for (const file of [...scripts, ...files("css"), "index.html"]) {
    const found = forbidden.exec(readFileSync(join(ROOT, file), "utf8"));
    assert.equal(found?.[0], undefined, file);
  }
});
