"""``python -m headwater_graphql > graphql/schema.graphql`` writes the kept schema again."""

import sys

from headwater_graphql.schema import schema

sys.stdout.write(schema.as_str() + "\n")
