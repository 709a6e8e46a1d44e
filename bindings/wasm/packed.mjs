/**
 * Packs the npm package and tries it in bare projects, in Chromium: with Vite, and without any
 * bundler. Needs the network for Vite, and `npm --prefix web/tests ci` for the browser's driver.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { PACKAGE } from "./build.mjs";

const { chromium } = createRequire(new URL("../../web/tests/package.json", import.meta.url))("playwright-core");
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };
const ISOLATION = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
/** The ten-line example of the package's README, with the answer in the page's title. */
const MAIN = `import { openEngine } from "petard";

const engine = openEngine({
  line: (line) => {
    if (line.startsWith("bestmove")) document.title = line;
  },
  failed: (fault) => (document.title = fault.message),
});
engine.send("position startpos moves b2b3 g7g6");
engine.send("go movetime 300");
`;

/** @param {string} folder @param {string} program @param {...string} words */
const run = (folder, program, ...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** What a page in a folder gets for an answer. @param {string} folder @param {boolean} isIsolated */
async function answerIn(folder, isIsolated) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", ...(isIsolated ? ISOLATION : {}) });
    createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => document.title !== "", null, { timeout: 120_000 });
  const title = await page.title();
  await browser.close();
  server.close();
  return title;
}

const root = mkdtempSync(join(tmpdir(), "petard-packed-"));
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
