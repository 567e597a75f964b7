"""Commands about the agent in Spark: running a script with it, its settings, its spool."""
