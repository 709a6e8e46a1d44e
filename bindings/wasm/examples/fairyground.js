/**
 * petard in FairyGround, instead of its engine: this file replaces `public/lib/stockfish.js` after
 * FairyGround's build, and the package's files go to `public/lib/petard`.
 *
 * FairyGround asks its engine by `postMessage` and listens to lines. It reads the variants from the
 * option `UCI_Variant`, whose default it assumes to be chess, and knows the rules of one of petard's.
 */
const VARIANTS = "option name UCI_Variant ";

globalThis.Stockfish = () =>
  new Promise((resolve, reject) => {
    const worker = new Worker("lib/petard/worker.js");
    const listeners = [];
    worker.onmessage = ({ data }) => {
      if (data.ready) resolve({ postMessage: (line) => worker.postMessage(line), addMessageListener: (listener) => listeners.push(listener) });
      else if (data.error) reject(new Error(data.error));
      else if (typeof data === "string") for (const listener of listeners) listener(data.startsWith(VARIANTS) ? `${VARIANTS}type combo default chess var breakthrough` : data);
    };
    worker.onerror = ({ message }) => reject(new Error(message || "lib/petard/worker.js cannot be loaded"));
    worker.postMessage({ reports: true });
  });
