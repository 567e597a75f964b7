"""Questions across jobs and programs: what one captured run wrote, another one read, and what Spark gave a program."""
