"""What people see in a terminal: tables, colours, progress, errors with their exit codes."""
