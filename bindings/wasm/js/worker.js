/**
 * petard as a worker: lines of the protocol in, lines of the protocol out.
 *
 *     const petard = new Worker("petard/worker.js");
 *     petard.onmessage = ({ data }) => console.log(data);
 *     petard.postMessage("go movetime 1000");
 *
 * A plain script, so that it can be loaded as a module or not. The WebAssembly module of the engine
 * lies beside it. Where the page is isolated, so that memory may be shared, the engine gets threads:
 * workers that run this very script. Elsewhere, and in Firefox, it has this one thread, and yields to
 * the event loop every few milliseconds while it works.
 *
 * The engine is loaded when the first message comes. That may also be `{ reports: true }`: then the
 * worker reports `{ loaded, total }` in bytes while it loads, and then `{ ready: true, module }` with
 * the name of the module that it has taken. With `files` in it, the addresses and sizes of the modules,
 * `petard.json` is not read. If the worker cannot go on it reports `{ error }`, asked or not.
 */
(() => {
  "use strict";

  /** How long work runs before others get a turn, in milliseconds. */
  const SLICE = 8;
  /** Bytes for saving the stack while work is paused. */
  const PAUSE_BYTES = 8 << 20;
  /** Bytes of a thread's stack. */
  const STACK_BYTES = 8 << 20;
  /** Memory in pages of 64 KB: at first, and at most where it is shared. */
  const PAGES = { initial: 1024, maximum: 32768, shared: true };
  /** The most threads. */
  const MAX_THREADS = 32;
  /** How long `quit` lets lines wait, in milliseconds. */
  const QUIT_PATIENCE = 500;
  /** A line whose option names a file, which is loaded before the line is handed over. */
  const NAMES_FILE = /^\s*setoption\s+name\s+ProofFile\s+value\s+([^<\s].*?)\s*$/i;

  /** @typedef {Record<string, any>} Exports the functions of `src/lib.rs` */
  /** @typedef {{name: string, bytes: number}} File */
  /** @typedef {{single: File, threads?: File, megabytes: number}} Files */
  /** @typedef {{memory: WebAssembly.Memory, engine: Exports, wake: () => void}} Opened an engine, and what to call after handing it lines */
  /** @typedef {(part: {loaded: number, total: number}) => void} Progress */

  const decoder = new TextDecoder();
  const encoder = new TextEncoder();

  /** @param {unknown} message */
  const tell = (message) => self.postMessage(message);

  /** The text in these bytes, which must be copied out of shared memory. @param {WebAssembly.Memory} memory @param {number} at @param {number} bytes */
  const textAt = (memory, at, bytes) => decoder.decode(new Uint8Array(memory.buffer, at, bytes).slice());

  /** What every thread provides to the engine. @param {() => WebAssembly.Memory} memory @param {number} origin */
  const common = (memory, origin) => ({
    now: () => performance.timeOrigin - origin + performance.now(),
    error: (/** @type {number} */ at, /** @type {number} */ bytes) => console.error(`petard: ${textAt(memory(), at, bytes)}`),
    say: (/** @type {number} */ at, /** @type {number} */ bytes) => {
      for (const line of textAt(memory(), at, bytes).split("\n")) tell(line);
    },
    pause: () => undefined,
    ring: () => undefined,
    start_task: () => 0,
  });

  /** Writes to where the engine takes texts from. @param {Opened} to @param {Uint8Array[]} parts */
  function write({ engine, memory }, ...parts) {
    let at = engine.petard_text(parts.reduce((sum, { length }) => sum + length, 0));
    for (const part of parts) {
      new Uint8Array(memory.buffer, at, part.length).set(part);
      at += part.length;
    }
  }

  /** @param {Exports} engine @param {number} bytes */
  function memoryOf(engine, bytes) {
    const at = engine.petard_memory(bytes);
    if (!at) throw new Error("there is not enough memory");
    return at;
  }

  /** A promise that resolves after everything already waiting in the event loop. */
  function turn() {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve(undefined);
      };
      port2.postMessage(null);
    });
  }

  /**
   * The engine on this thread alone. Work pauses by returning: `pause` has the stack saved, and the
   * next call of `petard_work` resumes where it was.
   * @param {WebAssembly.Module} module @param {number} megabytes
   */
  async function openAlone(module, megabytes) {
    /** @type {Exports} */
    let engine;
    let [isResuming, isWorking, untilNews] = [false, false, false];
    let resumed = 0;
    /** @type {() => void} */
    let wake = () => undefined;
    const petard = {
      ...common(() => engine.memory, performance.timeOrigin),
      pause: (/** @type {number} */ untilTold) => {
        if (isResuming) {
          isResuming = false;
          engine.asyncify_stop_rewind();
        } else if (isWorking && (untilTold || performance.now() - resumed >= SLICE)) {
          untilNews = untilTold !== 0;
          engine.asyncify_start_unwind(aside);
        }
      },
    };
    engine = (await WebAssembly.instantiate(module, { petard })).exports;
    const aside = memoryOf(engine, PAUSE_BYTES);
    new Uint32Array(engine.memory.buffer, aside, 2).set([aside + 8, aside + PAUSE_BYTES]);
    if (!engine.petard_open(0, megabytes)) throw new Error("the engine cannot be started");

    async function work() {
      isWorking = true;
      resumed = performance.now();
      engine.petard_work();
      while (engine.asyncify_get_state() !== 0) {
        engine.asyncify_stop_unwind();
        await (untilNews ? new Promise((resolve) => (wake = () => resolve(undefined))) : turn());
        resumed = performance.now();
        isResuming = true;
        engine.asyncify_start_rewind(aside);
        engine.petard_work();
      }
      isWorking = false;
    }
    const begin = () => {
      wake();
      if (!isWorking) work().catch(fail);
    };
    return { engine, memory: engine.memory, wake: begin };
  }

  /**
   * The engine with threads. This thread holds the session and never waits for the others.
   * @param {WebAssembly.Module} module @param {WebAssembly.Memory} memory @param {number} megabytes
   */
  async function openThreads(module, memory, megabytes) {
    const origin = performance.timeOrigin;
    /** @type {Worker[]} */
    const idle = [];
    /** @type {Exports} */
    let engine;
    const newThread = () => {
      const thread = new Worker(self.location.href, { name: "petard thread" });
      thread.onmessage = ({ data }) => {
        try {
          // The engine counts on this task: without it, it would wait for ever.
          if (data.task && !start(data.task)) fail("the page cannot start another worker");
          if (data.isIdle) idle.push(thread);
          if (data.news) engine.petard_news();
          if (data.error) fail(data.error);
        } catch (error) {
          fail(error);
        }
      };
      thread.onerror = (event) => fail(event.message || "a thread cannot be loaded");
      const stack = memoryOf(engine, STACK_BYTES) + STACK_BYTES;
      const tls = memoryOf(engine, engine.__tls_size.value + 64);
      thread.postMessage({ thread: { module, memory, origin, stack, tls } });
      return thread;
    };
    /** @param {number} task */
    const start = (task) => {
      try {
        (idle.pop() ?? newThread()).postMessage({ task });
        return 1;
      } catch (error) {
        console.error("petard:", error);
        return 0;
      }
    };
    const petard = { ...common(() => memory, origin), start_task: start };
    engine = (await WebAssembly.instantiate(module, { petard, env: { memory } })).exports;
    const threads = Math.min(navigator.hardwareConcurrency || 1, MAX_THREADS);
    if (!engine.petard_open(threads, megabytes)) throw new Error("the engine cannot be started");
    return { engine, memory, wake: () => undefined };
  }

  /** This worker is one of the engine's threads. @param {{module: WebAssembly.Module, memory: WebAssembly.Memory, origin: number, stack: number, tls: number}} given */
  function beThread({ module, memory, origin, stack, tls }) {
    const petard = {
      ...common(() => memory, origin),
      ring: () => tell({ news: true }),
      start_task: (/** @type {number} */ task) => {
        tell({ task });
        return 1;
      },
    };
    /** @type {Exports} */
    const engine = new WebAssembly.Instance(module, { petard, env: { memory } }).exports;
    engine.__stack_pointer.value = stack;
    engine.__wasm_init_tls(tls);
    return (/** @type {number} */ task) => {
      engine.petard_task(task);
      tell({ isIdle: true });
    };
  }

  /** The answer for a file beside this script. @param {string} name */
  async function answerFor(name) {
    const answer = await fetch(new URL(name, self.location.href));
    if (!answer.ok) throw new Error(`${name} cannot be loaded: ${answer.status} ${answer.statusText}`);
    return answer;
  }

  /** Loads and compiles a module, and reports its progress. @param {File} file @param {Progress} progress */
  async function load({ name, bytes: total }, progress) {
    const { body } = await answerFor(name);
    if (!body) throw new Error(`${name} is empty`);
    let loaded = 0;
    const counted = body.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          loaded += chunk.length;
          progress({ loaded, total });
          controller.enqueue(chunk);
        },
      }),
    );
    return WebAssembly.compileStreaming(new Response(counted, { headers: { "Content-Type": "application/wasm" } }));
  }

  /** All of Firefox froze now and then when a page had a second engine with threads. */
  const isFirefox = () => /\bFirefox\//.test(navigator.userAgent ?? "");

  /** Memory for threads; null where a browser cannot set aside so much. */
  function sharedMemory() {
    try {
      return new WebAssembly.Memory(PAGES);
    } catch {
      return null;
    }
  }

  /** @param {Files | undefined} given @param {Progress} progress @returns {Promise<{opened: Opened, module: string}>} */
  async function open(given, progress) {
    /** @type {Files} */
    const files = given ?? (await (await answerFor("petard.json")).json());
    const memory = files.threads && self.crossOriginIsolated && !isFirefox() && sharedMemory();
    const file = (memory && files.threads) || files.single;
    const module = await load(file, progress);
    return { opened: await (memory ? openThreads(module, memory, files.megabytes) : openAlone(module, files.megabytes)), module: file.name };
  }

  /** @param {unknown} error */
  function fail(error) {
    tell({ error: error instanceof Error ? error.message : String(error) });
    self.close();
  }

  /** Whether the engine has been asked for. */
  let isBegun = false;
  /** Lines waiting for the engine or for a file; null while none has to wait. @type {string[] | null} */
  let waiting = null;
  /** @type {Opened | null} */
  let opened = null;
  /** @type {((task: number) => void) | null} */
  let runTask = null;
  let reports = false;

  /** Hands lines to the session. @param {string} text */
  function hand(text) {
    if (!opened) return;
    write(opened, encoder.encode(text));
    if (opened.engine.petard_lines()) opened.wake();
    else self.close();
  }

  /** Hands lines over, or makes them wait. @param {string} text */
  function take(text) {
    if (waiting) {
      waiting.push(text);
      // The lines wait, but running work must be stopped at once, and `quit` waits for nothing long.
      if (/^\s*stop(\s|$)/im.test(text)) hand("stop");
      if (/^\s*quit(\s|$)/im.test(text)) setTimeout(() => waiting && self.close(), QUIT_PATIENCE);
      return;
    }
    const lines = text.split("\n");
    const at = lines.findIndex((line) => NAMES_FILE.test(line));
    if (at < 0) return hand(text);
    if (at > 0) hand(lines.slice(0, at).join("\n"));
    waiting = [];
    if (at + 1 < lines.length) take(lines.slice(at + 1).join("\n"));
    giveFile(lines[at])
      .then(() => {
        hand(lines[at]);
        takeWaiting();
      })
      .catch(fail);
  }

  function takeWaiting() {
    const texts = waiting ?? [];
    waiting = null;
    for (const text of texts) take(text);
  }

  /** Loads the file that a line names. Without it the engine refuses the line. @param {string} line */
  async function giveFile(line) {
    const name = (NAMES_FILE.exec(line)?.[1] ?? "").split(/\s+/).join(" ");
    /** @type {ArrayBuffer} */
    let data;
    try {
      const answer = await fetch(new URL(name, self.location.href));
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      data = await answer.arrayBuffer();
    } catch (error) {
      console.warn(`petard: ${name} cannot be loaded:`, error);
      return;
    }
    if (!opened) return;
    const bytes = encoder.encode(name);
    write(opened, bytes, new Uint8Array(data));
    opened.engine.petard_file(bytes.length);
  }

  /** @param {Files} [files] */
  async function begin(files) {
    isBegun = true;
    waiting = [];
    const taken = await open(files, (part) => reports && tell(part));
    opened = taken.opened;
    if (reports) tell({ ready: true, module: taken.module });
    takeWaiting();
  }

  self.onmessage = ({ data }) => {
    try {
      if (data?.thread) runTask = beThread(data.thread);
      else if (data?.task) runTask?.(data.task);
      else {
        reports ||= data?.reports === true;
        if (!isBegun) begin(data?.files).catch(fail);
        if (typeof data === "string") take(data);
      }
    } catch (error) {
      fail(error);
    }
  };
})();
