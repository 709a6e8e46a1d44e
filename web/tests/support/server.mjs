/** `petard serve` for the tests, and whether the page in it is the one in this folder. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { serveFiles } from "./folder.mjs";

export const ROOT = new URL("../../", import.meta.url);

/**
 * @param {string} engine path of the binary
 * @param {number} [port] 0 for any
 */
export async function serve(engine, port = 0) {
  const child = spawn(engine, ["serve", "--port", String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const address = /http:\S+/.exec(line)?.[0];
  assert.ok(address, `an address in '${line}'`);
  return {
    port: Number(new URL(address).port),
    address,
    async close() {
      const end = once(child, "exit");
      child.kill();
      await end;
    },
  };
}

/**
 * The page of this folder before the engine of a binary, whatever page is in that.
 * @param {string} engine path of the binary
 * @param {number} [port] 0 for any
 */
export async function serveBefore(engine, port = 0) {
  const behind = await serve(engine);
  const page = await serveFiles(fileURLToPath(ROOT), { port });
  page.server.on("upgrade", (request, socket) => {
    const other = connect(behind.port, "127.0.0.1", () => {
      // The engine's server is strict about who is asked, and by whom.
      const own = { host: `127.0.0.1:${behind.port}`, origin: new URL(behind.address).origin };
      const headers = Object.entries({ ...request.headers, ...own });
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
      other.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
      other.pipe(socket).pipe(other);
    });
    for (const [one, its] of [
      [socket, other],
      [other, socket],
    ])
      one.on("error", () => its.destroy()).on("close", () => its.destroy());
  });
  return {
    port: page.port,
    address: page.address,
    async close() {
      await behind.close();
      await page.close();
    },
  };
}

/**
 * The page is part of the binary: one that was built earlier has an older page.
 * @param {string} address
 */
export async function isCurrent(address) {
  const names = ["index.html", "icon.svg"];
  for (const folder of ["js", "css", "data"]) {
    for (const entry of await readdir(new URL(folder, ROOT), {
      recursive: true,
      withFileTypes: true,
    })) {
      if (entry.isFile())
        names.push(`${entry.parentPath}/${entry.name}`.slice(ROOT.pathname.length));
    }
  }
  // One after the other, over one connection: the server's connections are limited, and the browser
  // needs some.
  for (const name of names) {
    const [served, own] = await Promise.all([
      fetch(new URL(name, address)).then((answer) => answer.text()),
      readFile(new URL(name, ROOT), "utf8"),
    ]);
    assert.ok(
      served === own,
      `${name} has changed since the engine was built: cargo build --release`,
    );
  }
}
