#!/usr/bin/env python3
"""Spot-checks a proof that is too large for a certificate."""

import sys

from petardlib.commands.sample_proof import main

if __name__ == "__main__":
    sys.exit(main())
