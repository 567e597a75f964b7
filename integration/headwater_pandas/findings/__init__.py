"""What provenance is used for: leaks by fits, erasure of records, what two runs did differently, and first origins."""
