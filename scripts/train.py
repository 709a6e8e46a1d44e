#!/usr/bin/env python3
"""Train the network evaluation from recorded self-play, and write the engine's file."""

import sys

from petardlib.commands.train import main

if __name__ == "__main__":
    sys.exit(main())
