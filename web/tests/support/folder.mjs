/** The page as plain files (`bindings/wasm`), served from a folder below a host's root. */

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../../target/page/", import.meta.url));
const BELOW = "/some/folder/";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json" };
/** What a careful host sends. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'";
const ISOLATION = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Resource-Policy": "same-origin" };

/**
 * @param {string} _engine none is needed
 * @param {number} [port] 0 for any
 * @param {boolean} [isIsolated] whether pages may share memory with their workers
 */
export async function serveFolder(_engine, port = 0, isIsolated = process.env.PETARD_ISOLATED === "1") {
  if (!existsSync(`${PAGE}index.html`)) throw new Error(`There is no page in ${PAGE}: build it in bindings/wasm.`);
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const name = path === BELOW ? "index.html" : path.slice(BELOW.length);
    const file = PAGE + name;
    if (!path.startsWith(BELOW) || name.includes("..") || !existsSync(file)) return response.writeHead(404).end();
    const type = /** @type {Record<string, string>} */ (TYPES)[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": POLICY, "Cache-Control": "no-cache", ...(isIsolated ? ISOLATION : {}) });
    createReadStream(file).pipe(response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    port: address.port,
    address: `http://127.0.0.1:${address.port}${BELOW}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
