"""The command ``petard``: the engine's protocol and its tools, as in the binary."""

from __future__ import annotations

import os
import signal
import sys

from petard import _petard


def main() -> None:
    """Run the command with this process's arguments, and end the process with its status."""
    # Python's own handler would only record the signal until the engine returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    status = _petard.run_command(["petard", *sys.argv[1:]])
    # Engine threads that nobody waits for may still be running.
    os._exit(status)


if __name__ == "__main__":
    main()
