"""The `headwater` command: the one place that knows all parts."""
