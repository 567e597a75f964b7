"""Records the pickles of functions that hold or make objects, as Spark sends them from another Python.

PYTHONPATH=tests:SITE_PACKAGES python3.13 tests/functions/versions/record_objects.py > …/objects-3.13.json
"""

import base64
import json
import zlib
from importlib import import_module

from pyspark.cloudpickle import dumps, register_pickle_by_value

found = {}
for file in ("held", "made"):
    module = import_module(f"functions.corpus_objects.{file}")
    register_pickle_by_value(module)
    for number, each in enumerate(module.EXAMPLES):
        name = f"{file} {number} {getattr(each.function, '__name__', '')}"
        pickled = base64.b64encode(zlib.compress(dumps((each.function, None), 4))).decode()
        found[name] = [len(each.arguments), pickled]
print(json.dumps(found, indent=0))
