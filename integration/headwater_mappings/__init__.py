"""Business mappings: a language in which people write how entities are populated, and its lineage.

::

    WHEN POPULATING AGREEMENT FROM CUSTOMER MASTER DATA
      POPULATE AGREEMENT.OPEN DT
        WITH CUSTOMER MASTER DATA.CIF OPENING DATE IF CUSTOMER MASTER DATA.CIF OPENING DATE != 01010001
        WITH "DEFAULT UNKNOWN"
      SELECT ROWS WHERE CUSTOMER MASTER DATA.PARTNER TYPE = "PERSON"

``parse`` reads a text into the ``tree``, ``render`` writes it again, and ``events`` makes OpenLineage's events of it:
an entity is a dataset, an attribute a path, a mapping a job. Errors have line and column, and what was expected.
"""

from headwater_mappings.errors import MappingError
from headwater_mappings.events import Document, events_of
from headwater_mappings.parsing import parse
from headwater_mappings.rendering import render

__all__ = ["Document", "MappingError", "events_of", "parse", "render"]
