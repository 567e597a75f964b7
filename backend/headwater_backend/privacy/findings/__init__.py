"""Findings: violations of policies that Headwater noticed, what was done about them, and who is notified."""
