"""Explorer: a GraphiQL page with bundled assets, usable without internet access."""
