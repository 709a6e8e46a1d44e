"""Analysis of positions and games by engines, and the verdicts on their moves."""
