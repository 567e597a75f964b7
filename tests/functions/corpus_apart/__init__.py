"""Functions in the manner of real code that were written after the analysis, and apart from it."""
