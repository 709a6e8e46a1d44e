"""What games add up to: matches, sequential tests, ratings, summaries."""
