"""A queue on disk: entries that outlive their process, and wait in a file until they are done."""
