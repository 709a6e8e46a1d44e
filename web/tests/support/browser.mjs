/** The page in Debian's Chromium, each time with an empty profile. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serveFolder } from "./folder.mjs";
import { serve as serveEngine } from "./server.mjs";

const BUILT = fileURLToPath(new URL("../../../target/release/petard", import.meta.url));
export const ENGINE = process.env.PETARD ?? BUILT;
/** What carries the lines: `PETARD_CARRIER=worker` takes the page with the engine inside. */
export const OVER_WORKER = process.env.PETARD_CARRIER === "worker";
const serve = OVER_WORKER ? serveFolder : serveEngine;
const QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** @param {import("playwright-core").BrowserContextOptions} [options] */
export async function openPage(options = {}) {
  if (!OVER_WORKER && !existsSync(ENGINE)) throw new Error(`There is no engine at ${ENGINE}: build it, or name one in PETARD.`);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });
  let server = await serve(ENGINE);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const faults = [];
  const watch = (page) => {
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !/WebSocket|ERR_CONNECTION/.test(message.text())) faults.push(message.text());
    });
  };
  const enter = async (/** @type {import("playwright-core").BrowserContext} */ within, hash = "") => {
    within.on("page", watch);
    const page = await within.newPage();
    await page.goto(server.address + hash);
    await page.waitForSelector("body[data-ready]");
    return page;
  };
  const page = await enter(context);
  return {
    browser,
    context,
    page,
    /** Someone who has never been here. @param {string} hash */
    async fresh(hash) {
      await this.context.close();
      this.context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      this.page = await enter(this.context, hash);
      return this.page;
    },
    /** What went wrong in the page. */
    faults,
    address: server.address,
    stopServer: () => server.close(),
    startServer: async () => {
      server = await serve(ENGINE, server.port);
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Clicks a square. @param {import("playwright-core").Page} page @param {string} square */
export async function click(page, square) {
  const box = await boxOf(page, square);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

/** @param {import("playwright-core").Page} page @param {string} square */
export async function boxOf(page, square) {
  const box = await page.locator(`.stage [data-square="${square}"]`).boundingBox();
  if (!box) throw new Error(`${square} is not on the board`);
  return box;
}

/** The move list's moves. @param {import("playwright-core").Page} page */
export function movesOf(page) {
  return page.locator(".side .moves > .move").allTextContents();
}

/** @param {import("playwright-core").Page} page @param {string} view */
export async function show(page, view) {
  await page.click(`.tab[data-view="${view}"]`);
}
