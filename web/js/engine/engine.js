/**
 * An engine as the page uses it: one piece of work at a time, each sent in full, so that a lost
 * connection loses nothing. The dialogue follows `protocol.md`.
 */

import { parseBest, parseInfo, parseOption } from "./parse.js";

/** @import { OpenTransport, Transport } from "./transport.js" */
/** @import { Info, Option } from "./parse.js" */
/**
 * @typedef {{variant: Variant, fen: string, moves: string[]}} GamePosition a position: where it began and
 * what was played
 */
/**
 * @typedef {{status: "connecting" | "open" | "idle" | "lost", attempt: number, reason: string}}
 * Link
 */
/** @typedef {{move: string | null, lines: string[]}} Found */

/** The connection ended before the answer came. */
export class ConnectionLost extends Error {}
/** The engine refused the position; the message is the engine's reason. */
export class PositionRefused extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason.replace(/^the last position was refused: /, ""));
  }
}

/** The engine ends again and again while it is at work; the message is for people. */
export class EngineFailed extends Error {}

/** How often in a row it may end without having found anything. */
const MAX_FAILURES = 5;
/** How often a connection is tried before the other one is. */
const ATTEMPTS = 3;
/** Waits between attempts to connect, in milliseconds. */
const PATIENCE = [200, 500, 1000, 2000, 4000, 8000];

export class Engine {
  /**
   * @param {OpenTransport} open
   * @param {(link: Link) => void} [changed]
   * @param {OpenTransport | null} [spare] takes its place while that is lost
   */
  constructor(open, changed = () => undefined, spare = null) {
    this.open = open;
    this.changed = changed;
    this.spare = spare;
    /** Whether the engine at the other end has introduced itself. */
    this.greeted = false;
    /** @type {Link} */
    this.link = { status: "connecting", attempt: 0, reason: "" };
    this.name = "";
    /** @type {Map<string, Option>} */
    this.options = new Map();
    /** The options that the engine at the other end has been sent. @type {Map<string, string>} */
    this.sent = new Map();
    /** @type {Transport | null} */
    this.transport = null;
    /** @type {{each: (line: string) => boolean, fail: (error: Error) => void} | null} */
    this.listener = null;
    this.queue = Promise.resolve();
    this.waiting = 0;
    /** How often it has ended during work since it last found something. */
    this.failures = 0;
    /** Ends the work that gives way to other work. @type {(() => void) | null} */
    this.yieldNow = null;
    this.closed = false;
    this.expectOpen();
    this.connect();
  }

  /** Makes the promise that work waits for while there is no connection. */
  expectOpen() {
    /** @type {Promise<void>} */
    this.ready = new Promise((resolve) => {
      this.isReady = resolve;
    });
  }

  connect() {
    this.sent.clear();
    const { attempt } = this.link;
    if (this.spare && attempt > 0 && attempt % ATTEMPTS === 0)
      [this.open, this.spare] = [this.spare, this.open];
    this.transport = this.open({
      open: () => this.greet().catch(() => undefined),
      silent: () => this.doubt(),
      line: (line) => this.take(line),
      closed: (reason, idle = false) => this.lose(reason, idle),
    });
  }

  /** The other end is silent. If it answers later, that is as good, unless another engine is at hand. */
  doubt() {
    this.tell({ ...this.link, status: "lost", reason: "The engine does not answer." });
    if (!this.spare) return;
    this.link.attempt = ATTEMPTS - 1;
    this.transport?.close();
  }

  async greet() {
    const lines = await this.exchange(["uci"], (line) => line === "uciok");
    this.name = lines.find((line) => line.startsWith("id name "))?.slice(8) ?? "engine";
    this.options = new Map(
      lines.flatMap((line) => parseOption(line) ?? []).map((option) => [option.name, option]),
    );
    this.greeted = true;
    this.tell({ status: "open", attempt: 0, reason: "" });
    this.isReady?.();
  }

  /** @param {string} reason @param {boolean} idle */
  lose(reason, idle) {
    this.transport = null;
    const { listener } = this;
    this.listener = null;
    if (this.greeted && listener) this.failures++;
    if (this.greeted) this.expectOpen();
    this.greeted = false;
    listener?.fail(this.lossOf());
    if (this.closed) return;
    if (idle && !this.waiting) return this.tell({ status: "idle", attempt: 0, reason });
    const attempt = this.link.attempt + 1;
    this.tell({ status: "lost", attempt, reason });
    this.timer = setTimeout(() => this.connect(), PATIENCE[Math.min(attempt, PATIENCE.length) - 1]);
  }

  /** What becomes of the work during which the connection was lost. */
  lossOf() {
    // Whoever restarts it would do so for ever.
    const isFailed = this.failures >= MAX_FAILURES;
    if (isFailed) this.failures = 0;
    return isFailed
      ? new EngineFailed(`The engine has ended ${MAX_FAILURES} times while working on this.`)
      : new ConnectionLost("The connection to the engine was lost.");
  }

  /** Tries again now instead of later. */
  retry() {
    if (this.closed || (this.transport && this.link.status !== "lost")) return;
    this.transport?.close();
    clearTimeout(this.timer);
    this.tell({ ...this.link, status: "connecting" });
    this.connect();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.transport?.close();
  }

