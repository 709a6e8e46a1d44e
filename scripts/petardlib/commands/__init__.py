"""What the command lines do."""
