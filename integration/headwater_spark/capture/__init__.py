"""What the jar's documents say: in come frames, out come an application, its executions and how they ended."""
