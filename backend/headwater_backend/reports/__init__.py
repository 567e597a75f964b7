"""Reports: answers as documents for people."""
