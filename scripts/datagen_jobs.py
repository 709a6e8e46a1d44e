#!/usr/bin/env python3
"""Makes positions to train networks on by many jobs, on this machine or on a Dask cluster."""

import sys

from petardlib.commands.datagen_jobs import main

if __name__ == "__main__":
    sys.exit(main())
