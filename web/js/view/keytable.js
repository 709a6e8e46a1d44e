/** The keys of the page. */

import { KEYS } from "../control/keys.js";
import { h } from "../ui/dom.js";

export function keyTable() {
  return h(
    "table",
    { class: "keys" },
    h(
      "tbody",
      null,
      KEYS.map(([names, text]) =>
        h(
          "tr",
          null,
          h(
            "td",
            null,
            names.map((name) => h("kbd", null, name)),
          ),
          h("td", null, text),
        ),
      ),
    ),
  );
}
