"""Groups executions into runs.

Input: the documents of an application, in order. Output: the events of its runs, from START to the last one.
"""
