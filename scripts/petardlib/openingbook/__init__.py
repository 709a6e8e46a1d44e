"""Opening books: how one is grown by searches, and the file it is kept in."""
