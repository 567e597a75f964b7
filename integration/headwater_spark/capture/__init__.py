"""Parses the documents that the jar sends.

Input: frames of JSON. Output: an application, what its executions state, their outcomes, and the application's end.
"""
