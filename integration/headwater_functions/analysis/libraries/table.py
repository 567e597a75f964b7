"""The rules of functions and classes of libraries, by dotted names."""

from __future__ import annotations

from collections.abc import Mapping

from headwater_functions.analysis.calls import Rule
from headwater_functions.analysis.frames import computing, concatenated, merge
from headwater_functions.analysis.libraries.attributes import (
    attribute_by_name,
    fields_of,
    getter,
    is_instance,
    length,
    map_of_maps,
    part_of,
    seen_from_above,
    type_of,
    with_fixed,
)
from headwater_functions.analysis.libraries.dispatching import dispatching, registered
from headwater_functions.analysis.libraries.frames import arrow_frame, chosen, frame, of_pandas, series
from headwater_functions.analysis.libraries.hashing import hashed, keyed_hash, named_uuid
from headwater_functions.analysis.libraries.iterating import (
    accumulated,
    chained,
    copied,
    copied_deeply,
    elements_as_they_are,
    enumerated,
    extreme,
    filtered,
    following,
    iterated,
    mapped,
    reduced,
    reordered,
    repeated,
    runs,
    total,
    truths,
    zipped,
)
from headwater_functions.analysis.libraries.making import (
    convert,
    dictionary,
    from_keys,
    made_of,
    queue,
    row,
    with_default,
)
from headwater_functions.analysis.libraries.modules import (
    bound_later,
    data_class,
    decorated,
    descriptor,
    generated,
    keeping,
    logger,
    named_tuple,
    nothing,
)
from headwater_functions.analysis.values import (
    CAST,
    COMPUTE,
    FACT,
    NONE,
    PARSE,
    PART,
    SERIALIZE,
    join,
)


def _names(rule: Rule, text: str) -> dict[str, Rule]:
    return dict.fromkeys(text.split(), rule)


