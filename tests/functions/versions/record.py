"""Records the code of a file's functions under another Python, to be read by this one.

python3.13 tests/functions/versions/record.py FILE… > tests/functions/versions/3.13.json
python3.13 tests/functions/versions/record.py --whole tests/functions/versions/classes.py > …/classes-3.13.json
"""

import base64
import json
import pathlib
import sys
import types


def plain(value):
    if isinstance(value, types.CodeType):
        return {"code": code_of(value)}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, (tuple, frozenset)):
        return {"tuple": [plain(v) for v in value]}
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    return {"other": repr(value)}


def code_of(code):
    names = [
        "co_name",
        "co_firstlineno",
        "co_flags",
        "co_argcount",
        "co_posonlyargcount",
        "co_kwonlyargcount",
        "co_code",
        "co_consts",
        "co_names",
        "co_varnames",
        "co_freevars",
        "co_cellvars",
        "co_linetable",
        "co_exceptiontable",
    ]
    return {name: plain(getattr(code, name, b"")) for name in names}


found = []
whole = "--whole" in sys.argv
for file in sys.argv[1 + whole :]:
    module = compile(pathlib.Path(file).read_text(encoding="utf-8"), file, "exec")
    found += (
        [code_of(module)]
        if whole
        else [
            code_of(c)
            for c in module.co_consts
            if isinstance(c, types.CodeType) and not c.co_name.startswith("<") and c.co_name[0].islower()
        ]
    )
print("[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in found) + "\n]")
