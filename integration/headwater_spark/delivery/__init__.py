"""Delivery: in comes an event, which is on disk from then on; out it goes to its receivers, in order."""
