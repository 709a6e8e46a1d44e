/** The licences of the crates inside the modules: they must go wherever the modules go. */

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname } from "node:path";

const HEAD = `petard's WebAssembly modules contain Rust's standard library (MIT OR Apache-2.0, copyright The Rust
Project contributors: https://github.com/rust-lang/rust/blob/master/COPYRIGHT) and these crates, whose
licences follow.
`;

/** @typedef {{id: string, name: string, version: string, license: string, source: string | null, manifest_path: string, targets: {kind: string[]}[]}} Crate */

/** The text for all crates that the module links. @param {string} folder of the crate @param {string} triple */
export function thirdParty(folder, triple) {
  const words = ["metadata", "--format-version", "1", "--locked", "--filter-platform", triple];
  const { packages, resolve } = JSON.parse(execFileSync("cargo", words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 }));
  /** @type {Map<string, Crate>} */
  const crates = new Map(packages.map((/** @type {Crate} */ one) => [one.id, one]));
  /** @type {Map<string, {dep_kinds: {kind: string | null}[], pkg: string}[]>} */
  const needs = new Map(resolve.nodes.map((/** @type {any} */ { id, deps }) => [id, deps]));
  /** @type {Set<Crate>} */
  const linked = new Set();
  /** @param {string} id */
  const add = (id) => {
    const crate = crates.get(id);
    // Macros run in the compiler.
    if (!crate || linked.has(crate) || crate.targets.some(({ kind }) => kind.includes("proc-macro"))) return;
    linked.add(crate);
    for (const { pkg, dep_kinds } of needs.get(id) ?? []) if (dep_kinds.some(({ kind }) => kind === null)) add(pkg);
  };
  add(resolve.root);
  /** Crates by the text of their licence. @type {Map<string, string[]>} */
  const texts = new Map();
  for (const crate of [...linked].filter(({ source }) => source).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const text = licenceOf(crate);
    texts.set(text, [...(texts.get(text) ?? []), `${crate.name} ${crate.version} (${crate.license})`]);
  }
  const line = "-".repeat(80);
  return [HEAD, ...[...texts].map(([text, names]) => `${line}\n${names.join("\n")}\n${line}\n\n${text}\n`)].join("\n");
}

/** A crate's own words: where there is a choice, MIT. @param {Crate} crate */
function licenceOf({ name, manifest_path }) {
  const folder = dirname(manifest_path);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|unlicense|notice)/i.test(file));
  const mit = files.filter((file) => /mit|notice/i.test(file));
  const chosen = mit.some((file) => /mit/i.test(file)) ? mit : files;
  if (chosen.length === 0) throw new Error(`${name} has no file with its licence`);
  return chosen.map((file) => readFileSync(`${folder}/${file}`, "utf8").trim()).join("\n\n");
}
