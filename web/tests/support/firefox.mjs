/**
 * Debian's Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi), which it
 * speaks
 * itself: only what the tests need of it.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import WebSocket from "ws";

const FIREFOX = process.env.FIREFOX ?? "firefox-esr";
/** No answer takes this long, however busy the machine. */
const PATIENCE = 120_000;
/** No network requests but those of the tests. */
const QUIET = [
  "app.normandy.enabled",
  "app.update.enabled",
  "browser.safebrowsing.downloads.enabled",
  "browser.safebrowsing.malware.enabled",
  "browser.safebrowsing.phishing.enabled",
  "datareporting.policy.dataSubmissionEnabled",
  "network.captive-portal-service.enabled",
  "network.connectivity-service.enabled",
  "toolkit.telemetry.enabled",
];

/** Why there is no Firefox to test with; false if there is one. */
export function noFirefox() {
  const { status } = spawnSync(FIREFOX, ["--version"], { stdio: "ignore" });
  return status === 0 ? false : `there is no ${FIREFOX} here`;
}

/** A browser with an empty profile. */
export async function openFirefox() {
  const profile = mkdtempSync(join(tmpdir(), "petard-firefox-"));
  writeFileSync(
    join(profile, "user.js"),
    QUIET.map((name) => `user_pref("${name}", false);\n`).join(""),
  );
  const child = spawn(
    FIREFOX,
    ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0", "about:blank"],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = once(child, "exit");
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
    ended.then(() => reject(new Error("Firefox has ended")));
    setTimeout(() => reject(new Error("Firefox does not open its connection")), PATIENCE).unref();
  });
  const socket = new WebSocket(`${address}/session`);
  await once(socket, "open");
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  const asked = new Map();
  /** What went wrong in pages. @type {string[]} */
  const faults = [];
  socket.on("message", (data) => {
    const { id, type, method, params, result, error, message } = JSON.parse(String(data));
    if (method === "log.entryAdded" && params.level === "error") faults.push(params.text);
    const one = asked.get(id);
    asked.delete(id);
    if (type === "error") one?.reject(new Error(`${error}: ${message}`));
    else one?.resolve(result);
  });
  let last = 0;
  /** @param {string} method @param {object} params @returns {Promise<any>} */
  const send = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const late = setTimeout(
        () =>
          reject(
            new Error(`no answer to ${method} ${JSON.stringify(params)}; ${faults.join("; ")}`),
          ),
        PATIENCE,
      );
      const settled =
        (/** @type {(result: any) => void} */ settle) => (/** @type {any} */ result) => (
          clearTimeout(late), settle(result)
        );
      asked.set(id, { resolve: settled(resolve), reject: settled(reject) });
      socket.send(JSON.stringify({ id, method, params }));
    });
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  const { contexts } = await send("browsingContext.getTree", {});
  const context = contexts[0].context;

  /** The value of an expression in a page; a promise is awaited. @param {string} expression */
  async function evaluate(expression) {
    const { result, exceptionDetails } = await send("script.evaluate", {
      expression: `Promise.resolve(${expression}).then(JSON.stringify)`,
      target: { context },
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.type === "string" ? JSON.parse(result.value) : undefined;
  }
  return {
    faults,
    evaluate,
    /** @param {string} url */
    goto: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
    /** Waits until an expression in the page is true. @param {string} expression */
    async waitFor(expression) {
      const end = Date.now() + PATIENCE;
      while (!(await evaluate(`Boolean(${expression})`))) {
        if (Date.now() > end) throw new Error(`never true: ${expression}; ${faults.join("; ")}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    /** Clicks the middle of an element. @param {string} selector */
    async click(selector) {
      const [x, y] = await evaluate(
        `(() => { const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()`,
      );
      const actions = [
        { type: "pointerMove", x: Math.round(x), y: Math.round(y) },
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
      ];
      await send("input.performActions", {
        context,
        actions: [{ type: "pointer", id: "mouse", actions }],
      });
    },
    /** A picture of what is seen. @param {string} path */
    async picture(path) {
      const { data } = await send("browsingContext.captureScreenshot", { context });
      writeFileSync(path, data, "base64");
    },
    async close() {
      child.kill();
      await ended;
      socket.terminate();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
