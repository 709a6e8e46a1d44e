/**
 * Plain files on a web server: the page without a server (`bindings/wasm`), and whatever else is
 * tried in a browser.
 */

import { once } from "node:events";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../../target/page/", import.meta.url));
const BELOW = "/some/folder/";
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".csv": "text/csv",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};
/** The policy that a careful host sends. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
  "img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; " +
  "manifest-src 'self'";
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/**
 * Serves a folder's files on this machine.
 * @param {string} folder
 * @param {object} [how]
 * @param {string} [how.below] the folder's path, with a slash at both ends
 * @param {number} [how.port] 0 for any
 * @param {boolean} [how.isIsolated] whether pages may share memory with their workers
 * @param {Record<string, string>} [how.headers] sent with every file in addition
 */
export async function serveFiles(
  folder,
  { below = "/", port = 0, isIsolated = false, headers = {} } = {},
) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname);
    const name = path.slice(below.length);
    const file = join(folder, name.endsWith("/") || !name ? `${name}index.html` : name);
    if (
      !path.startsWith(below) ||
      name.includes("..") ||
      !existsSync(file) ||
      !statSync(file).isFile()
    )
      return response.writeHead(404).end();
    const type =
      /** @type {Record<string, string>} */ (TYPES)[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, {
      "Content-Type": type,
      "Cache-Control": "no-cache",
      ...headers,
      ...(isIsolated ? ISOLATION : {}),
    });
    createReadStream(file).pipe(response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    server,
    port: address.port,
    address: `http://127.0.0.1:${address.port}${below}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/**
 * Serves the page with the engine inside, from a folder below a host's root.
 * @param {string} _engine none is needed
 * @param {number} [port] 0 for any
 * @param {boolean} [isIsolated] whether pages may share memory with their workers
 */
export async function serveFolder(
  _engine,
  port = 0,
  isIsolated = process.env.PETARD_ISOLATED === "1",
) {
  if (!existsSync(`${PAGE}index.html`))
    throw new Error(`There is no page in ${PAGE}: build it in bindings/wasm.`);
  return serveFiles(PAGE, {
    below: BELOW,
    port,
    isIsolated,
    headers: { "Content-Security-Policy": POLICY },
  });
}
