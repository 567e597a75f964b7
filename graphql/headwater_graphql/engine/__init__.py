"""Execution of the schema: type declarations, permissions, request limits, pagination and error codes."""
