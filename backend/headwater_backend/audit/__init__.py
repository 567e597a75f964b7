"""The audit log: who wrote what, and who asked about personal data."""
