"""The pages: the explorer at ``/`` and GraphiQL at ``/graphql``, built from ``graphql/explorer`` and usable without
internet access.
"""
