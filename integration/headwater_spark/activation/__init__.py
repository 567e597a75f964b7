"""Switching the agent on: settings of a session, a running session, a script, or a defaults file of Spark.

In comes what the user configured; out goes a Spark configuration that loads the jar, which starts ``brain``.
"""
