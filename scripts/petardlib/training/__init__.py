"""Training networks: recorded positions, the model, its file."""
