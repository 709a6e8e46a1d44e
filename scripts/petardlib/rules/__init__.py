"""The game as text and as rules: positions, moves, notations, PGN."""
