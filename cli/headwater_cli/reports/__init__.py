"""``headwater report``: reports on personal data, and their verification."""
