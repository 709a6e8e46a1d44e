import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { runInNewContext } from "node:vm";
import { overWorker } from "../../js/engine/worker.js";

const SCOPE = "https://host/petard/";
const FILES = [
  "index.html",
  "engine/worker.js",
  "engine/petard.wasm",
  "engine/petard-threads.wasm",
];
/** A cache's name. @param {string} version @param {string} [scope] */
const cache = (version, scope = SCOPE) => `petard ${scope} ${version}`;
const TEXT = readFileSync(
  new URL("../../../bindings/wasm/page/offline-worker.js", import.meta.url),
  "utf8",
)
  .replace('"VERSION"', '"new"')
  .replace(
    '{ FILES: "" }',
    JSON.stringify(Object.fromEntries(FILES.map((name) => [name, `hash of ${name}`]))),
  );

/** A browser with these caches. @param {string[]} [caches] */
function browser(caches = []) {
  /** @type {Map<string, Set<string>>} */
  const stored = new Map(caches.map((name) => [name, new Set()]));
  class Request {
    constructor(/** @type {string} */ url, /** @type {any} */ { cache, integrity }) {
      Object.assign(this, { url: new URL(url, SCOPE).href, text: `${cache} ${integrity}` });
    }
  }
  const open = async (/** @type {string} */ name) => {
    const urls = stored.get(name) ?? new Set();
    stored.set(name, urls);
    return {
      addAll: async (/** @type {any[]} */ all) =>
        all.forEach(({ url, text }) => urls.add(`${url} ${text}`)),
      match: async (/** @type {string} */ url) =>
        [...urls].find((one) => one.startsWith(`${url} `)),
    };
  };
  const fetch = async (/** @type {any} */ { url, text }) => `fetched ${url} ${text}`;
  /** @type {Record<string, (event: any) => void>} */
  const listeners = {};
  const self = {
    location: { href: `${SCOPE}offline-worker.js?engine=petard.wasm` },
    registration: { scope: SCOPE },
    clients: { claim: () => undefined },
    addEventListener: (/** @type {string} */ name, /** @type {any} */ listener) =>
      (listeners[name] = listener),
  };
  runInNewContext(TEXT, {
    self,
    caches: {
      open,
      keys: async () => [...stored.keys()],
      delete: async (/** @type {string} */ name) => stored.delete(name),
    },
    Request,
    URL,
    fetch,
  });
  const tell = async (/** @type {string} */ name, /** @type {object} */ event = {}) => {
    /** @type {Promise<void>[]} */
    const work = [];
    listeners[name]({ ...event, waitUntil: (/** @type {Promise<void>} */ one) => work.push(one) });
    await Promise.all(work);
  };
  /**
   * What is answered to a page's request; undefined if it is left to the browser.
   * @param {string} name
   * @param {string} [mode]
   */
  const answer = async (name, mode = "no-cors") => {
    /** @type {any} */
    let given;
    listeners.fetch({
      request: { method: "GET", url: new URL(name, SCOPE).href, mode },
      respondWith: (/** @type {any} */ one) => (given = one),
    });
    return given;
  };
  return { stored, tell, answer };
}

/**
 * What is kept of a file: fetched anew, and only with this content.
 * @param {string} name
 * @param {string} [address]
 */
const own = (name, address = name) => `${SCOPE}${address} no-cache hash of ${name}`;

test("the page's files are kept, and the engine that the page names, all of this version", async () => {
  const it = browser();
  await it.tell("install");
  assert.deepEqual(
    [...(it.stored.get(cache("new")) ?? [])],
    [own("index.html", ""), own("engine/worker.js"), own("engine/petard.wasm")],
  );
  // An engine that is not kept must be of this version too.
  assert.equal(
    await it.answer("engine/petard-threads.wasm"),
    `fetched ${own("engine/petard-threads.wasm")}`,
  );
});

test("only petard's own page is opened from the cache, not others below its folder", async () => {
  const it = browser();
  await it.tell("install");
  for (const name of ["", "?x=1", "index.html"])
    assert.equal(await it.answer(name, "navigate"), own("index.html", ""), name);
  for (const name of ["other/", "blog/index.html", "engine/worker.js"])
    assert.equal(await it.answer(name, "navigate"), undefined, name);
  assert.equal(await it.answer("other/picture.svg"), undefined);
  assert.equal(await it.answer("engine/worker.js?x=1"), own("engine/worker.js"));
});

test("a new version deletes its own old caches, not those of another copy", async () => {
  const others = [cache("old", `${SCOPE}beta/`), cache("old", "https://host/"), "other"];
  const it = browser([cache("old"), ...others]);
  await it.tell("install");
  await it.tell("activate");
  assert.deepEqual([...it.stored.keys()], [...others, cache("new")]);
});

test("the module that is kept is the one that the engine's worker has taken", async () => {
  /** @type {(name: string) => void} */
  let taken = () => undefined;
  const kept = new Promise((resolve) => (taken = resolve));
  const root = {
    dataset: /** @type {Record<string, string>} */ ({}),
    setAttribute: () => undefined,
  };
  let look = () => undefined;
  const serviceWorker = {
    register: async (/** @type {URL} */ url) => taken(url.search),
    ready: Promise.resolve(),
  };
  Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
  Object.assign(globalThis, {
    document: { documentElement: root },
    MutationObserver: class {
      constructor(/** @type {any} */ tell) {
        look = tell;
      }
      observe() {}
    },
  });
  await import("../../../bindings/wasm/page/offline.js");
  /** @type {(event: {data: object}) => void} */
  let hear = () => undefined;
  Object.assign(globalThis, {
    Worker: class {
      addEventListener(/** @type {string} */ name, /** @type {any} */ listener) {
        if (name === "message") hear = listener;
      }
      postMessage() {}
    },
  });
  overWorker(
    new URL(SCOPE),
    () => undefined,
  )({ open: () => undefined, line: () => undefined, closed: () => undefined });
  hear({ data: { ready: true, module: "petard.wasm" } });
  look();
  assert.equal(await kept, "?engine=petard.wasm");
});
