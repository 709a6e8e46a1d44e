/**
 * The engine's worker in Node: the few parts of a browser's worker that `js/worker.js` uses, on a
 * Node thread. Both sides of it: the class `EngineWorker` for the main thread, and what the thread
 * runs.
 */

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker as Thread, workerData } from "node:worker_threads";

/** A worker as a page has it. */
export class EngineWorker {
  /**
   * @param {string} href address of the script
   * @param {{name?: string, isIsolated?: boolean}} [how]
   */
  constructor(href, { name = "", isIsolated = workerData?.isIsolated ?? false } = {}) {
    this.thread = new Thread(new URL(import.meta.url), { workerData: { href, name, isIsolated } });
    this.thread.on("message", (data) => this.onmessage?.({ data }));
    this.thread.on("error", (error) => this.onerror?.({ message: error.message }));
    /** @type {((event: {data: any}) => void) | null} */
    this.onmessage = null;
    /** @type {((event: {message: string}) => void) | null} */
    this.onerror = null;
  }

  /** @param {unknown} data */
  postMessage(data) {
    this.thread.postMessage(data);
  }

  terminate() {
    return this.thread.terminate();
  }
}

/** A file; with `?bytes=N` one of N zeros, and with `?never` one that never comes. @param {URL} address */
async function fetchFile(address) {
  const { searchParams } = new URL(address);
  if (searchParams.has("never")) return new Promise(() => undefined);
  const bytes = Number(searchParams.get("bytes"));
  return bytes ? { ok: true, arrayBuffer: async () => new ArrayBuffer(bytes) } : new Response(readFileSync(fileURLToPath(address)));
}

if (!isMainThread && workerData?.href) {
  const { href, name, isIsolated } = workerData;
  Object.assign(globalThis, {
    self: globalThis,
    name,
    location: { href },
    crossOriginIsolated: isIsolated,
    Worker: EngineWorker,
    postMessage: (/** @type {unknown} */ data) => parentPort?.postMessage(data),
    close: () => process.exit(),
    fetch: fetchFile,
  });
  if (!("navigator" in globalThis)) Object.assign(globalThis, { navigator: { hardwareConcurrency: availableParallelism() } });
  parentPort?.on("message", (data) => globalThis.onmessage({ data }));
  (0, eval)(readFileSync(fileURLToPath(href), "utf8"));
}
