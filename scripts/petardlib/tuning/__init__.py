"""An engine's numbers, tuned by games against itself."""
