"""``headwater demo``: generated tweets, Spark jobs, and queries of their lineage."""
