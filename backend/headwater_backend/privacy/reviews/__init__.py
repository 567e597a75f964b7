"""Signed reviews: who signed which report, and since when changes are not reviewed."""
