"""Commands: in come the nodes of statements that write, change or move data; out come their targets and sources."""
