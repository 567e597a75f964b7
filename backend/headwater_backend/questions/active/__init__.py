"""Active lineage: an answer without the edges that no data can take, and why it can not (see ``active``).

An edge is left out only where that follows from all conditions under which runs made what may be in the output now, or
was at the moment (``ports.conditions``). What is not known excludes nothing: a run without conditions, a gap that says
that somebody else may have written a dataset, a time limit.
"""
