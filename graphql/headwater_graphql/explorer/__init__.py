"""The explorer: GraphiQL on our own page, from our own assets, without internet."""
