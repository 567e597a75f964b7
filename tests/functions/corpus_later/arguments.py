"""Functions that hand arguments to libraries in every way these allow: by position, by name, and unpacked."""

import base64
import bisect
import collections
import functools
import hashlib
import hmac
import itertools
import json
import math
import re
import uuid
from collections import ChainMap, Counter, deque, namedtuple
from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Row

from functions.examples import example

WORDS = ["ada", "bob", "cyd", "dee"]
FRAME = pd.DataFrame({"a": [1, 5, 3, 4], "b": ["x", "y", "z", "x"], "c": [0.5, 2.5, 1.0, 9.0]})
OTHER = pd.DataFrame({"b": ["x", "y", "w"], "d": [7, 8, 9]})
NUMBERS = pd.Series([3.0, 1.0, 2.0, 8.0])
LABELS = pd.Series(["k", "l", "m", "n"])
TABLE = pa.table({"a": [1, 5, 3], "b": ["x", "y", "z"]})


@example(WORDS, 2)
def deque_maxlen(words, most):
    return list(deque(words, maxlen=most))


@example(WORDS, 2)
def deque_maxlen_by_place(words, most):
    return list(deque(words, most))


@example(WORDS, 2)
def deque_by_names(words, most):
    return list(deque(iterable=words, maxlen=most))


@example(WORDS, 2)
def deque_appended(words, most):
    last = deque([], most)
    for each in words:
        last.append(each)
    return list(last)


@example(WORDS, 2)
def deque_extended(words, most):
    last = deque(maxlen=most)
    last.extend(words)
    return len(last)


@example(WORDS, 2)
def deque_asked(words, most):
    return deque(words, most).maxlen


@example(WORDS, 5)
def enumerate_start(words, start):
    return [f"{n}:{w}" for n, w in enumerate(words, start=start)]


@example(WORDS, 5)
def enumerate_by_names(words, start):
    return [n for n, _ in enumerate(iterable=words, start=start)]


@example(WORDS, ["x"], "none")
def longest(words, short, fill):
    return [b for _, b in itertools.zip_longest(words, short, fillvalue=fill)]


@example(WORDS, 2)
def product_repeat(words, times):
    return ["".join(p) for p in itertools.product(words[:2], repeat=min(abs(times), 3))]


@example("x", 3)
def repeat_times(text, times):
    return list(itertools.repeat(text, times=times))


@example("x", 3)
def repeat_object(text, times):
    return list(itertools.repeat(object=text, times=times))


@example(WORDS, 2)
def islice_counted(words, most):
    return len(list(itertools.islice(words, most)))


@example(WORDS, 2)
def islice_unpacked(words, most):
    return list(itertools.islice(words, *(most,)))


@example([3, 1, 2], 10)
def accumulate_initial(values, start):
    return list(itertools.accumulate(values, initial=start))


@example([3, 1, 2], 10)
def accumulate_func(values, limit):
    return list(itertools.accumulate(iterable=values, func=lambda a, b: min(a + b, limit)))


@example(WORDS, 2)
def grouped_by_key(words, place):
    return [k for k, _ in itertools.groupby(iterable=words, key=lambda w: w[:place])]


@example(WORDS, 5, 2)
def count_step(words, start, step):
    return [n for n, _ in zip(itertools.count(start=start, step=step), words)]


@example(WORDS, ["x", "y"])
def chained_unpacked(one, other):
    both = (one, other)
    return list(itertools.chain(*both))


@example(WORDS, ["x", "y"])
def starred_list(one, other):
    return [*one, *other][-1]


@example(WORDS, ["x", "y"])
def zip_unpacked(one, other):
    pairs = [one, other]
    return [b for a, b in zip(*pairs)]


@example(WORDS, [1, 0, 1, 0])
def compressed(words, which):
    return list(itertools.compress(data=words, selectors=which))


@example([[1, 2], [3, 4]], 2)
def starmapped(pairs, factor):
    return list(itertools.starmap(lambda a, b: a * b * factor, pairs))


@example(WORDS, True)
def sorted_reverse(words, backwards):
    return sorted(words, reverse=backwards)[0]


@example([], "none")
def smallest_default(values, default):
    return min(values, default=default)


@example(WORDS, 1)
def largest_key(words, place):
    return max(words, key=lambda w: w[place:])


@example([1, 2], 5)
def sum_start(values, start):
    return sum(values, start=start)


@example("7f", 16)
def int_base(text, base):
    return int(text, base=base)


@example(3.14159, 2)
def round_digits(value, digits):
    return round(number=value, ndigits=digits)


