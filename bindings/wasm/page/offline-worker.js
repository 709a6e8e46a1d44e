/**
 * Caches the page's files, so that it opens offline. A new version is fetched beside the old one, and
 * replaces it once the page has been closed everywhere: files of two versions are never mixed. The
 * build writes its version and the files' names here.
 */

/** What this copy's caches begin with: an origin's pages share its caches, and it may have several copies. */
const OWN = `petard ${self.registration.scope} `;
const CACHE = `${OWN}${"VERSION"}`;
const FILES = ["FILES"];

self.addEventListener("install", (event) => {
  const fresh = FILES.map((name) => new Request(name === "index.html" ? "./" : name, { cache: "no-cache" }));
  const install = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(fresh);
    for (const address of await enginesInUse()) {
      const answer = await fetch(address, { cache: "no-cache" });
      if (answer.ok) await cache.put(address, answer);
      // A module that this version no longer has is not needed; any other fault puts the installation off.
      else if (answer.status !== 404) throw new Error(`${address}: ${answer.status}`);
    }
  };
  event.waitUntil(install());
});

/** The engines that older versions keep: the new one needs the same, and may not hear from a page before it is offline. */
async function enginesInUse() {
  const names = (await caches.keys()).filter((name) => name.startsWith(OWN) && name !== CACHE);
  const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return new Set(kept.flat().map(({ url }) => url).filter((url) => url.endsWith(".wasm")));
}

self.addEventListener("activate", (event) => {
  const others = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(OWN) && name !== CACHE).map((name) => caches.delete(name)));
  };
  event.waitUntil(others().then(() => self.clients.claim()));
});

/** The page says which engine this browser uses: it may have loaded it before this worker existed. */
self.addEventListener("message", (event) => {
  const { keep } = event.data;
  const add = async () => {
    const cache = await caches.open(CACHE);
    if (!(await cache.match(keep))) await cache.add(new Request(keep, { cache: "no-cache" }));
    event.ports[0]?.postMessage("kept");
  };
  event.waitUntil(add());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { scope } = self.registration;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const [address] = request.url.split(/[?#]/);
  const isPage = address === scope || address === `${scope}index.html`;
  // Other pages below this folder are not petard's: at a host's root those are all its pages.
  if (request.mode === "navigate" && !isPage) return;
  event.respondWith(caches.open(CACHE).then(async (cache) => (await cache.match(isPage ? scope : address)) ?? fetch(request)));
});
