/** The page with the engine inside in a second kind of browser. */

import assert from "node:assert/strict";
import test from "node:test";
import { click, mayMove, moves } from "../support/browser.mjs";
import { launchFirefox, noFirefox } from "../support/firefox.mjs";
import { serveFolder } from "../support/folder.mjs";

/** No answer takes this long, however busy the machine. */
const PATIENCE = 120_000;
const skip = noFirefox();

for (const isIsolated of [false, true])
  test(`Firefox: a game and an analysis on a host ${isIsolated ? "with" : "without"} isolation`, {
    skip,
  }, async () => {
    const server = await serveFolder("", 0, isIsolated);
    const browser = await launchFirefox(PATIENCE);
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      page.setDefaultTimeout(PATIENCE);
      /** @type {string[]} */
      const faults = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      await page.goto(server.address);
      await page.waitForSelector("body[data-ready]");
      assert.equal(await page.evaluate(() => crossOriginIsolated), isIsolated);
      // The person has White; the engine answers.
      await page.click('button:has-text("Start")');
      await mayMove(page);
      await click(page, "b2");
      await click(page, "b3");
      await moves(page, 2);
      const said = await page.evaluate(
        () =>
          /** @type {Promise<string[]>} */ (
            new Promise((resolve) => {
              const worker = new Worker("engine/worker.js");
              /** @type {string[]} */
              const lines = [];
              worker.onmessage = ({ data }) => {
                lines.push(String(data));
                if (String(data).startsWith("info depth 8 ")) worker.postMessage("stop");
                if (String(data).startsWith("info")) return;
                worker.terminate();
                resolve(lines);
              };
              worker.postMessage("position startpos\ngo infinite");
            })
          ),
      );
      assert.match(said.at(-1) ?? "", /^bestmove [a-h]2[a-h]3/);
      assert.deepEqual(faults, []);
    } finally {
      await browser.close();
      await server.close();
    }
  });
