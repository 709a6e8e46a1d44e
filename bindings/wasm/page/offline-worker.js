/**
 * Caches the page's files, so that it opens offline: all but the modules of the engine, and the one of
 * these that this browser uses, which the page names in this script's address. A new version is fetched
 * beside the old one, and replaces it once the page has been closed everywhere. The build writes its
 * version and the files' names and hashes here: what has another hash is of another version and is
 * refused, so files of two versions are never mixed.
 */

/** What this copy's caches begin with: an origin's pages share its caches, and it may have several copies. */
const OWN = `petard ${self.registration.scope} `;
const CACHE = `${OWN}${"VERSION"}`;
/** Hashes by name. @type {Record<string, string>} */
const FILES = { FILES: "" };
const MODULE = /\.wasm$/;

/** @param {string} name */
const ofThisVersion = (name) => new Request(name === "index.html" ? "./" : name, { cache: "no-cache", integrity: FILES[name] });

self.addEventListener("install", (event) => {
  const engine = `engine/${new URL(self.location.href).searchParams.get("engine")}`;
  const needed = Object.keys(FILES).filter((name) => !MODULE.test(name) || name === engine);
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(needed.map(ofThisVersion))));
});

self.addEventListener("activate", (event) => {
  const others = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(OWN) && name !== CACHE).map((name) => caches.delete(name)));
  };
  event.waitUntil(others().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { scope } = self.registration;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const [address] = request.url.split(/[?#]/);
  const name = address.slice(scope.length) || "index.html";
  // Other pages below this folder are not petard's: at a host's root those are all its pages.
  if (!Object.hasOwn(FILES, name) || (request.mode === "navigate" && name !== "index.html")) return;
  const answer = async () => {
    const kept = await (await caches.open(CACHE)).match(name === "index.html" ? scope : address);
    return kept ?? fetch(MODULE.test(name) ? ofThisVersion(name) : request);
  };
  event.respondWith(answer());
});
