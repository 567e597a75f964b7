"""Answers that are made of the whole exposure: the matrix, and pseudonyms that are re-identified."""
