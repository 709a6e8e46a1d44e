"""Makes the pictures of the board in `docs/images` of those of its main views.

    npm --prefix web/tests run pictures && python docs/pictures.py

It needs Pillow.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
TAKEN = ROOT / "web/tests/pictures"
IMAGES = ROOT / "docs/images"
DESK = {
    "play": "play-wide",
    "analysis": "analyse-wide",
    "explorer": "explorer-wide",
    "freeling": "freeling-dark",
    "mistakes": "mistakes-wide",
}
"""What `docs/board.md` calls each picture of a desk, and what the tests call it."""
PHONE = ("play-phone", "analyse-phone", "freeling-phone")
"""The pictures of a phone, side by side."""
DESK_WIDTH = 1000
PHONE_WIDTH = 330
GAP = 20
COLOURS = 256


def scaled(name: str, width: int) -> Image.Image:
    """A picture of the tests, made smaller."""
    picture = Image.open(TAKEN / f"{name}.png").convert("RGB")
    return picture.resize((width, round(picture.height * width / picture.width)))


def save(picture: Image.Image, name: str) -> None:
    """Write it, and say how large it is."""
    path = IMAGES / f"board-{name}.png"
    picture.quantize(COLOURS).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size:,} bytes")


def main() -> None:
    """Write all."""
    for name, taken in DESK.items():
        save(scaled(taken, DESK_WIDTH), name)
    phones = [scaled(name, PHONE_WIDTH) for name in PHONE]
    width = len(phones) * (PHONE_WIDTH + GAP) - GAP
    together = Image.new("RGB", (width, max(phone.height for phone in phones)), "white")
    for index, phone in enumerate(phones):
        together.paste(phone, (index * (PHONE_WIDTH + GAP), 0))
    save(together, "phone")


if __name__ == "__main__":
    main()
