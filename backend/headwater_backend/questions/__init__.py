"""What one can ask: pure functions over the store port."""
