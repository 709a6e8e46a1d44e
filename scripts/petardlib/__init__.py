"""What the scripts of petard share: engines, referee, games, statistics and reports.

The scripts in the folder above are thin; everything that can be tested lives here.
"""

from pathlib import Path

SCRIPTS_DIR = Path(__file__).resolve().parent.parent
"""The folder that holds the scripts; it is what Python needs on its path to import this package."""
