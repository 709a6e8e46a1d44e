"""What every layer needs: errors for users, files, journals, processes."""
