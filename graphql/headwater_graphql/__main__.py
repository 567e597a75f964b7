"""Entry point of ``python -m headwater_graphql``, which prints the schema's SDL for ``graphql/schema.graphql``."""

import sys

from headwater_graphql.schema import schema

sys.stdout.write(schema.as_str() + "\n")
