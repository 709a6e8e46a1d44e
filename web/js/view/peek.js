/** A small board beside what the pointer is on; the position on the large one stays. */

import { Board } from "../board/board.js";
import { play } from "../rules/apply.js";
import { parseFen } from "../rules/picture.js";
import { h } from "../ui/dom.js";

/** Where a pointer is; a click says so in whole pixels only. @param {MouseEvent} event */
export const spotOf = ({ clientX, clientY }) => `${Math.floor(clientX)} ${Math.floor(clientY)}`;

export function peekBoard() {
  const host = h("div", { class: "peek", hidden: true, "aria-hidden": "true" });
  const board = new Board(host, "Preview");
  return {
    /**
     * @param {Element} at what the pointer is on
     * @param {Element} list what must not be covered, so that its entries can be compared
     * @param {{fen: string, variant: Variant, moves: string[], flipped: boolean}} line
     */
    show(at, list, { fen, variant, moves, flipped }) {
      let picture = parseFen(fen, variant);
      for (const move of moves) picture = play(picture, move).picture;
      board.show({ picture, flipped, coordinates: false, last: moves.at(-1) });
      if (!host.isConnected) document.body.append(host);
      host.hidden = false;
      host.style.setProperty("--files", String(picture.width));
      host.style.setProperty("--ranks", String(picture.height));
      // Below where there is no room beside it.
      const { left } = list.getBoundingClientRect();
      const [row, size] = [at.getBoundingClientRect(), host.getBoundingClientRect()];
      const beside = left - size.width - 24;
      const isBeside = beside >= 4;
      const top = isBeside ? row.top - 12 : row.bottom + 8;
      host.style.top = `${Math.max(4, Math.min(top, innerHeight - size.height - 4))}px`;
      host.style.left = `${isBeside ? beside : Math.max(4, innerWidth - size.width - 12)}px`;
    },
    hide() {
      host.hidden = true;
    },
  };
}
