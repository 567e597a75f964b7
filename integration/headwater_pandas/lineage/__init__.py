"""Path lineage of frames: from which columns of which sources each column of a frame was made, and what decided.

Records are of no interest here. In: a dataset of the graph that observing has made (``headwater_records.graph``).
Out: its lineage (``ways``), with what each step does to a value (``kinds``), and OpenLineage's facets of it
(``facets``).
"""
