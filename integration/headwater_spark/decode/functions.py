"""The names of Catalyst's functions, in one place: by the class, however the program calls it.

Most classes are called as their functions are documented (``ArrayDistinct``: ``array_distinct``); others have a row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from headwater_plan.functions import UNRESOLVED

_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNRESOLVED: Final = "Unresolved"
"""How Spark begins the names of what its analyser has to replace."""

_REGULAR: Final = """
    AesDecrypt AesEncrypt And AnyValue ApproxTopK ArrayAppend ArrayCompact ArrayContains ArrayDistinct
    ArrayExcept ArrayInsert ArrayIntersect ArrayJoin ArrayMax ArrayMin ArrayPosition ArrayPrepend ArrayRemove
    ArrayRepeat ArraySize ArraySort ArrayUnion ArraysOverlap ArraysZip Ascii AtLeastNNonNulls Between BitLength
    BitmapCount Coalesce Collation CollationAwareMurmur3Hash Collations CollectList CollectSet CollectTopK
    Concat ConcatWs Contains Conv ConvertTimezone Corr Count CountIf Crc32 CumeDist CurrentBatchTimestamp
    CurrentCatalog CurrentDatabase CurrentDate CurrentPath CurrentTime CurrentTimestamp CurrentTimestampNanos
    CurrentUser DateAddInterval DateAddYMInterval DatetimeSub DenseRank DistributedSequenceID DivideDTInterval
    DivideYMInterval Elt Encode Explode FindInSet First Flatten FormatNumber FormatString FromAvro FromProtobuf
    FromUTCTimestamp GetJsonObject GetTimestamp Greatest GroupingID HiveHash HllSketchAgg HllSketchEstimate
    HllUnion HllUnionAgg Hmac Hour HoursOfTime In InSet InSubquery Inline InputFileBlockLength
    InputFileBlockStart InputFileName IsValidUTF8 IsValidVariant IsVariantNull JsonTable JsonTuple
    KllSketchGetNBigint KllSketchGetNDouble KllSketchGetNFloat KnownNotNull KnownNullable Kurtosis Lag Last
    LastDay Lead Least Left Length Levenshtein Like LikeAll LikeAny LocalTimestampNanos Lower MapConcat
    MapContainsKey MapEntries MapFilter MapFromArrays MapFromEntries MapKeys MapSort MapValues MapZipWith Mask
    Max MaxBy MaxMinByK Md5 Median Min MinBy Minute MinutesOfTime Mode MonotonicallyIncreasingID Month
    MultiGetJsonObject MultiplyDTInterval MultiplyYMInterval NextDay Not NotLikeAll NotLikeAny Now NthValue
    OctetLength Or Overlay ParseJson ParseUrl PercentRank Percentile PercentileCont PercentileDisc Pi PivotFirst
    Pmod PreciseTimestampConversion Product Quarter RaiseError Rand Randn Rank RegrCount RegrIntercept RegrR2
    RegrSXX RegrSXY RegrSYY RegrSlope Reverse Right Round RoundCeil RoundFloor RowNumber SQLKeywords
    SchemaOfVariant SchemaOfVariantAgg Second SecondWithFraction SecondsOfTime SecondsOfTimeWithFraction Sha1
    Sha2 Shuffle Signum Size Skewness Slice SortArray SparkPartitionID SplitPart Stack StddevPop StddevSamp
    StringDecode StringSplitSQL Substring SubstringIndex SubtractDates SubtractTimestamps Sum
    ThetaIntersectionAgg ThetaSketchAgg ThetaSketchEstimate ThetaUnionAgg TimeAdd TimestampAddInterval
    TimestampAddYMInterval ToAvro ToBinary ToNumber ToProtobuf ToUTCTimestamp ToUnixTimestamp ToVariantObject
    TransformKeys TransformValues TryEval TryParseUrl TryToNumber Uniform UnixTimestamp Upper Uuid
    VariantExplode VariantGet VectorAvg VectorSum Year YearOfWeek ZipWith
