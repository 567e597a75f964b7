"""Commands that query lineage, datasets, jobs and personal data."""
