"""Training of networks: recorded positions, the model, its file."""
