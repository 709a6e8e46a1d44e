"""Makes the reference of the command line from the programs' own help.

    python docs/command_line.py [PETARD]

writes `docs/command-line.md` with what `petard --help` and `petard COMMAND --help` print.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().with_name("command-line.md")
PROGRAM = PAGE.parents[1] / "target/release/petard"
HEAD = """# The command line

Without a command, petard speaks its [protocol](../protocol.md) on standard input and output. This
page is what `--help` prints; `python docs/command_line.py` makes it. `-h` prints a shorter text.
"""


def help_of(program: str, *command: str) -> str:
    """What a command prints about itself; the program is called petard, wherever it is."""
    done = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True)
    text = re.sub(r"^Usage: \S+", "Usage: petard", done.stdout, flags=re.MULTILINE)
    text = re.sub(r"\[default: \d+ cores?\]", "[default: all cores]", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def page(program: str) -> str:
    """The whole page."""
    top = help_of(program)
    commands = re.findall(r"^  ([a-z]+) ", top.partition("Commands:")[2], re.MULTILINE)
    parts = [HEAD, f"\n```text\n{top}\n```\n"]
    for command in commands:
        if command != "help":
            parts.append(f"\n## petard {command}\n\n```text\n{help_of(program, command)}\n```\n")
    return "".join(parts)


def main() -> None:
    """Write it."""
    program = sys.argv[1] if len(sys.argv) > 1 else str(PROGRAM)
    PAGE.write_text(page(program), encoding="utf-8")


if __name__ == "__main__":
    main()
