/**
 * A stand-in for `petard serve`: the page's files, and a process of the engine for each
 * WebSocket. It is for the tests alone and asks nothing of who comes.
 */

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml" };
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * @param {string} engine path of the binary
 * @param {number} [port] 0 for any
 */
export async function serve(engine, port = 0) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://x").pathname).replace(/^\/$/, "/index.html");
    const allowed = /^\/(index\.html|icon\.svg|(css|js|data)\/[\w/.-]+)$/.test(path);
    try {
      if (!allowed) throw new Error("no such file");
      const body = await readFile(join(ROOT, path));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain", "content-security-policy": POLICY, "x-content-type-options": "nosniff" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  const sockets = new WebSocketServer({ server, path: "/engine", maxPayload: 1 << 20 });
  const children = new Set();
  sockets.on("connection", (socket) => {
    const child = spawn(engine, { stdio: ["pipe", "pipe", "ignore"] });
    children.add(child);
    createInterface({ input: child.stdout }).on("line", (line) => socket.send(line));
    socket.on("message", (text) => child.stdin.write(`${text}\n`));
    socket.on("close", () => child.kill());
    child.stdin.on("error", () => undefined);
    child.on("exit", () => {
      children.delete(child);
      socket.close();
    });
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    port: address.port,
    address: `http://127.0.0.1:${address.port}/`,
    async close() {
      for (const child of children) child.kill();
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address } = await serve(process.argv[2] ?? "petard", Number(process.argv[3] ?? 8321));
  console.log(address);
}
