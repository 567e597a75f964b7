"""Commands that store events: imports from files, a Kafka consumer, and replay of dead letters."""
