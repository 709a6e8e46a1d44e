/** petard in a worker of its own. `protocol.md` beside this file describes its input and output. */

import { BYTES } from "./bytes.js";

// Written out, so that bundlers see them.
const SINGLE = new URL("./petard.wasm", import.meta.url);
const THREADS = new URL("./petard-threads.wasm", import.meta.url);

/** @type {typeof import("./index.js").openEngine} */
export function openEngine({ line = () => undefined, loading = () => undefined, failed = console.error } = {}) {
  const worker = new Worker(new URL("./worker.js", import.meta.url));
  /** @param {string} text */
  const end = (text) => {
    worker.terminate();
    failed(new Error(text));
  };
  worker.onmessage = ({ data }) => {
    if (typeof data === "string") line(data);
    else if (data.error) end(data.error);
    else loading(data.ready ? 1 : Math.min(0.99, data.loaded / data.total));
  };
  // Of a script that cannot be loaded browsers say nothing more.
  worker.onerror = (event) => end(event.message || "the engine's worker.js cannot be loaded");
  const threads = THREADS && { name: THREADS.href, bytes: BYTES.threads };
  worker.postMessage({ reports: true, files: { single: { name: SINGLE.href, bytes: BYTES.single }, threads, megabytes: BYTES.megabytes } });
  return { send: (text) => worker.postMessage(text), close: () => worker.terminate() };
}
