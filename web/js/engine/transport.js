/**
 * What carries the protocol's lines between the page and an engine. A WebSocket does it here;
 * a worker with the engine inside does it in `worker.js`, without a change elsewhere in the page.
 */

/**
 * @typedef {object} Transport
 * @property {(line: string) => void} send
 * @property {() => void} close
 */
/**
 * @typedef {object} TransportEvents what a transport reports
 * @property {() => void} open
 * @property {() => void} silent the other end has not answered for long; it still may, and then
 *   comes a line
 * @property {(line: string) => void} line
 * @property {(reason: string, idle?: boolean) => void} closed once, also if it never opened; `idle`
 *   if the other end closed it because nothing was asked for too long
 */
/** @typedef {(ends: TransportEvents) => Transport} OpenTransport */

/** The code with which a server closes a session that has been idle for too long. */
export const IDLE = 4000;
/** How often a visible page says so while the engine works, in milliseconds. */
const SIGN_OF_LIFE = 60_000;
/** How soon the first answer should come, in milliseconds. */
const FIRST_ANSWER = 10_000;
/**
 * How long an answer may be awaited without a line, in milliseconds: until the engine is asked
 * whether it is ready, which it answers at once whatever it does; until that is reported; and until
 * the connection is given up for a new one.
 */
const QUIET = { ask: 3000, report: 6000, end: 20_000 };
/** How often that is looked at. */
const LOOK = 1000;
/** The last line of every answer. */
const ANSWER = /^(bestmove\b|\{|uciok)/m;

/**
 * Lines over a WebSocket: one message holds one line or more, without the last line's end.
 * @param {string} address
 * @returns {OpenTransport}
 */
export function overSocket(address) {
  return (ends) => {
    const socket = new WebSocket(address);
    let over = false;
    let heard = false;
    // An empty line asks for nothing, but keeps the session of a visible page alive.
    const watch = setInterval(() => {
      if (heard && document.visibilityState === "visible" && socket.readyState === WebSocket.OPEN)
        socket.send("");
      heard = false;
    }, SIGN_OF_LIFE);
    const late = setTimeout(() => ends.silent(), FIRST_ANSWER);
    // A network that drops silently, or a server that hangs, closes nothing.
    let isAwaited = false;
    let [isAsked, isReported] = [false, false];
    let quietSince = 0;
    const lookout = setInterval(() => {
      if (!isAwaited || globalThis.document?.visibilityState === "hidden")
        quietSince = performance.now();
      if (socket.readyState !== WebSocket.OPEN) return;
      const quiet = performance.now() - quietSince;
      if (quiet >= QUIET.ask && !isAsked) socket.send("isready");
      isAsked = quiet >= QUIET.ask;
      if (quiet >= QUIET.report && !isReported) ends.silent();
      isReported = quiet >= QUIET.report;
      if (quiet < QUIET.end) return;
      finish("The engine does not answer.");
      socket.close();
    }, LOOK);
    /** @param {string} reason @param {boolean} [idle] */
    const finish = (reason, idle) => {
      clearInterval(watch);
      clearInterval(lookout);
      clearTimeout(late);
      if (!over) ends.closed(reason, idle);
      over = true;
    };
    socket.addEventListener("open", () => ends.open());
    socket.addEventListener("message", (event) => {
      const text = String(event.data);
      heard = true;
      quietSince = performance.now();
      if (ANSWER.test(text)) isAwaited = false;
      clearTimeout(late);
      for (const line of text.split("\n")) if (line) ends.line(line);
    });
    socket.addEventListener("close", (event) => finish(event.reason, event.code === IDLE));
    socket.addEventListener("error", () => finish(""));
    return {
      send: (line) => {
        if (!isAwaited) quietSince = performance.now();
        isAwaited ||= line !== "stop";
        socket.send(line);
      },
      close: () => {
        finish("");
        socket.close();
      },
    };
  };
}

/** The address of the engine beside a page. @param {string} page its address */
export function engineAddress(page) {
  const address = new URL("engine", page);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  return address.href;
}
