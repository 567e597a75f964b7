"""Executions: what one computes, reads and writes, which action of the user's it is, and what its job is called.

Input: what the documents state, and the lineage of the plan. Output: values; ``runs/`` decides which become runs.
"""
