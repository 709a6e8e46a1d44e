/** Board sounds, generated when needed: no files. */

/**
 * From and to a pitch in hertz, when and how long in seconds, how loud.
 * @type {Record<string, [number, number, number, number, number][]>}
 */
const SOUNDS = {
  move: [[300, 180, 0, 0.06, 0.5]],
  capture: [
    [240, 90, 0, 0.09, 0.7],
    [520, 260, 0.01, 0.05, 0.3],
  ],
  explosion: [
    [140, 38, 0, 0.4, 0.9],
    [700, 60, 0, 0.16, 0.35],
  ],
  end: [
    [392, 392, 0, 0.16, 0.35],
    [523, 523, 0.15, 0.3, 0.35],
  ],
};

/** @type {AudioContext | null} */
let context = null;

/** @param {"move" | "capture" | "explosion" | "end"} name */
export function sound(name) {
  if (typeof AudioContext === "undefined") return;
  context ??= new AudioContext();
  // Browsers let a page play sound only after the first click or key.
  context.resume().catch(() => undefined);
  for (const [from, to, start, length, loud] of SOUNDS[name]) {
    const at = context.currentTime + start;
    const tone = new OscillatorNode(context, { type: "triangle", frequency: from });
    const level = new GainNode(context, { gain: loud });
    tone.frequency.exponentialRampToValueAtTime(to, at + length);
    level.gain.setValueAtTime(loud, at);
    level.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(level).connect(context.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}
