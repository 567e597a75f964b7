"""What provenance is used for: leaks from test into training, erasure of records, and what two runs did differently."""
