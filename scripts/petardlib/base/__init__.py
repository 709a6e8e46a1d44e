"""What every room needs: errors for users, files, journals, processes."""
