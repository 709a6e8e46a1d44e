import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { runInNewContext } from "node:vm";

const SCOPE = "https://host/petard/";
/** A cache's name. @param {string} version @param {string} [scope] */
const cache = (version, scope = SCOPE) => `petard ${scope} ${version}`;
const TEXT = readFileSync(new URL("../../../bindings/wasm/page/offline-worker.js", import.meta.url), "utf8").replace('"VERSION"', '"new"').replace('["FILES"]', '["index.html", "engine/worker.js"]');

/** A browser with caches. @param {Record<string, string[]>} old @param {Record<string, number>} [faults] statuses by address */
function browser(old, faults = {}) {
  const stored = new Map(Object.entries(old).map(([name, urls]) => [name, new Set(urls)]));
  /** What was fetched, and how. @type {string[]} */
  const fetched = [];
  class Request {
    constructor(/** @type {string} */ url, /** @type {any} */ how) {
      Object.assign(this, { url: new URL(url, SCOPE).href, cache: how.cache });
    }
  }
  const open = async (/** @type {string} */ name) => {
    const urls = stored.get(name) ?? new Set();
    stored.set(name, urls);
    const add = async (/** @type {any} */ one) => {
      fetched.push(`${one.cache} ${one.url}`);
      urls.add(one.url);
    };
    return { add, addAll: async (/** @type {any[]} */ all) => void all.forEach(add), keys: async () => [...urls].map((url) => ({ url })), put: async (/** @type {string} */ url) => void urls.add(url), match: async (/** @type {string} */ url) => (urls.has(url) ? `kept ${url}` : undefined) };
  };
  const fetch = async (/** @type {string} */ url, /** @type {any} */ { cache }) => {
    fetched.push(`${cache} ${url}`);
    return { status: faults[url] ?? 200, ok: !faults[url] };
  };
  /** @type {Record<string, (event: any) => void>} */
  const listeners = {};
  const self = { registration: { scope: SCOPE }, clients: { claim: () => undefined }, addEventListener: (/** @type {string} */ name, /** @type {any} */ listener) => (listeners[name] = listener) };
  runInNewContext(TEXT, { self, caches: { open, keys: async () => [...stored.keys()], delete: async (/** @type {string} */ name) => stored.delete(name) }, Request, fetch, Error, Set, Promise });
  const tell = async (/** @type {string} */ name, /** @type {object} */ event = {}) => {
    /** @type {Promise<void>[]} */
    const work = [];
    listeners[name]({ ...event, waitUntil: (/** @type {Promise<void>} */ one) => work.push(one) });
    await Promise.all(work);
  };
  /** What is answered to a page's request; undefined if it is left to the browser. @param {string} name @param {string} [mode] */
  const answer = async (name, mode = "no-cors") => {
    /** @type {any} */
    let given;
    listeners.fetch({ request: { method: "GET", url: new URL(name, SCOPE).href, mode }, respondWith: (/** @type {any} */ one) => (given = one) });
    return given;
  };
  return { stored, fetched, tell, answer };
}

const [SINGLE, THREADS] = ["petard.wasm", "petard-threads.wasm"].map((name) => `${SCOPE}engine/${name}`);

test("a new version brings the engine that the old one keeps, fetched anew", async () => {
  const it = browser({ [cache("old")]: [SCOPE, SINGLE], [cache("older")]: [THREADS], other: [`${SCOPE}x.wasm`] }, { [THREADS]: 404 });
  await it.tell("install");
  assert.deepEqual([...(it.stored.get(cache("new")) ?? [])], [SCOPE, `${SCOPE}engine/worker.js`, SINGLE]);
  assert.ok(it.fetched.every((one) => one.startsWith("no-cache ")));
  await assert.rejects(browser({ [cache("old")]: [SINGLE] }, { [SINGLE]: 503 }).tell("install"));
});

test("the engine that a page names is not taken from the browser's own cache", async () => {
  const it = browser({});
  await it.tell("message", { data: { keep: SINGLE }, ports: [] });
  assert.deepEqual(it.fetched, [`no-cache ${SINGLE}`]);
});

test("only petard's own page is opened from the cache, not others below its folder", async () => {
  const it = browser({});
  await it.tell("install");
  for (const name of ["", "?x=1", "index.html"]) assert.equal(await it.answer(name, "navigate"), `kept ${SCOPE}`, name);
  for (const name of ["other/", "blog/index.html", "engine/worker.js"]) assert.equal(await it.answer(name, "navigate"), undefined, name);
  assert.equal(await it.answer("engine/worker.js?x=1"), `kept ${SCOPE}engine/worker.js`);
});

test("a new version deletes its own old caches, not those of another copy", async () => {
  const others = [cache("old", `${SCOPE}beta/`), cache("old", "https://host/"), "other"];
  const it = browser(Object.fromEntries([cache("old"), ...others].map((name) => [name, []])));
  await it.tell("install");
  await it.tell("activate");
  assert.deepEqual([...it.stored.keys()], [...others, cache("new")]);
});
