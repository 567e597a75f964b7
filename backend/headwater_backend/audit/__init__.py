"""The audit log: records of writes, of questions about personal data, and of changes of API keys."""
