"""The report document: what all formats render, and what a report's hash is computed over."""
