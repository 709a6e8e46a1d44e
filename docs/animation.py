"""Makes `docs/images/analysis.webp` of the pictures of `web/tests/animation.mjs`.

    node web/tests/animation.mjs FOLDER && python docs/animation.py FOLDER

It needs Pillow.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

PICTURE = Path(__file__).resolve().parent / "images" / "analysis.webp"
WIDTH = 880
MILLISECONDS = 1200
"""For each picture; the last one stays three times as long."""


def main() -> None:
    """Write it and say how large it is."""
    frames = []
    for path in sorted(Path(sys.argv[1]).glob("*.png")):
        frame = Image.open(path).convert("RGB")
        frames.append(frame.resize((WIDTH, round(frame.height * WIDTH / frame.width))))
    times = [MILLISECONDS] * (len(frames) - 1) + [3 * MILLISECONDS]
    first, *rest = frames
    first.save(PICTURE, save_all=True, append_images=rest, duration=times, loop=0, quality=70)
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
