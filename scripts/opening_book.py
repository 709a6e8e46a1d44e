#!/usr/bin/env python3
"""Grows an opening book from the start position by searches, as jobs."""

import sys

from petardlib.commands.opening_book import main

if __name__ == "__main__":
    sys.exit(main())