@example(3, 4, 5)
def pow_mod(a, b, c):
    return pow(base=a, exp=b, mod=c)


@example(b"abc", "utf-8")
def bytes_decoded(data, encoding):
    return str(data, encoding=encoding)


@example("abc", b"k")
def blake_key(text, key):
    return hashlib.blake2b(text.encode(), key=key).hexdigest()


@example("abc", b"p")
def blake_person(text, person):
    return hashlib.blake2s(text.encode(), person=person, salt=b"x").hexdigest()


@example("abc", 4)
def blake_size(text, size):
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


@example("abc", 4)
def shake_length(text, size):
    return hashlib.shake_256(text.encode()).hexdigest(size)


@example("abc", "sha1")
def hash_named(text, name):
    return hashlib.new(name=name, data=text.encode()).hexdigest()


@example("abc", "pw")
def hmac_named(text, key):
    return hmac.new(key=key.encode(), msg=text.encode(), digestmod="sha256").hexdigest()


@example("abc", "pw")
def hmac_digest(text, key):
    return hmac.digest(key=key.encode(), msg=text.encode(), digest="sha256").hex()


@example("abc", "salt", 3)
def derived_key(text, salt, rounds):
    return hashlib.pbkdf2_hmac("sha256", text.encode(), salt.encode(), iterations=max(1, rounds)).hex()


@example("abc")
def uuid_named(text):
    return str(uuid.uuid5(namespace=uuid.NAMESPACE_URL, name=text))


@example("a,b,c", 1)
def split_most(text, most):
    return text.split(",", maxsplit=most)[-1]


@example("a,b,c", ",")
def split_separator(text, separator):
    return text.split(sep=separator)


@example("a1b22", "#", 1)
def substituted_count(text, by, count):
    return re.sub(pattern=r"\d", repl=by, string=text, count=count)


@example("a1b22", 1)
def split_by_pattern(text, most):
    return re.split(r"\d", text, maxsplit=most)


@example("a1b22", 2)
def searched_from(text, at):
    found = re.compile(r"\d").search(text, pos=at)
    return found and found.start()


@example("Ada", "Bern")
def formatted_names(who, town):
    return "{who} in {town}".format(who=who, town=town)


@example({"who": "Ada", "town": "Bern"})
def formatted_unpacked(given):
    return "{who} in {town}".format(**given)


@example("a b", "_")
def replaced_by_names(text, by):
    return text.replace(" ", by).ljust(8, by[:1] or "-")


@example({"a": 1}, 3)
def json_indent(value, indent):
    return json.dumps(value, indent=indent, sort_keys=True)


@example({"a": 1}, ":")
def json_separators(value, colon):
    return json.dumps(obj=value, separators=(",", colon))


@example("2024-01-02", "%Y-%m-%d", 3, 2)
def dates_by_names(text, shape, days, hours):
    return (datetime.strptime(text, shape) + timedelta(days=days, hours=hours)).isoformat(sep=" ")


@example(2020, 5, 17)
def replaced_date(year, month, day):
    return datetime(2000, 1, 1).replace(year=year, month=month, day=day).isoformat()


@example("1.005", "0.01")
def quantized(text, exponent):
    return str(Decimal(text).quantize(exp=Decimal(exponent)))


@example({"a": "1"}, {"b": "2"}, "none")
def chain_map_default(one, other, default):
    return ChainMap(one, other).get("c", default)


@example({"a": "1"}, "x", "none")
def got_default(given, name, default):
    return given.get(name, default)


@example({"a": "1"}, "none")
def popped_default(given, default):
    return dict(given).pop("z", default)


@example(Row(a=1, b="x"), "none")
def attribute_default(row, default):
    return getattr(row, "zz", default)


@example(["a", "b", "a"], 1)
def counted_most(words, most):
    return [w for w, _ in Counter(words).most_common(n=most)]


@example(3, 4)
def counter_names(a, b):
    return Counter(x=a, y=b)["y"]


@example("a", "b")
def dict_names(a, b):
    return dict([("x", a)], y=b)


@example({"x": "a"}, "b")
def dict_unpacked(given, b):
    return dict(given, **{"y": b})


Made = namedtuple("Made", ["one", "two"], defaults=["none"])


@example("a", "b")
def named_tuple_names(a, b):
    return Made(two=b, one=a)


@example(["a", "b"])
def named_tuple_unpacked(values):
    return Made(*values[:2])


@example(["a", "b"])
def named_tuple_made(values):
    return Made._make(values[:2])


