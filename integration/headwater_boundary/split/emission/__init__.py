"""Row sets as statements of PySpark, inside and outside.

``writer`` writes expressions, ``operators`` the operators that stay as they are, ``emission`` what crosses the boundary
and the aggregates that are put together.
"""

from headwater_boundary.split.emission.emission import Emission
from headwater_boundary.split.emission.intermediates import Intermediate

__all__ = ["Emission", "Intermediate"]
