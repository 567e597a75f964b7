"""Provenance of records and values: which records, and which of their values, others were made of.

What comes in are steps over datasets: each says for its inputs which records every record of its output was made of (an
association), which columns (a column map), and what it only looked at. What goes out are answers to eleven questions,
as positions of records and columns. No value is kept, and no engine is known here: arrays of NumPy come in and go out.
"""
