"""The data boundary: what a program would write, before it runs, and its split along a boundary of regions.

``planning`` runs a PySpark program without reading data and without writing, and gives its plans. ``judging`` says what
personal data, in which form, each planned output would hold. ``split`` makes of a program one that runs inside each
boundary, the schemas of what may leave, and one that merges outside. What is not certain is refused, by the name of the
operator.
"""
