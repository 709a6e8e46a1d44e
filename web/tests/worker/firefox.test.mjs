/** The page with the engine inside in a second kind of browser. */

import assert from "node:assert/strict";
import test from "node:test";
import { noFirefox, openFirefox } from "../support/firefox.mjs";
import { serveFolder } from "../support/folder.mjs";

const skip = noFirefox();

for (const isIsolated of [false, true])
  test(`Firefox: a game and an analysis on a host ${isIsolated ? "with" : "without"} isolation`, {
    skip,
  }, async () => {
    const server = await serveFolder("", 0, isIsolated);
    const page = await openFirefox();
    try {
      await page.goto(server.address);
      await page.waitFor("document.querySelector('body[data-ready]')");
      assert.equal(await page.evaluate("crossOriginIsolated"), isIsolated);
      // The person has White; the engine answers.
      await page.evaluate(
        "[...document.querySelectorAll('button')].find((one) => one.textContent.includes('Start')).click()",
      );
      await page.waitFor("document.querySelector('.board:not(.ahead) .pieces.movable')");
      await page.click('.stage [data-square="b2"]');
      await page.click('.stage [data-square="b3"]');
      await page.waitFor("document.querySelectorAll('.side .moves > .move').length === 2");
      const said = await page.evaluate(`new Promise((resolve) => {
      const worker = new Worker("engine/worker.js");
      const lines = [];
      worker.onmessage = ({ data }) => {
        lines.push(data);
        if (String(data).startsWith("info depth 8 ")) worker.postMessage("stop");
        if (!String(data).startsWith("info")) worker.terminate(), resolve(lines);
      };
      worker.postMessage("position startpos\\ngo infinite");
    })`);
      assert.match(said.at(-1), /^bestmove [a-h]2[a-h]3/);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.close();
      await server.close();
    }
  });
