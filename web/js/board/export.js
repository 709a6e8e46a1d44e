/** A board as a picture that needs no style sheet. */

/** Properties that the style sheet gives and the picture must carry itself. */
const CARRIED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "paint-order",
];

/**
 * @param {SVGSVGElement} board as it is in the page
 * @returns {string} the text of an SVG file
 */
export function svgText(board) {
  const copy = /** @type {SVGSVGElement} */ (board.cloneNode(true));
  const from = board.querySelectorAll("*");
  const to = copy.querySelectorAll("*");
  from.forEach((node, index) => {
    const style = getComputedStyle(node);
    for (const name of CARRIED) to[index].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["tabindex", "role", "class", "aria-label", "aria-selected", "aria-hidden"])
      to[index].removeAttribute(name);
  });
  const { width, height } = board.viewBox.baseVal;
  for (const name of ["class", "role", "style"]) copy.removeAttribute(name);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(copy);
}

/**
 * @param {SVGSVGElement} board
 * @param {number} [scale] pixels per unit
 * @returns {Promise<Blob>} a PNG
 */
export async function pngBlob(board, scale = 2) {
  const { width, height } = board.viewBox.baseVal;
  const address = URL.createObjectURL(new Blob([svgText(board)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    const fit = Math.min(scale, 4000 / Math.max(width, height));
    canvas.width = Math.round(width * fit);
    canvas.height = Math.round(height * fit);
    const context = canvas.getContext("2d");
    if (!context) throw new Error("This browser cannot draw the picture.");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) =>
          blob ? resolve(blob) : reject(new Error("This browser cannot make the picture.")),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
