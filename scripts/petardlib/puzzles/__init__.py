"""Puzzles: found in games, proven, rated, and kept as a CSV file."""
