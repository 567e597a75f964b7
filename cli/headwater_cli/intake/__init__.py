"""Commands that bring events into a store: from files and from Kafka, and dead letters."""
