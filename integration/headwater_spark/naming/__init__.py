"""Resolves names of datasets.

Input: a source or target of a plan. Output: the OpenLineage datasets that it stands for.
"""
