/**
 * Debian's WebKit (`webkit2gtk-driver`), driven by WebDriver (https://w3c.github.io/webdriver) on a
 * display of its own: only what the tests need of it.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const DRIVER = process.env.WEBKIT ?? "/usr/bin/WebKitWebDriver";
const DISPLAY = "/usr/bin/Xvfb";
/** No answer takes this long, however busy the machine. */
const PATIENCE = Number(process.env.PATIENCE ?? 120_000);
/** What an answer calls an element by. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const DOWN = { type: "pointerDown", button: 0 };
const UP = { type: "pointerUp", button: 0 };
/** Goes before every question, and so comes before most of the page's own scripts. */
const WATCH = `
  if (!window.petardFaults) {
    const faults = (window.petardFaults = []);
    const { error } = console;
    console.error = (...words) => (faults.push(words.join(" ")), error.apply(console, words));
    addEventListener("error", (event) => faults.push(event.message || "a file does not load"), true);
    addEventListener("unhandledrejection", (event) => faults.push(String(event.reason)));
  }`;

/** Why there is no WebKit to test with; false if there is one. */
export function noWebKit() {
  for (const [path, name] of [
    [DRIVER, "webkit2gtk-driver"],
    [DISPLAY, "xvfb"],
  ])
    if (!existsSync(path)) return `there is no ${path} here (Debian's ${name})`;
  return false;
}

