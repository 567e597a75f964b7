"""Answers written for people."""
