/** What is done to a module after the compiler: see `rewrite`. */

import binaryen from "binaryen";

/** The module that a worker's functions are imported from. */
const HOST = "petard";
/** The function of it by which work returns to the worker's event loop and goes on later. */
const PAUSE = `${HOST}.pause`;

/**
 * Optimises a module.
 *
 * With `pauses`, calls of `pause` become places where all functions on the stack put their state
 * aside and return, and later take it up again (Binaryen's "asyncify").
 * @param {Uint8Array} bytes
 * @param {{pauses: boolean}} how
 * @returns {Uint8Array}
 */
export function rewrite(bytes, { pauses }) {
  const module = binaryen.readBinary(bytes);
  // The name of the part of bulk memory that browsers got first, which the compiler does not write down.
  module.setFeatures(module.getFeatures() | binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  if (pauses) {
    binaryen.setPassArgument("asyncify-imports", PAUSE);
    module.runPasses(["asyncify"]);
  }
  module.optimize();
  const written = module.emitBinary();
  module.dispose();
  checkImports(written);
  return written;
}

/** Nothing may be imported but from the worker. @param {Uint8Array} bytes */
function checkImports(bytes) {
  const foreign = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ module }) => module !== HOST);
  if (foreign.length) throw new Error(`the module imports ${foreign.map(({ module, name }) => `${module}.${name}`).join(", ")}`);
}
