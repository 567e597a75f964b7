"""Questions about personal data: exposure, its changes, and policies."""
