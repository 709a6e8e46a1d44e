/**
 * How soon the page is ready, how large it is, and how soon the engine's first line is shown.
 *
 *     npm --prefix web/tests run bench
 *
 * The times depend on this machine and everything else that runs on it; the browser shares its
 * cores
 * with the engine. Nothing is asserted about them here.
 */

import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { ROOT, serve } from "../support/server.mjs";

const ENGINE = process.env.PETARD ?? fileURLToPath(new URL("target/release/petard", ROOT));
const LOADS = 10;
const CLICKS = 40;
const LINK = "#analyse?board=8x8&moves=b2b3.g7f6.g2f3.b7b6.f3g4.a8b7.a2a3.h8g7.b3c4.e7d6";

/** @param {string} what @param {number[]} times milliseconds */
function tell(what, times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(0);
  console.log(
    `${what}: median ${at(0.5)} ms, 90% within ${at(0.9)} ms, longest ${at(1)} ms (${sorted.length} times)`,
  );
}

const server = await serve(ENGINE);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
console.log(`load before: ${loadavg()[0].toFixed(2)}`);

/** Milliseconds until the page is ready, each time in a browser that has not seen it. */
const ready = [];
let files = 0;
let bytes = 0;
for (let load = 0; load < LOADS; load++) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  files = 0;
  bytes = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => {
    files += 1;
    bytes += encodedDataLength;
  });
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
  ready.push(await page.evaluate(() => performance.now()));
  await context.close();
}
console.log(`the page: ${files} files, ${Math.round(bytes)} bytes as sent, compressed`);
tell("from the request to a page that is ready", ready);

const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
await page.goto(server.address + LINK);
await page.waitForSelector(".lines li");
/**
 * Milliseconds from the click on a move of the game to the first line for the position after it.
 */
const first = [];
for (let count = 0; count < CLICKS; count++) {
  const wait = page.evaluate(
    () =>
      new Promise((resolve) => {
        const list = /** @type {Element} */ (document.querySelector(".lines"));
        let begun = 0;
        let cleared = false;
        addEventListener("click", (event) => (begun = event.timeStamp), {
          capture: true,
          once: true,
        });
        const seen = new MutationObserver(() => {
          if (!begun) return;
          if (!list.children.length) cleared = true;
          else if (cleared) {
            seen.disconnect();
            resolve(performance.now() - begun);
          }
        });
        seen.observe(list, { childList: true });
      }),
  );
  const moves = page.locator(".side .moves > .move");
  await moves.nth((count * 3) % (await moves.count())).click();
  first.push(/** @type {number} */ (await wait));
  // The engine is well into a search at the next click.
  await page.waitForFunction(() => Number(document.querySelector(".speed b")?.textContent) >= 8);
}
tell("from a click to the engine's first line on the page", first);

await browser.close();
await server.close();