LIBRARY: Mapping[str, Rule] = {
    **_names(
        convert(CAST),
        "str int float bool complex decimal.Decimal fractions.Fraction numpy.float64 numpy.int64",
    ),
    **_names(computing(SERIALIZE), "repr format json.dumps ascii bytes bytearray"),
    **_names(computing(PARSE), "json.loads"),
    **_names(
        computing(COMPUTE),
        "abs round divmod pow ord chr bin hex oct range slice hash id callable hasattr pandas.to_datetime "
        "datetime.datetime.strptime",
    ),
    **_names(
        computing(FACT),
        "pandas.isna pandas.isnull pandas.notna pandas.notnull numpy.isnan math.isnan math.isinf",
    ),
    **_names(computing(PART), "zlib.crc32 zlib.adler32 binascii.crc32"),
    "len": length,
    "list": made_of("list"),
    "tuple": made_of("tuple"),
    "collections.deque": queue,
    **_names(made_of("set"), "set frozenset"),
    **_names(dictionary, "dict collections.OrderedDict"),
    "collections.ChainMap": map_of_maps,
    **_names(fields_of, "dataclasses.asdict dataclasses.astuple dataclasses.replace"),
    "dict.fromkeys": from_keys,
    "collections.defaultdict": with_default,
    **_names(row, "pyspark.sql.types.Row pyspark.sql.Row pyspark.Row"),
    "map": mapped,
    **_names(filtered, "filter itertools.filterfalse itertools.takewhile itertools.dropwhile"),
    **_names(zipped, "zip itertools.zip_longest itertools.product"),
    "enumerate": enumerated,
    "iter": iterated,
    "next": following,
    **_names(reordered, "sorted reversed"),
    **_names(extreme, "min max"),
    "sum": total,
    **_names(truths, "any all"),
    "functools.reduce": reduced,
    "_functools.reduce": reduced,
    **_names(chained, "itertools.chain itertools.chain.from_iterable"),
    **_names(elements_as_they_are, "itertools.islice itertools.cycle"),
    "itertools.accumulate": accumulated,
    "itertools.groupby": runs,
    "contextlib.suppress": computing(COMPUTE),
    "contextlib.nullcontext": lambda f, call: join(*call.all) if call.all else NONE,
    "itertools.repeat": repeated,
    "copy.copy": copied,
    "copy.deepcopy": copied_deeply,
    "getattr": attribute_by_name,
    "operator.getitem": part_of,
    "type": type_of,
    **_names(is_instance, "isinstance issubclass"),
    **_names(
        hashed,
        "hashlib.md5 hashlib.sha1 hashlib.sha224 hashlib.sha256 hashlib.sha384 hashlib.sha512 hashlib.sha3_224 "
        "hashlib.sha3_256 hashlib.sha3_384 hashlib.sha3_512 hashlib.blake2b hashlib.blake2s hashlib.new "
        "_hashlib.openssl_md5 _hashlib.openssl_sha1 _hashlib.openssl_sha224 _hashlib.openssl_sha256 "
        "_hashlib.openssl_sha384 _hashlib.openssl_sha512 _hashlib.openssl_sha3_256 _hashlib.openssl_sha3_512 "
        "_blake2.blake2b _blake2.blake2s",
    ),
    **_names(keyed_hash, "hmac.new hmac.HMAC hmac.digest"),
    **_names(named_uuid, "uuid.uuid3 uuid.uuid5"),
    **_names(frame, "pandas.DataFrame pandas.core.frame.DataFrame"),
    **_names(
        arrow_frame,
        "pyarrow.table pyarrow.record_batch pyarrow.lib.table pyarrow.lib.record_batch "
        "pyarrow.Table.from_pydict pyarrow.RecordBatch.from_pydict pyarrow.lib.Table.from_pydict "
        "pyarrow.lib.RecordBatch.from_pydict pyarrow.Table.from_arrays pyarrow.RecordBatch.from_arrays "
        "pyarrow.lib.Table.from_arrays pyarrow.lib.RecordBatch.from_arrays pyarrow.Table.from_pylist "
        "pyarrow.RecordBatch.from_pylist pyarrow.lib.Table.from_pylist pyarrow.lib.RecordBatch.from_pylist",
    ),
    **_names(
        of_pandas,
        "pyarrow.Table.from_pandas pyarrow.RecordBatch.from_pandas pyarrow.lib.Table.from_pandas "
        "pyarrow.lib.RecordBatch.from_pandas",
    ),
    **_names(
        series,
        "pandas.Series pandas.core.series.Series numpy.array numpy.asarray pyarrow.array pyarrow.lib.array "
        "pyarrow.chunked_array pyarrow.lib.chunked_array",
    ),
    **_names(merge, "pandas.merge pandas.core.reshape.merge.merge"),
    **_names(
        concatenated,
        "pandas.concat pandas.core.reshape.concat.concat pyarrow.concat_tables pyarrow.lib.concat_tables "
        "pyarrow.concat_batches pyarrow.lib.concat_batches",
    ),
    "numpy.where": chosen,
    **_names(
        decorated,
        "pyspark.sql.functions.udf pyspark.sql.functions.pandas_udf pyspark.sql.functions.arrow_udf "
        "headwater_spark.lineage functools.wraps \0decorator "
        "abc.abstractmethod typing.final typing.override functools.total_ordering "
        "pyspark.sql.functions.udtf",
    ),
    **_names(descriptor, "property staticmethod classmethod functools.cached_property"),
    **_names(keeping, "functools.lru_cache functools.cache"),
    "functools.partialmethod": bound_later,
    "functools.singledispatch": dispatching,
    "\0register": registered,
    **_names(data_class, "dataclasses.dataclass"),
    **_names(named_tuple, "collections.namedtuple"),
    **_names(
        nothing,
        "print warnings.warn logging.debug logging.info logging.warning logging.error logging.exception",
    ),
    "logging.getLogger": logger,
    **_names(
        nothing,
        "logging.getLogger().debug logging.getLogger().info logging.getLogger().warning logging.getLogger().error "
        "logging.getLogger().exception logging.getLogger().critical",
    ),
    **_names(
        generated,
        "uuid.uuid1 uuid.uuid4 secrets.token_hex secrets.token_bytes secrets.token_urlsafe "
        "random.random "
        "time.time time.time_ns time.monotonic datetime.datetime.now datetime.datetime.utcnow datetime.date.today",
    ),
    **_names(
        computing(COMPUTE),
        "secrets.choice secrets.randbelow random.randint random.choice random.uniform random.gauss",
    ),
    "functools.partial": with_fixed,
    "super": seen_from_above,
    "\0nothing": nothing,
    **_names(getter, "operator.itemgetter operator.attrgetter"),
    **_names(
        computing(COMPUTE),
        "Exception ValueError TypeError KeyError RuntimeError IndexError object StopIteration",
    ),
}
"""Rules of functions and classes of libraries."""


BUILDING = frozenset(
    {frame, arrow_frame, of_pandas, merge, concatenated, series, LIBRARY["list"], LIBRARY["tuple"]}
)
"""Rules that look into the containers they are given."""

HEEDLESS = frozenset({nothing, decorated})
"""Rules of what gives nothing of that which it is given, but for the function that it decorates."""
