"""The Spark agent's brain: decodes plans, traces path lineage, emits OpenLineage events."""
