"""The words that all rooms share: datasets, paths, runs, records of events, errors. It knows no store and no server."""
