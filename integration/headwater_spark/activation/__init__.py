"""Switches the agent on: for a session builder, a running session, a script, or a defaults file of Spark.

Input: the user's settings. Output: a Spark configuration that loads the jar, which starts ``brain``.
"""
