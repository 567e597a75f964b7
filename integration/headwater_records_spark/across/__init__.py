"""Questions across jobs: what one captured run wrote, another one read."""
