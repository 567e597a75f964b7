"""Questions about what the catalog and the history of runs hold, which need no search of the graph.

In: a text, a period, patterns of names, and the ports. Out: the datasets, jobs and paths that a text names, claims, how
paths are used, and the data flow between all datasets.
"""
