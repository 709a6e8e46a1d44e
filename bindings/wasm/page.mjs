/** The page as plain files, with the engine in it. */

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("../../web/", import.meta.url));
const OWN = fileURLToPath(new URL("page/", import.meta.url));
export const PAGE = fileURLToPath(new URL("../../target/page/", import.meta.url));

/** What the page's head gets: where its engine is, and what makes it an app. */
const HEAD = `    <meta name="petard-worker" content="engine/worker.js" />
    <link rel="manifest" href="manifest.webmanifest" />
    <link rel="stylesheet" href="loading.css" />
    <script type="module" src="offline.js"></script>
`;

/** What a page does not need offline, or what its host may change. */
const OTHERS = ["LICENSE", "engine/THIRD-PARTY.txt", "certificates.json"];

/** @param {string} folder @returns {string[]} files below a folder, without the dot files */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length).replace(/^\//, ""))
    .sort();
}

/** Builds the page and returns where it is. @param {string} engine the engine's folder */
export function buildPage(engine) {
  rmSync(PAGE, { recursive: true, force: true });
  mkdirSync(PAGE, { recursive: true });
  for (const name of ["js", "css", "data", "icon.svg", "certificates.json"]) cpSync(`${WEB}${name}`, `${PAGE}${name}`, { recursive: true });
  const index = readFileSync(`${WEB}index.html`, "utf8");
  const withHead = index.replace("  </head>", `${HEAD}  </head>`);
  if (withHead === index) throw new Error("index.html has no head to add to");
  writeFileSync(`${PAGE}index.html`, withHead);
  cpSync(OWN, PAGE, { recursive: true });
  cpSync(engine, `${PAGE}engine`, { recursive: true });
  cpSync(`${WEB}../LICENSE`, `${PAGE}LICENSE`);
  const names = filesOf(PAGE).filter((name) => name !== "offline-worker.js" && !OTHERS.includes(name));
  const files = Object.fromEntries(names.map((name) => [name, `sha256-${createHash("sha256").update(readFileSync(`${PAGE}${name}`)).digest("base64")}`]));
  const worker = readFileSync(`${OWN}offline-worker.js`, "utf8");
  const version = createHash("sha256").update(worker).update(JSON.stringify(files)).digest("hex").slice(0, 16);
  const made = worker.replace('"VERSION"', JSON.stringify(version)).replace('{ FILES: "" }', JSON.stringify(files));
  writeFileSync(`${PAGE}offline-worker.js`, made);
  return PAGE;
}
