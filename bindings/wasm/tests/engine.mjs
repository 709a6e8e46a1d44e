/** An engine in a Node worker, driven by lines. */

import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { ENGINE } from "../build.mjs";
import { EngineWorker } from "./node-worker.mjs";

/** No answer takes this long, however busy the machine. */
const PATIENCE = 120_000;

/** @param {{isIsolated: boolean, files?: object}} how `files` are modules to use instead of those that were built */
export function openEngine({ isIsolated, files }) {
  const worker = new EngineWorker(pathToFileURL(`${ENGINE}worker.js`).href, { isIsolated });
  if (files) worker.postMessage({ files });
  /** @type {string[]} */
  const lines = [];
  /** @type {(() => void)[]} */
  let waiting = [];
  worker.onmessage = ({ data }) => {
    lines.push(typeof data === "string" ? data : JSON.stringify(data));
    const all = waiting;
    waiting = [];
    for (const wake of all) wake();
  };
  let taken = 0;
  const exit = once(worker.thread, "exit");
  const engine = {
    /** All that it has said. */
    lines,
    /** @param {string} line */
    send: (line) => worker.postMessage(line),
    /** What it says up to and including a line that begins like this. @param {string} start @returns {Promise<string[]>} */
    async until(start) {
      const end = Date.now() + PATIENCE;
      for (;;) {
        const at = lines.findIndex((line, index) => index >= taken && line.startsWith(start));
        if (at >= 0) {
          const found = lines.slice(taken, at + 1);
          taken = at + 1;
          return found;
        }
        if (Date.now() > end) throw new Error(`no '${start}' after ${lines.slice(taken).join(" | ")}`);
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, 1000);
          waiting.push(() => (clearTimeout(timer), resolve(undefined)));
        });
      }
    },
    /** @param {string} line @param {string} start */
    ask(line, start) {
      engine.send(line);
      return engine.until(start);
    },
    /** Waits until it has ended by itself. */
    ended: () => Promise.race([exit, new Promise((_, reject) => setTimeout(reject, PATIENCE, new Error("it does not end")).unref())]),
    close: () => worker.terminate(),
  };
  return engine;
}
