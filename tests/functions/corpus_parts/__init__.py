"""Functions that change parts of their arguments, and collections that fill themselves."""
