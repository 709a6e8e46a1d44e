/** petard in a worker of its own. The engine's `protocol.md` describes its input and output. */

import { BYTES } from "./bytes.js";

// Written out, so that bundlers see them.
const SINGLE = new URL("./petard.wasm", import.meta.url);
const THREADS = BYTES.threads ? new URL("./petard-threads.wasm", import.meta.url) : null;

/** @type {typeof import("./index.js").openEngine} */
export function openEngine({ line = () => undefined, loading = () => undefined, failed = console.error } = {}) {
  const worker = new Worker(new URL("./worker.js", import.meta.url));
  worker.onmessage = ({ data }) => {
    if (typeof data === "string") line(data);
    else if (data.fault) failed(new Error(data.fault));
    else loading(data.ready ? 1 : Math.min(0.99, data.loaded / data.total));
  };
  worker.onerror = (event) => failed(new Error(event.message));
  const threads = THREADS && { name: THREADS.href, bytes: BYTES.threads };
  worker.postMessage({ reports: true, files: { single: { name: SINGLE.href, bytes: BYTES.single }, threads, megabytes: BYTES.megabytes } });
  return { send: (text) => worker.postMessage(text), close: () => worker.terminate() };
}
