"""Commands that query lineage, datasets and jobs."""
