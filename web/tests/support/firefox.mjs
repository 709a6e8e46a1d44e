/** Debian's Firefox, which Playwright drives by WebDriver BiDi. */

import { existsSync } from "node:fs";
import { firefox } from "playwright-core";

const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

/** Why there is no Firefox to test with; false if there is one. */
export const noFirefox = () => (existsSync(FIREFOX) ? false : `there is no ${FIREFOX} here`);

/** @param {number} timeout milliseconds @param {string} [downloadsPath] a folder */
export const launchFirefox = (timeout, downloadsPath) =>
  firefox.launch({ channel: "moz-firefox", executablePath: FIREFOX, timeout, downloadsPath });
