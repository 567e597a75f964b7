"""Commands that operate Headwater: server, stores, API keys and audit log."""
