"""The game as text, and the rules: those of the package `petard`, and others to check it."""
