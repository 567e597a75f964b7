"""Active lineage judged by Spark: pipelines are executed under the agent, and each value carries the way that it took.

``expressions`` and ``shapes`` make programs by chance, ``pipelines`` puts jobs together, ``judging`` compares what the
written files say with what the answers keep. Sources have one row for each combination of the values that matter, so
that a way which no row took is one that no row can take, unless a job picks rows (limit, aggregates, windows).
"""
