/** Types that most files need, known to all of them. Browsers do not read this file. */

import type { Engine } from "../js/engine/engine.js";
import type { OpenTransport } from "../js/engine/transport.js";
import type { Numbers } from "../js/model/judge.js";
import type { Store } from "../js/store.js";
import type { State } from "./state";

declare global {
  type Variant = "breakthrough" | "freeling";
  type Game = import("./game").Game;

  /** What all controllers and views share. */
  interface App {
    store: Store<State>;
    engine: Engine;
    /** A transport to an engine of its own. */
    open: OpenTransport;
    /** Of the review. */
    numbers: Numbers;
    /** Whether all that is shown was found out before, and there is no engine. */
    recorded?: boolean;
  }
}
