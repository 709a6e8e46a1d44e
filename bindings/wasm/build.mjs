/**
 * Builds the engine for browsers into `target/wasm/petard`, the npm package with it into
 * `target/wasm/npm`, and the page with it into `target/page`.
 *
 *     npm ci && node build.mjs            the engine with and without threads, and the page
 *     node build.mjs --single             without threads only, which needs no nightly compiler
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { buildPage } from "./page.mjs";
import { rewrite } from "./rewrite.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const TARGET = fileURLToPath(new URL("../../target/wasm/", import.meta.url));
export const ENGINE = `${TARGET}petard/`;
export const PACKAGE = `${TARGET}npm/`;
const TRIPLE = "wasm32-unknown-unknown";

/** The largest table in megabytes: a search has one, a proof another, and a page has 2 GB. */
const MEGABYTES = 512;
/** Memory of 64 KB pages that workers share: `PAGES` in `js/worker.js`. */
const SHARED = ["--shared-memory", "--import-memory", `--initial-memory=${1024 * 65536}`, `--max-memory=${32768 * 65536}`];
const EXPORTS = ["__stack_pointer", "__wasm_init_tls", "__tls_size"].map((name) => `--export=${name}`);
/** Whether the engine was built with threads too. */
export const HAS_THREADS = existsSync(`${ENGINE}petard-threads.wasm`);
/** What browsers have had since 2023. */
const FEATURES = ["bulk-memory", "mutable-globals", "nontrapping-fptoint", "sign-ext"];

/**
 * @typedef {object} Variant
 * @property {string} name
 * @property {boolean} [simd] with vector instructions, by default
 * @property {boolean} [threads]
 */

/** Whether everything is there that the build with threads needs. */
export function hasNightly() {
  try {
    const root = execFileSync("rustc", ["+nightly", "--print", "sysroot"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return existsSync(`${root}/lib/rustlib/src/rust/library/std`);
  } catch {
    return false;
  }
}

/** Compiles a variant of the engine and returns the module. @param {Variant} variant */
export function compile({ name, simd = true, threads = false }) {
  const features = [...FEATURES, ...(simd ? ["simd128"] : []), ...(threads ? ["atomics"] : [])];
  const link = ["-zstack-size=8388608", ...(threads ? [...SHARED, ...EXPORTS] : [])];
  const flags = ["-C", `target-feature=${features.map((one) => `+${one}`).join(",")}`, ...link.flatMap((one) => ["-C", `link-arg=${one}`])];
  const std = threads ? ["-Z", "build-std=std,panic_abort"] : [];
  execFileSync("cargo", [...(threads ? ["+nightly"] : []), "build", "--release", "--locked", "--target", TRIPLE, "--target-dir", `${TARGET}${name}`, ...std], {
    cwd: HERE,
    env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: flags.join("\x1f") },
    stdio: "inherit",
  });
  return rewrittenOnce(readFileSync(`${TARGET}${name}/${TRIPLE}/release/petard_wasm.wasm`), name, !threads);
}

/** The result of `rewrite` for a module, cached: it takes a minute. @param {Uint8Array} bytes @param {string} name @param {boolean} pauses */
function rewrittenOnce(bytes, name, pauses) {
  const key = createHash("sha256").update(readFileSync(`${HERE}rewrite.mjs`)).update(bytes).digest("hex");
  const kept = `${TARGET}${name}/rewritten-${key}.wasm`;
  if (!existsSync(kept)) {
    for (const old of readdirSync(`${TARGET}${name}`).filter((file) => file.startsWith("rewritten-"))) rmSync(`${TARGET}${name}/${old}`);
    writeFileSync(kept, rewrite(bytes, { pauses }));
  }
  return readFileSync(kept);
}

/** How many bytes a host sends that compresses files ahead of time. @param {Uint8Array} bytes */
const compressed = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length;

/** Builds the engine's folder. @param {boolean} threads */
function buildEngine(threads) {
  rmSync(ENGINE, { recursive: true, force: true });
  mkdirSync(ENGINE, { recursive: true });
  /** @param {string} name @param {Variant} variant */
  const file = (name, variant) => {
    const bytes = compile(variant);
    writeFileSync(`${ENGINE}${name}`, bytes);
    console.log(`${name}: ${bytes.length} bytes, ${compressed(bytes)} compressed`);
    return { name, bytes: bytes.length };
  };
  const files = { single: file("petard.wasm", { name: "single" }), ...(threads ? { threads: file("petard-threads.wasm", { name: "threads", threads }) } : {}), megabytes: MEGABYTES };
  writeFileSync(`${ENGINE}petard.json`, `${JSON.stringify(files, null, 2)}\n`);
  cpSync(`${HERE}js/worker.js`, `${ENGINE}worker.js`);
  writeFileSync(`${ENGINE}THIRD-PARTY.txt`, execFileSync("python3", [`${HERE}../../scripts/third_party.py`, `${HERE}Cargo.toml`, TRIPLE]));
  buildPackage(files);
}

/** Builds the npm package. @param {{single: {bytes: number}, threads?: {bytes: number}, megabytes: number}} files */
function buildPackage({ single, threads, megabytes }) {
  rmSync(PACKAGE, { recursive: true, force: true });
  cpSync(`${HERE}npm`, PACKAGE, { recursive: true });
  cpSync(ENGINE, PACKAGE, { recursive: true });
  if (!threads) dropThreads();
  for (const name of ["LICENSE", "protocol.md", "docs/transports.md"]) cpSync(`${HERE}../../${name}`, `${PACKAGE}${name}`);
  const bytes = { single: single.bytes, threads: threads?.bytes ?? 0, megabytes };
  writeFileSync(`${PACKAGE}bytes.js`, `/** Sizes of the modules, and of a table at most, in megabytes. */\nexport const BYTES = ${JSON.stringify(bytes)};\n`);
}

/** Takes the module with threads out of the package's texts: bundlers insist on every file that is named. */
function dropThreads() {
  const index = readFileSync(`${PACKAGE}index.js`, "utf8");
  writeFileSync(`${PACKAGE}index.js`, index.replace(/^const THREADS = .*$/m, "const THREADS = null;"));
  const about = JSON.parse(readFileSync(`${PACKAGE}package.json`, "utf8"));
  delete about.exports["./petard-threads.wasm"];
  about.files = about.files.filter((/** @type {string} */ name) => name !== "petard-threads.wasm");
  writeFileSync(`${PACKAGE}package.json`, `${JSON.stringify(about, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wantsThreads = !process.argv.includes("--single");
  const threads = wantsThreads && hasNightly();
  if (wantsThreads && !threads) console.log("without threads: they need the nightly compiler and its rust-src");
  buildEngine(threads);
  console.log(`the page is in ${buildPage(ENGINE)}`);
}
