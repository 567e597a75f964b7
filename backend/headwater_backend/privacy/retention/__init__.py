"""Data that are kept for longer than the organisation states, and the times at which data were written."""
