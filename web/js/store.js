/** The page's state in one place. Views subscribe to the keys that they show. */

/**
 * @template {object} S
 * @typedef {object} Store
 * @property {S} state read only; changes go through `set`
 * @property {(patch: Partial<S>) => void} set
 * @property {(keys: (keyof S)[], tell: () => void) => () => void} on reports changes, once for all
 *   made together; returns a function that unsubscribes
 */

/**
 * @template {object} S
 * @param {S} state
 * @returns {Store<S>}
 */
export function createStore(state) {
  /** @type {Set<{keys: Set<keyof S>, tell: () => void}>} */
  const readers = new Set();
  /** @type {Set<keyof S>} */
  const changed = new Set();
  const flush = () => {
    const keys = [...changed];
    changed.clear();
    for (const reader of [...readers])
      if (readers.has(reader) && keys.some((key) => reader.keys.has(key))) reader.tell();
  };
  return {
    state,
    set(patch) {
      if (!changed.size) queueMicrotask(flush);
      for (const key of /** @type {(keyof S)[]} */ (Object.keys(patch))) changed.add(key);
      Object.assign(state, patch);
    },
    on(keys, tell) {
      const reader = { keys: new Set(keys), tell };
      readers.add(reader);
      return () => readers.delete(reader);
    },
  };
}
