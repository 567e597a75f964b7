"""Modules that a program ships as files with its functions: compiled and read, never imported."""
