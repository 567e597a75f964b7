"""Functions that were written before the analysis, and are never changed to suit it."""
