"""Commands that ask about lineage, datasets, jobs and personal data."""