"""
"""Functions of which more is known than their arguments, and which are called as their classes are."""

_OTHERS: Final = {
    "Add": "+",
    "ApproximatePercentile": "percentile_approx",
    "ArrayAggregate": "aggregate",
    "ArrayExists": "exists",
    "ArrayFilter": "filter",
    "ArrayForAll": "forall",
    "ArrayTransform": "transform",
    "Average": "avg",
    "AvroDataToCatalyst": "from_avro",
    "BRound": "bround",
    "Base32": "to_base32",
    "BitAndAgg": "bit_and",
    "BitOrAgg": "bit_or",
    "BitXorAgg": "bit_xor",
    "BitwiseAnd": "&",
    "BitwiseCount": "bit_count",
    "BitwiseGet": "getbit",
    "BitwiseNot": "~",
    "BitwiseOr": "|",
    "BitwiseXor": "^",
    "CallMethodViaReflection": "reflect",
    "CatalystDataToAvro": "to_avro",
    "CatalystDataToProtobuf": "to_protobuf",
    "CollationAwareXxHash64": "collation_aware_xxhash64",
    "CountMinSketchAgg": "count_min_sketch",
    "CovPopulation": "covar_pop",
    "CovSample": "covar_samp",
    "CsvToStructs": "from_csv",
    "CurrentTimeZone": "current_timezone",
    "DateFormatClass": "date_format",
    "DayName": "dayname",
    "DayOfMonth": "dayofmonth",
    "DayOfWeek": "dayofweek",
    "DayOfYear": "dayofyear",
    "Divide": "/",
    "EndsWith": "endswith",
    "EqualNullSafe": "<=>",
    "EqualTo": "=",
    "EulerNumber": "e",
    "FromUnixTime": "from_unixtime",
    "GeneratorOuter": "outer",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "HyperLogLogPlusPlus": "approx_count_distinct",
    "ILike": "ilike",
    "InitCap": "initcap",
    "IntegralDivide": "div",
    "IsNaN": "isnan",
    "IsNotNull": "isnotnull",
    "IsNull": "isnull",
    "JaroWinkler": "jaro_winkler_similarity",
    "JsonToStructs": "from_json",
    "LengthOfJsonArray": "json_array_length",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "ListAgg": "listagg",
    "LocalTimestamp": "localtimestamp",
    "Log": "ln",
    "Logarithm": "log",
    "Luhncheck": "luhn_check",
    "MicrosToTimestamp": "timestamp_micros",
    "MillisToTimestamp": "timestamp_millis",
    "MonthName": "monthname",
    "Multiply": "*",
    "Murmur3Hash": "hash",
    "NTile": "ntile",
    "NanosToTimestamp": "timestamp_nanos",
    "NormalizeNaNAndZero": "normalize_nan_and_zero",
    "NullIfZero": "nullifzero",
    "ParseToDate": "to_date",
    "ParseToTimestamp": "to_timestamp",
    "PosExplode": "posexplode",
    "ProtobufDataToCatalyst": "from_protobuf",
    "RLike": "rlike",
    "RandStr": "randstr",
    "RegExpCount": "regexp_count",
    "RegExpExtract": "regexp_extract",
    "RegExpExtractAll": "regexp_extract_all",
    "RegExpInStr": "regexp_instr",
    "RegExpReplace": "regexp_replace",
    "RegExpSubStr": "regexp_substr",
    "RegrAvgX": "regr_avgx",
    "RegrAvgY": "regr_avgy",
    "Remainder": "%",
    "ST_AsBinary": "st_asbinary",
    "ST_GeogFromWKB": "st_geogfromwkb",
    "ST_GeomFromWKB": "st_geomfromwkb",
    "ST_SetSrid": "st_setsrid",
    "SecondsToTimestamp": "timestamp_seconds",
    "ShiftLeft": "shiftleft",
    "ShiftRight": "shiftright",
    "ShiftRightUnsigned": "shiftrightunsigned",
    "SoundEx": "soundex",
    "SparkVersion": "version",
    "StartsWith": "startswith",
    "StringInstr": "instr",
    "StringLPad": "lpad",
    "StringLocate": "locate",
    "StringRPad": "rpad",
    "StringRepeat": "repeat",
    "StringReplace": "replace",
    "StringSpace": "space",
    "StringSplit": "split",
    "StringToMap": "str_to_map",
    "StringTranslate": "translate",
    "StringTrim": "trim",
    "StringTrimBoth": "btrim",
    "StringTrimLeft": "ltrim",
    "StringTrimRight": "rtrim",
    "StructsToCsv": "to_csv",
    "StructsToJson": "to_json",
    "StructsToXml": "to_xml",
    "Subtract": "-",
    "TimeWindow": "window",
    "ToCharacter": "to_char",
    "ToDegrees": "degrees",
    "ToRadians": "radians",
    "TruncDate": "trunc",
    "TruncTimestamp": "date_trunc",
    "TypeOf": "typeof",
    "UnBase32": "from_base32",
    "UnBase64": "unbase64",
    "UnaryMinus": "negative",
    "UnaryPositive": "positive",
    "VariancePop": "var_pop",
    "VarianceSamp": "var_samp",
    "WeekDay": "weekday",
    "WeekOfYear": "weekofyear",
    "XPathBoolean": "xpath_boolean",
    "XPathDouble": "xpath_double",
    "XPathFloat": "xpath_float",
    "XPathInt": "xpath_int",
    "XPathList": "xpath",
    "XPathLong": "xpath_long",
    "XPathShort": "xpath_short",
    "XPathString": "xpath_string",
    "XmlToStructs": "from_xml",
    "XxHash64": "xxhash64",
    "ZeroIfNull": "zeroifnull",
}
"""Functions that Spark documents under another name than their class's, and what nobody can call."""


def _regular(name: str) -> str:
    return _WORD.sub("_", name).lower()


FUNCTIONS: Final[Mapping[str, str]] = {**{name: _regular(name) for name in _REGULAR.split()}, **_OTHERS}
"""The names of functions by Catalyst's class; a class without a row is called regularly."""


@cache
def function_of(name: str) -> str:
    """The name of the function that a class stands for."""
    if name.startswith(_UNRESOLVED):
        return UNRESOLVED
    return FUNCTIONS.get(name) or _regular(name)
