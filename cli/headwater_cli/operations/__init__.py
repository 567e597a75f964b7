"""Commands that run and keep Headwater: the server, stores, API keys, the audit log."""
