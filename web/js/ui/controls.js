/** Small controls that views are made of. */

import { h, newId } from "./dom.js";
import { icon } from "./icons.js";

/** @import { IconName } from "./icons.js" */

/**
 * A button with an icon and a text beside it.
 * @param {IconName | null} name @param {string} label @param {() => void} run @param {string}
 *   [look] classes: primary, quiet, danger
 */
export function button(name, label, run, look = "") {
  return h(
    "button",
    { class: `button ${look}`, onclick: run },
    name && icon(name),
    h("span", null, label),
  );
}

/**
 * A button that shows an icon alone.
 * @param {IconName} name
 * @param {string} label
 * @param {() => void} run
 * @param {string} [look]
 */
export function iconButton(name, label, run, look = "") {
  return h(
    "button",
    { class: `icon-button ${look}`, title: label, "aria-label": label, onclick: run },
    icon(name),
  );
}

/**
 * A button that is on or off.
 * @param {IconName | null} name
 * @param {string} label
 * @param {() => void} run
 */
export function toggle(name, label, run) {
  return h(
    "button",
    { class: "button toggle", "aria-pressed": "false", onclick: run },
    name && icon(name),
    h("span", null, label),
  );
}

/**
 * One of several, as a row of buttons.
 * @template {string} T
 * @param {string} label
 * @param {[T, string][]} options
 * @param {T} value
 * @param {(value: T) => void} change
 */
export function choice(label, options, value, change) {
  const name = newId("choice");
  const items = options.map(([key, text]) => {
    const input = h("input", {
      type: "radio",
      name,
      value: key,
      class: "hidden",
      checked: key === value,
      onchange: () => change(key),
    });
    return h("label", { class: "segment" }, input, h("span", null, text));
  });
  return h("fieldset", null, h("legend", null, label), h("div", { class: "segments" }, items));
}

/**
 * @param {string} label
 * @param {[string, string][]} options
 * @param {string} value
 * @param {(value: string) => void} change
 */
export function select(label, options, value, change) {
  const id = newId("select");
  const node = h(
    "select",
    { id, onchange: () => change(node.value) },
    options.map(([key, text]) => h("option", { value: key }, text)),
  );
  node.value = value;
  return h("div", { class: "field" }, h("label", { for: id }, label), node);
}

/**
 * A number, whole unless there is a smaller step.
 * @param {string} label
 * @param {{value: number, min: number, max: number, step?: number, unit?: string}} range
 * @param {(value: number) => void} change
 */
export function number(label, { value, min, max, step = 1, unit = "" }, change) {
  const id = newId("number");
  const node = h("input", { id, type: "number", min, max, step, value, inputmode: "decimal" });
  let before = value;
  node.addEventListener("focus", () => (before = Number(node.value)));
  node.addEventListener("change", () => {
    const given = Number(node.value);
    if (Number.isFinite(given) && node.value.trim())
      before = Math.min(max, Math.max(min, step === 1 ? Math.round(given) : given));
    node.value = String(before);
    change(before);
  });
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    h("div", { class: "row" }, node, unit && h("span", { class: "muted" }, unit)),
  );
}

/** @param {string} label @param {boolean} value @param {(value: boolean) => void} change */
export function checkbox(label, value, change) {
  const node = h("input", {
    type: "checkbox",
    class: "switch",
    checked: value,
    onchange: () => change(node.checked),
  });
  return h("label", { class: "check" }, h("span", null, label), node);
}
