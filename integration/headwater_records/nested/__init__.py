"""Records with nested values: which positions and paths of which records, through the steps of a pipeline.

What comes in are steps (what each copied, and what it looked at, by path) and, for each record of the result, its
derivation: the ids of the records that it was made of, in the shape of the steps. What comes out are the records of
the sources with a tree of paths each. No value is kept, and no engine is known here.
"""
