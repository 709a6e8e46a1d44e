/** Lines to and from an engine in a worker: for a page of plain files, without a server. */

/** @typedef {import("./transport.js").OpenTransport} OpenTransport */

/** The script of the engine's worker, if the document names one. @param {Document} document */
export function workerOf(document) {
  const name = document.querySelector('meta[name="petard-worker"]')?.getAttribute("content");
  return name ? new URL(name, document.baseURI) : null;
}

/**
 * Lines over a worker: one message holds one line.
 * @param {URL} script
 * @param {(part: number) => void} loading receives how much of the engine has been loaded, from 0 to 1
 * @returns {OpenTransport}
 */
export function overWorker(script, loading) {
  return (ends) => {
    const worker = new Worker(script);
    let over = false;
    /** @param {string} reason */
    const finish = (reason) => {
      if (over) return;
      over = true;
      loading(1);
      worker.terminate();
      ends.closed(reason);
    };
    worker.addEventListener("message", ({ data }) => {
      if (typeof data === "string") ends.line(data);
      else if (data.error) finish(data.error);
      else if (data.ready) {
        loading(1);
        // Files for offline use are chosen by it.
        document.documentElement.dataset.engine = data.module;
        ends.open();
      } else loading(Math.min(0.99, data.loaded / data.total));
    });
    worker.addEventListener("error", (event) => finish(event.message ?? ""));
    worker.postMessage({ reports: true });
    loading(0);
    return { send: (line) => worker.postMessage(line), close: () => finish("") };
  };
}