  /** @param {Link} link */
  tell(link) {
    this.link = link;
    this.changed(link);
  }

  /** @param {string} line */
  take(line) {
    const { listener } = this;
    if (this.greeted && this.link.status === "lost")
      this.tell({ status: "open", attempt: 0, reason: "" });
    if (/^(info depth|bestmove)\b/.test(line)) this.failures = 0;
    // The transport alone asks for it.
    if (line === "readyok") return;
    if (listener?.each(line) && this.listener === listener) this.listener = null;
  }

  /**
   * Sends lines and collects answers up to the last one.
   * @param {string[]} lines
   * @param {(line: string) => boolean} isLast
   * @param {(line: string) => void} [each]
   * @returns {Promise<string[]>}
   */
  exchange(lines, isLast, each) {
    return new Promise((resolve, reject) => {
      if (!this.transport)
        return reject(new ConnectionLost("There is no connection to the engine."));
      /** @type {string[]} */
      const answer = [];
      this.listener = {
        each: (line) => {
          if (!each) answer.push(line);
          else each(line);
          if (!isLast(line)) return false;
          if (each) answer.push(line);
          resolve(answer);
          return true;
        },
        fail: reject,
      };
      for (const line of lines) this.send(line);
    });
  }

  /** @param {string} line */
  send(line) {
    // A newline inside foreign text would start a command of its own.
    this.transport?.send(line.replace(/[\r\n]+/g, " "));
  }

  /**
   * Does work when the engine is free; work that gives way is ended first.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  turn(work) {
    this.waiting++;
    if (this.link.status === "idle") this.retry();
    this.yieldNow?.();
    const result = this.queue.then(async () => {
      this.waiting--;
      await this.ready;
      return work();
    });
    this.queue = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /**
   * Commands that bring the engine to a position with these options.
   * @param {GamePosition} place
   * @param {Record<string, string | number | boolean>} options
   */
  setUp(place, options) {
    const commands = [];
    const wanted = { ...options, UCI_Variant: place.variant };
    for (const [name, value] of Object.entries(wanted)) {
      // A number that this engine does not allow becomes the nearest that it does.
      const { min = -Infinity, max = Infinity } = this.options.get(name) ?? {};
      const text = String(typeof value === "number" ? Math.min(max, Math.max(min, value)) : value);
      if (this.sent.get(name) === text || (!this.sent.has(name) && text === "breakthrough"))
        continue;
      this.sent.set(name, text);
      commands.push(`setoption name ${name} value ${text}`);
    }
    commands.push(
      `position fen ${place.fen}${place.moves.length ? ` moves ${place.moves.join(" ")}` : ""}`,
    );
    return commands;
  }

  /**
   * Sets a position and asks a question about it that is answered by one JSON object.
   * @param {GamePosition} place
   * @param {string} command
   * @returns {Promise<any>} the object, as `protocol.md` describes it
   */
  ask(place, command) {
    return this.turn(() => this.exchangeJson([...this.setUp(place, {}), command]));
  }

  /**
   * @param {string[]} lines
   * @param {(line: string) => void} [note] hears what the engine notes
   * @returns {Promise<any>}
   */
  async exchangeJson(lines, note) {
    const answer = await this.exchange(lines, (line) => line.startsWith("{"));
    for (const line of answer.slice(0, -1)) {
      // A table that there was no memory for is asked for again.
      if (/ it stays at \d+ MB$/.test(line)) this.sent.delete("Hash");
      note?.(line);
    }
    return JSON.parse(answer[answer.length - 1]);
  }

  /**
   * One `go`.
   * @param {GamePosition} place
   * @param {string | (() => string)} go a function says it when its turn has come
   * @param {object} how
   * @param {Record<string, string | number | boolean>} [how.options]
   * @param {(info: Info) => void} [how.info]
   * @param {(line: string) => void} [how.line] every line as it comes
   * @param {AbortSignal} [how.signal] ends it early; what was found is still returned
   * @param {boolean} [how.gentle] gives way to other work
   * @returns {Promise<Found>}
   */
  search(place, go, { options = {}, info, line, signal, gentle = false }) {
    return this.turn(async () => {
      if (signal?.aborted || (gentle && this.waiting)) return { move: null, lines: [] };
      // Answers come in order, so a refused position is known before the search begins.
      const { refused } = await this.exchangeJson([...this.setUp(place, options), "d json"], line);
      if (refused) throw new PositionRefused(refused);
      const stop = () => this.send("stop");
      if (gentle) this.yieldNow = stop;
      signal?.addEventListener("abort", stop);
      try {
        if (signal?.aborted || (gentle && this.waiting)) return { move: null, lines: [] };
        const lines = await this.exchange(
          [typeof go === "string" ? go : go()],
          (text) => text.startsWith("bestmove"),
          (text) => {
            line?.(text);
            const report = info && parseInfo(text);
            if (report) info(report);
          },
        );
        return { move: parseBest(lines.at(-1) ?? ""), lines };
      } finally {
        signal?.removeEventListener("abort", stop);
        if (gentle) this.yieldNow = null;
      }
    });
  }
}
