"""The audit log: who wrote what, who asked about personal data, and what became of API keys."""
