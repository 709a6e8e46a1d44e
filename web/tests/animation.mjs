/**
 * The pictures of an analysis, move by move, of which `docs/animation.py` makes a moving one:
 *
 *     node web/tests/animation.mjs FOLDER
 *
 * PETARD names the engine; by default it is that of target/release.
 */

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./support/server.mjs";

const ENGINE =
  process.env.PETARD ?? fileURLToPath(new URL("../../target/release/petard", import.meta.url));
const MOVES = "b2b3.g7f6.g2f3.b7b6.f3g4.a8b7.a2a3.h8g7.b3c4.e7d6.h1g2.f6e5".split(".");
const DEPTH = 8;

const folder = process.argv[2] ?? "frames";
await mkdir(folder, { recursive: true });
const server = await serve(ENGINE);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
  timeout: 120_000,
});
const page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
page.setDefaultTimeout(120_000);
for (let played = 0; played <= MOVES.length; played++) {
  const moves = MOVES.slice(0, played).join(".");
  await page.goto("about:blank");
  await page.goto(`${server.address}#analyse?board=8x8${moves && `&moves=${moves}`}`);
  await page.waitForFunction(
    (depth) => Number(document.querySelector(".speed b")?.textContent) >= depth,
    DEPTH,
  );
  await page.screenshot({ path: `${folder}/${String(played).padStart(2, "0")}.png` });
}
await browser.close();
await server.close();
