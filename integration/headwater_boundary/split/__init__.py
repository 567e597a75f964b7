"""The split of a program: which row sets run inside each boundary, which outside, and the programs for both.

``rowsets`` makes one graph of all writes' plans, ``placing`` decides for each row set, ``merging`` says how aggregates
of regions become aggregates of all, ``text`` writes expressions that Spark reads back as the same, ``emission`` and
``programs`` write the programs, ``checking`` judges what was written by planning it again.
"""
