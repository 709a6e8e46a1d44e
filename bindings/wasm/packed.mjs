/**
 * Packs the npm package and tries it in bare projects, in Chromium: with Vite, and without any
 * bundler. Needs the network for Vite, and `npm --prefix web/tests ci` for the browser's driver.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveFiles } from "../../web/tests/support/folder.mjs";
import { PACKAGE } from "./build.mjs";

const { chromium } = createRequire(new URL("../../web/tests/package.json", import.meta.url))("playwright-core");
/** The ten-line example of the package's README, with the answer in the page's title. */
const MAIN = `import { openEngine } from "petard";

const engine = openEngine({
  line: (line) => {
    if (line.startsWith("bestmove")) document.title = line;
  },
  failed: (error) => (document.title = error.message),
});
engine.send("position startpos moves b2b3 g7g6");
engine.send("go movetime 300");
`;

/** @param {string} folder @param {string} program @param {...string} words */
const run = (folder, program, ...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** The answer that a page in a folder gets. @param {string} folder @param {boolean} isIsolated */
async function answerIn(folder, isIsolated) {
  const server = await serveFiles(folder, { isIsolated });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage();
    await page.goto(server.address);
    await page.waitForFunction(() => document.title !== "", null, { timeout: 120_000 });
    return await page.title();
  } finally {
    await browser.close();
    await server.close();
  }
}

const root = mkdtempSync(join(tmpdir(), "petard-packed-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
const [{ filename, files, size }] = JSON.parse(run(PACKAGE, "npm", "pack", "--json", "--pack-destination", root));
console.log(`${filename}: ${size} bytes`, files.map(({ path }) => path).join(" "));

const bare = join(root, "bare");
mkdirSync(bare);
run(bare, "npm", "init", "-y");
run(bare, "npm", "install", "--no-audit", "--no-fund", join(root, filename));
writeFileSync(join(bare, "main.js"), MAIN);
writeFileSync(join(bare, "index.html"), `<!doctype html><title></title><script type="importmap">{ "imports": { "petard": "./node_modules/petard/index.js" } }</script><script type="module" src="main.js"></script>`);

const vite = join(root, "vite");
mkdirSync(vite);
run(vite, "npm", "init", "-y");
run(vite, "npm", "install", "--no-audit", "--no-fund", join(root, filename), "vite@7");
writeFileSync(join(vite, "main.js"), MAIN);
writeFileSync(join(vite, "index.html"), `<!doctype html><title></title><script type="module" src="/main.js"></script>`);
run(vite, "npx", "vite", "build");

for (const [name, folder] of [["without a bundler", bare], ["with Vite", join(vite, "dist")]]) {
  for (const isIsolated of [false, true]) {
    const answer = await answerIn(folder, isIsolated);
    console.log(`${name}, ${isIsolated ? "isolated" : "not isolated"}: ${answer}`);
    assert.match(answer, /^bestmove [a-h]\d[a-h]\d/);
  }
}
