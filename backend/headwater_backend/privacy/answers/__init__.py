"""Answers that are made of the whole exposure: what has changed, the matrix, policies, leaks, persons, pseudonyms."""
