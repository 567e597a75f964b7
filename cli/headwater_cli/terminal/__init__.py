"""Terminal output: tables, colours, progress, and errors with their exit codes."""
