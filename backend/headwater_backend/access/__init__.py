"""Who asks, and what they may: roles, API keys, tokens of an OpenID provider."""