/** A port that nothing listens on. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** The driver and its display, for all browsers of a file. */
export async function startWebKit() {
  const screen = spawn(
    DISPLAY,
    ["-displayfd", "3", "-screen", "0", "1400x1200x24", "-nolisten", "tcp"],
    { stdio: ["ignore", "ignore", "ignore", "pipe"] },
  );
  const numbers = createInterface({
    input: /** @type {import("node:stream").Readable} */ (screen.stdio[3]),
  });
  const [display] = await once(numbers, "line");
  const port = await freePort();
  // A group, so that browsers end with it.
  const driver = spawn(DRIVER, [`--port=${port}`], {
    stdio: "ignore",
    detached: true,
    env: { ...process.env, DISPLAY: `:${display}`, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1" },
  });
  const end = () => {
    process.off("exit", end);
    process.kill(-(/** @type {number} */ (driver.pid)));
    screen.kill();
  };
  process.on("exit", end);
  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
  async function ask(method, path, body) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
    const { value } = /** @type {any} */ (await answer.json());
    if (!answer.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }
  await until(
    () =>
      ask("GET", "/status").then(
        ({ ready }) => ready,
        () => false,
      ),
    "a driver",
  );
  return {
    /** A browser that nobody has used. @param {{width?: number, height?: number, dark?: boolean}} [how] */
    open: (how) => openBrowser(ask, how),
    async close() {
      const ended = Promise.all([driver, screen].map((child) => once(child, "exit")));
      end();
      await ended;
    },
  };
}

/**
 * @param {() => Promise<unknown>} isSo
 * @param {string} what
 * @param {() => string} [why]
 */
async function until(isSo, what, why = () => "") {
  const end = Date.now() + PATIENCE;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`never: ${what} ${why()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** In the page: the first element of a selector that is seen and has these words. */
const FIND = `(selector, words) => [...document.querySelectorAll(selector)].find((one) =>
  one.checkVisibility({ visibilityProperty: true }) && one.textContent.includes(words))`;

/**
 * @param {(method: string, path: string, body?: object) => Promise<any>} ask
 * @param {{width?: number, height?: number, dark?: boolean}} [how]
 */
async function openBrowser(ask, { width = 1280, height = 800, dark = false } = {}) {
  const { sessionId } = await ask("POST", "/session", {
    capabilities: {
      alwaysMatch: {
        pageLoadStrategy: "none",
        "webkitgtk:browserOptions": {
          args: [
            "--automation",
            "--javascript-can-open-windows-automatically=true",
            ...(dark ? ["--dark-mode"] : []),
          ],
        },
      },
    },
  });
  const session = `/session/${sessionId}`;
  /** What went wrong in the page. @type {string[]} */
  const faults = [];

  /**
   * The value of a function in the page.
   * @param {((...given: any[]) => any) | string} what
   * @param {any[]} given
   */
  async function evaluate(what, ...given) {
    const { value, wrong } = await ask("POST", `${session}/execute/sync`, {
      script: `${WATCH}
        return { value: (${what})(...arguments), wrong: window.petardFaults.splice(0) };`,
      args: given,
    });
    faults.push(...wrong);
    return value;
  }
  /** Waits until a function in the page is true. @param {((...given: any[]) => any) | string} what @param {any[]} given */
  const waitFor = (what, ...given) =>
    until(
      () =>
        evaluate(what, ...given).catch((error) => {
          // Another page comes.
          if (!/unload/.test(error.message)) throw error;
        }),
      `${what} ${given}`,
      () => faults.join("; "),
    );
  const isSeen = (/** @type {string} */ selector, /** @type {string} */ words) =>
    waitFor(`(...given) => Boolean((${FIND})(...given))`, selector, words);
  /** @param {string} selector @param {string} words */
  async function find(selector, words) {
    await isSeen(selector, words);
    return (await evaluate(FIND, selector, words))[ELEMENT];
  }
  /** @param {object} device */
  const act = (device) => ask("POST", `${session}/actions`, { actions: [device] });
  /** @param {object[]} actions */
  const point = (...actions) => act({ type: "pointer", id: "mouse", actions });
  /** Moves to the middle of an element. @param {string} selector */
  async function to(selector) {
    await waitFor((wanted) => Boolean(document.querySelector(wanted)), selector);
    const [x, y] = await evaluate((wanted) => {
      const box = document.querySelector(wanted).getBoundingClientRect();
      return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
    }, selector);
    return { type: "pointerMove", x, y };
  }

  // A window without tools of its own can be as narrow as a phone's.
  const windows = () => ask("GET", `${session}/window/handles`);
  const [first] = await windows();
  await evaluate(
    (size) => void open("about:blank", "page", `popup,${size}`),
    `width=${width},height=${height}`,
  );
  await until(async () => (await windows()).length > 1, "a window");
  const handle = (await windows()).find((/** @type {string} */ one) => one !== first);
  await ask("POST", `${session}/window`, { handle });
  await ask("POST", `${session}/window/rect`, { x: 0, y: 0, width, height });
  await waitFor((...size) => innerWidth === size[0] && innerHeight === size[1], width, height);

  return {
    faults,
    evaluate,
    waitFor,
    /** @param {string} url */
    async goto(url) {
      // An address that differs in what follows # alone would not be loaded anew.
      await ask("POST", `${session}/url`, { url: "about:blank" });
      await waitFor(() => document.URL === "about:blank");
      await ask("POST", `${session}/url`, { url });
      await waitFor(() => document.body?.matches("[data-ready]"));
    },
    async reload() {
      await evaluate(() => document.body.removeAttribute("data-ready"));
      await ask("POST", `${session}/refresh`, {});
      await waitFor(() => document.body?.matches("[data-ready]"));
    },
    /** Waits until an element with these words is seen. @param {string} selector @param {string} [words] */
    see: (selector, words = "") => isSeen(selector, words),
    /** The words of an element that is seen. @param {string} selector */
    async text(selector) {
      await isSeen(selector, "");
      return evaluate(`(...given) => (${FIND})(...given).textContent`, selector, "");
    },
    /** Clicks an element that is seen. @param {string} selector @param {string} [words] that are in it */
    async click(selector, words = "") {
      await ask("POST", `${session}/element/${await find(selector, words)}/click`, {});
    },
    /** Writes into a field. @param {string} selector @param {string} text */
    async fill(selector, text) {
      const field = `${session}/element/${await find(selector, "")}`;
      await ask("POST", `${field}/clear`, {});
      await ask("POST", `${field}/value`, { text });
    },
    /** Presses keys, one after the other. @param {string} keys @param {string} [held] that is held meanwhile */
    press: (keys, held = "") =>
      act({
        type: "key",
        id: "keys",
        actions: [
          ...[...held].map((value) => ({ type: "keyDown", value })),
          ...[...keys].flatMap((value) => ["keyDown", "keyUp"].map((type) => ({ type, value }))),
          ...[...held].map((value) => ({ type: "keyUp", value })),
        ],
      }),
    /** Clicks what lies where an element's middle is. @param {string} selector */
    clickAt: async (selector) => point(await to(selector), DOWN, UP),
    /** Presses where an element's middle is, until `release`. @param {string} selector */
    hold: async (selector) => point(await to(selector), DOWN),
    release: () => point(UP),
    /** Drags from one element to another. @param {string} from @param {string} goal */
    drag: async (from, goal) => point(await to(from), DOWN, await to(goal), UP),
    close: () => ask("DELETE", session),
  };
}
