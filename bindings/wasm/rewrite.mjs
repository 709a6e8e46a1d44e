/** What is done to a module after compilation: see `rewrite`. */

import binaryen from "binaryen";

/** The module that a worker's functions are imported from. */
const HOST = "petard";
/** Its function through which work returns to the worker's event loop and resumes later. */
const PAUSE = `${HOST}.pause`;

/**
 * Functions of the compiler's libraries that never pause, though they call what they are handed:
 * panics, formatting, and allocation. Nearly every function can reach a panic; without this list
 * nearly every one, even the hottest, would be made to save its state, and the engine would run at
 * half speed. The names are those of Rust's mangling (`v0`).
 */
const NEVER_PAUSE = [
  ...["4core9panicking", "3std9panicking11begin_panic", "3std9panicking15panic_with_hook", "4core3fmt", "5alloc7raw_vec", "3std5alloc", "5alloc5alloc"].map((path) => `_R*${path}*`),
  ...["_fail", "_fail_rt", "unwrap_failed", "expect_failed"].map((end) => `_R*${end}`),
  "_R*assert_failed*",
];

/**
 * Optimises a module.
 *
 * With `pauses`, calls of `pause` become places where all functions on the stack save their state and
 * return, and later resume (Binaryen's "asyncify").
 * @param {Uint8Array} bytes
 * @param {{pauses: boolean}} how
 * @returns {Uint8Array}
 */
export function rewrite(bytes, { pauses }) {
  const module = binaryen.readBinary(bytes);
  // The name of the part of bulk memory that browsers got first, which the compiler does not record.
  module.setFeatures(module.getFeatures() | binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  if (pauses) {
    binaryen.setPassArgument("asyncify-imports", PAUSE);
    binaryen.setPassArgument("asyncify-removelist", NEVER_PAUSE.join(","));
    module.runPasses(["asyncify"]);
  }
  module.optimize();
  const written = module.emitBinary();
  module.dispose();
  checkImports(written);
  return written;
}

/** Only the worker's functions may be imported, and the memory if it is shared. @param {Uint8Array} bytes */
function checkImports(bytes) {
  const foreign = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ module, kind }) => module !== HOST && kind !== "memory");
  if (foreign.length) throw new Error(`the module imports ${foreign.map(({ module, name }) => `${module}.${name}`).join(", ")}`);
}