@example([1, 3, 5], 4, 1)
def bisected(values, x, low):
    return bisect.bisect_left(values, x, lo=max(0, low))


@example([1, 3, 5], 2)
def reduced_from(values, start):
    return functools.reduce(lambda a, b: a * b, values, start)


@example("abc", "x")
def partial_named(text, by):
    return functools.partial(str.replace, text, "b")(by)


def spaced(*words, sep="-", **marks):
    return sep.join(words) + "".join(marks.values())


@example("a", "b", "+", "!")
def own_starred(a, b, sep, mark):
    return spaced(*[a, b], sep=sep, **{"m": mark})


@example(["a", "b"], {"sep": "+", "m": "!"})
def own_unpacked(words, options):
    return spaced(*words, **options)


@example([1.0, 2.0], 0.5)
def close(values, tolerance):
    return math.isclose(values[0], values[1], abs_tol=tolerance)


@example([3.0, 4.0], [0.0, 0.0])
def distance(p, q):
    return math.dist(p, q)


@example("YWJj", "latin-1")
def base64_text(text, encoding):
    return base64.b64decode(s=text).decode(encoding=encoding)


@example(FRAME, 2)
def head_of(df, n):
    return df.head(n)


@example(FRAME, 2)
def tail_named(df, n):
    return df.tail(n=n)[["b"]]


@example(FRAME, "new")
def inserted_by_names(df, value):
    df.insert(loc=0, column="n", value=value)
    return df[["n"]]


@example(FRAME, LABELS)
def inserted_series(df, labels):
    df.insert(1, "n", value=labels)
    return df[["n", "a"]]


@example(FRAME, "none")
def got_column_default(df, default):
    return pd.DataFrame({"v": [df.get("zz", default=default)]})


@example(NUMBERS, LABELS)
def frame_by_data(numbers, labels):
    return pd.DataFrame(data={"n": numbers, "l": labels})


@example(NUMBERS, LABELS)
def frame_with_index(numbers, labels):
    return pd.DataFrame(data={"n": list(numbers)}, index=labels).reset_index(names="l")


@example(NUMBERS, LABELS)
def series_by_data(numbers, labels):
    return pd.Series(data=numbers.tolist(), index=labels.tolist()).reset_index(drop=False)["index"]


@example(FRAME, OTHER)
def merged_by_names(left, right):
    return pd.merge(left=left, right=right, how="left", on="b")[["a", "d"]]


@example(FRAME, OTHER)
def merged_method(left, right):
    return left.merge(right=right, on="b", indicator="where")[["where", "c"]]


@example(FRAME, OTHER)
def concatenated_by_name(left, right):
    return pd.concat(objs=[left[["b"]], right[["b"]]], ignore_index=True)


@example(FRAME, FRAME)
def concatenated_keys(left, right):
    return pd.concat([left, right], keys=["l", "r"], names=["side"]).reset_index()[["side", "a"]]


@example(FRAME, OTHER)
def joined(left, right):
    return left.join(other=right.set_index("b"), on="b", how="left")[["a", "d"]]


@example(FRAME, "z")
def filled_by_name(df, value):
    return df.mask(df["a"] > 2).fillna(value=value)[["b"]]


@example(NUMBERS, LABELS)
def masked_other(numbers, labels):
    return labels.where(cond=numbers > 1.5, other="low")


@example(NUMBERS, 1.0, 2.5)
def clipped(numbers, low, high):
    return numbers.clip(lower=low, upper=high)


@example(NUMBERS, 2)
def applied_args(numbers, factor):
    return numbers.apply(lambda n, k, add: n * k + add, args=(factor,), add=1)


@example(FRAME, 2)
def applied_keywords(df, factor):
    return df.apply(lambda row, k: f"{row['b']}{k}", axis=1, k=factor).to_frame("v")


@example(NUMBERS, "zz")
def mapped_missing(numbers, default):
    return numbers.map({3.0: "three"}).fillna(default)


@example(FRAME, 5)
def assigned_lambda(df, by):
    return df.assign(n=lambda d: d["a"] + by)[["n"]]


@example(FRAME, 5)
def piped_keywords(df, by):
    return df.pipe(lambda d, k: d.assign(n=d["a"] * k), k=by)[["n", "b"]]


@example(FRAME, False)
def sorted_direction(df, rising):
    return df.sort_values(by="c", ascending=bool(rising))[["b"]]


@example(FRAME, 2)
def largest_n(df, n):
    return df.nlargest(n=n, columns="c")[["b"]]


