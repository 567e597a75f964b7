"""Commands of the Spark agent: run a script under it, print its settings, manage its spool."""
