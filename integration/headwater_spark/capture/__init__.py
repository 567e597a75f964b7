"""Parses the documents that the jar sends.

Input: frames of JSON. Output: an application, its executions and their outcomes, and the application's end.
"""
