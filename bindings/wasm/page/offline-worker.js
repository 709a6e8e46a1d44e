/**
 * Caches the page's files, so that it opens offline. A new version is fetched beside the old one, and
 * replaces it once the page has been closed everywhere: files of two versions are never mixed. The
 * build writes its version and the files' names here.
 */

const CACHE = `petard ${"VERSION"}`;
const FILES = ["FILES"];

self.addEventListener("install", (event) => {
  const fresh = FILES.map((name) => new Request(name === "index.html" ? "./" : name, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  const others = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith("petard ") && name !== CACHE).map((name) => caches.delete(name)));
  };
  event.waitUntil(others().then(() => self.clients.claim()));
});

/** The page says which engine this browser uses: it may have loaded it before this worker existed. */
self.addEventListener("message", (event) => {
  const { keep } = event.data;
  const add = async () => {
    const cache = await caches.open(CACHE);
    if (!(await cache.match(keep))) await cache.add(keep);
    event.ports[0]?.postMessage("kept");
  };
  event.waitUntil(add());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  const address = request.mode === "navigate" ? self.registration.scope : request.url;
  event.respondWith(caches.open(CACHE).then(async (cache) => (await cache.match(address, { ignoreSearch: true })) ?? fetch(request)));
});
