"""Abstract interpretation: what each part of a function's result is made of, without running anything."""