@example(FRAME, 0.5)
def quantile_at(df, q):
    return df[["c"]].quantile(q=min(1, abs(q or 0))).to_frame("q")


@example(NUMBERS, 2)
def shifted(numbers, periods):
    return numbers.shift(periods=periods, fill_value=-1)


@example(NUMBERS, 2)
def rolled(numbers, window):
    return numbers.rolling(window=abs(window) + 1, min_periods=1).sum()


@example(NUMBERS, [0, 2, 10], ["lo", "hi"])
def cut_bins(numbers, bins, labels):
    return pd.cut(x=numbers, bins=bins, labels=labels).astype(str)


@example(NUMBERS, "coerce")
def parsed_numbers(numbers, errors):
    return pd.to_numeric(arg=numbers.astype(str) + "x", errors=errors)


@example(LABELS, "k", "#")
def series_replaced(labels, old, new):
    return labels.replace(to_replace=old, value=new)


@example(LABELS, "+")
def concatenated_text(labels, sep):
    return labels.str.cat(others=labels, sep=sep)


@example(LABELS, 3, "*")
def padded_text(labels, width, fill):
    return labels.str.pad(width=width, fillchar=fill[:1] or ".")


@example(NUMBERS, LABELS, LABELS)
def where_parts(numbers, yes, no):
    return pd.Series(np.where(numbers > 2, yes, no))


@example(NUMBERS, "d")
def select_default(numbers, default):
    return pd.Series(np.select(condlist=[numbers > 2], choicelist=[numbers.astype(str)], default=default))


@example(NUMBERS, 1.5)
def numpy_named(numbers, low):
    return pd.Series(np.clip(a=numbers, a_min=low, a_max=5))


@example(NUMBERS, 3)
def numpy_full(numbers, value):
    return pd.Series(np.full(shape=len(numbers), fill_value=value))


@example(NUMBERS, 2)
def numpy_repeated(numbers, times):
    return pd.Series(np.repeat(a=numbers.to_numpy(), repeats=abs(times)))


@example(NUMBERS, [1.0, 2.5], [10.0, 20.0])
def interpolated(numbers, xs, ys):
    return pd.Series(np.interp(x=numbers, xp=xs, fp=ys))


@example(FRAME, 5)
def query_local(df, by):
    return df[df.a.gt(other=by)][["b"]]


@example(FRAME, "m")
def melted_name(df, name):
    long = df.melt(id_vars="b", value_vars=["a"], value_name="v")
    return long.assign(variable=name)


@example(FRAME)
def renamed_function(df):
    return df.rename(columns=str.upper)[["A"]]


@example(FRAME)
def axis_set(df):
    return df.set_axis(labels=["p", "q", "r"], axis=1)[["q"]]


@example(TABLE, "x")
def arrow_filled(table, value):
    column = pc.if_else(pc.greater(table["a"], 2), table["b"], value)
    return pa.table({"v": column})


@example(TABLE, 2)
def arrow_sliced(table, length):
    return table.slice(offset=0, length=abs(length))


@example(TABLE)
def arrow_by_names(table):
    return pa.Table.from_arrays(arrays=[table["b"], table["a"]], names=["one", "two"])


@example(TABLE)
def arrow_set(table):
    return table.set_column(0, "z", pc.add(x=table["a"], y=1))


@example("a", "b", "c")
def deque_first(a, b, c):
    return deque([a, b, c], maxlen=2)[0]


@example("a", "b", "c")
def deque_appended_first(a, b, c):
    last = deque([a, b], maxlen=2)
    last.append(c)
    return last[0]


@example("a", "b", "c")
def deque_left_first(a, b, c):
    last = deque([a, b])
    last.appendleft(c)
    last.extendleft([a])
    return last[1]


@example("a", "b", "c")
def deque_left_dropped(a, b, c):
    last = deque([a, b], 2)
    last.appendleft(c)
    first, second = last
    return {"first": first, "second": second}


@example({"a": "x"}, "b")
def default_dictionary(given, name):
    made = collections.defaultdict(str, given, z=name)
    return made["z"] + made["a"]


@example("a", "b", "c")
def list_inserted(a, b, c):
    made = [a, b]
    made.insert(0, c)
    return made[1]


@example(5, "x")
def same_type(value, other):
    return isinstance(value, type(other))


@example("a", "b")
def defaulted_tuple(a, b):
    made = namedtuple("Pair", "x y", defaults=[b])
    return made(a).y


@example("a", ValueError)
def raised_text(text, kind):
    try:
        raise ValueError(text)
    except ValueError as problem:
        return str(problem)
