"""Runs a PySpark program without reading data and without writing: its plans, and where it could not go on."""
