"""Checks of the whole graph: what lineage has and no row can use, and what rows need and lineage does not have.

Each finding is certain by what is stored: where something is not known, nothing is reported. ``checking`` has the
list of the checks; the others are pure functions over the whole graph (``whole``).
"""
