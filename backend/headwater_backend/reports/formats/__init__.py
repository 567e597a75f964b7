"""The formats of reports: one renderer each, over the document."""
