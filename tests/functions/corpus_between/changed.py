"""Functions that change by an operator what another name has, too."""

import itertools

import numpy as np
import pandas as pd
from functions.examples import example

FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [4.0, 5.0, 6.0], "z": [7.0, 8.0, 9.0]})
FIRST = pd.Series([1.0, 2.0, 3.0])
SECOND = pd.Series([4.0, 5.0, 7.0])


@example(FRAME)
def to_numpy(frame):
    a = frame["x"].to_numpy()
    a += frame["y"].to_numpy()
    return frame[["x"]]


@example(FRAME)
def values_of_a_column(frame):
    a = frame["x"].values
    a *= frame["y"].values
    return frame[["x", "z"]]


@example(FRAME)
def reshaped(frame):
    a = frame["x"].to_numpy().reshape(3, 1)
    a += frame[["y"]].to_numpy()
    return frame[["x"]]


@example(FRAME)
def as_array(frame):
    a = np.asarray(frame["x"])
    a += frame["y"].to_numpy()
    return frame[["x"]]


@example(FRAME)
def array_of_pandas(frame):
    a = frame["x"].array
    a += frame["y"].array
    return frame[["x"]]


@example(FRAME)
def by_ravel(frame):
    a = np.ravel(frame["x"])
    a -= frame["y"].to_numpy()
    return frame[["x"]]


@example(FRAME)
def of_the_frame(frame):
    a = frame.to_numpy()
    a += frame["y"].sum()
    return frame[["x"]]


@example(FRAME)
def of_slices_in_a_loop(frame):
    for n in ("x", "z"):
        a = frame[n].to_numpy()[:2]
    a += frame["y"].sum()
    return frame[["x", "z"]]


@example(FIRST, SECOND)
def of_a_series(x, y):
    a = x.to_numpy()
    a += y.to_numpy()
    return x


@example(FIRST, SECOND)
def of_a_turned_series(x, y):
    a = np.asarray(x).T
    a += y.to_numpy()
    return x


@example(FIRST, SECOND)
def of_a_ravelled_series(x, y):
    a = x.to_numpy().ravel()
    a += y.to_numpy()
    return x


@example(FIRST, SECOND)
def of_a_reversed_series(x, y):
    a = x.to_numpy()[::-1]
    a += y.to_numpy()
    return x


@example(FIRST, SECOND)
def of_a_view(x, y):
    a = x.iloc[:2]
    a += 1
    b = x.to_numpy().view()
    b *= y.mean()
    return x


@example([["a"], ["b"]], "Bern")
def of_an_element(rows, c):
    r = rows[0]
    r += [c]
    return rows


@example([["a"], ["b"]], "Bern")
def of_each_element(rows, c):
    for r in rows:
        r += [c]
    return rows


@example([["a"], ["b"]], "Bern")
def of_the_longer_element(rows, c):
    r = max(rows, key=len)
    r += [c]
    return rows


@example([["a"], ["b"]], "Bern")
def of_the_first_of_sorted(rows, c):
    r = sorted(rows)[0]
    r += [c]
    return rows


@example([["a"], ["b"]], "Bern")
def of_the_next(rows, c):
    r = next(iter(rows))
    r += [c]
    return rows


@example({"k": ["a"], "j": ["b"]}, "Bern")
def of_a_value_by_get(d, c):
    r = d.get("k")
    r += [c]
    return d


@example({"k": ["a"], "j": ["b"]}, "Bern")
def of_each_value(d, c):
    for r in d.values():
        r += [c]
    return d


@example({"k": ["a"], "j": ["b"]}, "Bern")
def of_a_value_of_a_copy(d, c):
    r = dict(d)["k"]
    r += [c]
    return d


@example({"k": ["a"], "j": ["b"]}, "Bern")
def of_a_value_by_its_method(d, c):
    r = d.__getitem__("k")
    r += [c]
    return d


@example([["a"], ["b"]], "Bern")
def of_an_element_of_a_slice(rows, c):
    r = rows[:1][0]
    r += [c]
    return rows


@example([["a"], ["b"]], "Bern")
def of_the_smaller(rows, c):
    r = min(rows[0], rows[1])
    r += c
    return rows


@example([["a"], ["b"]], "Bern")
def of_a_chained_element(rows, c):
    r = list(itertools.chain([rows[0]], [rows[1]]))[1]
    r += [c]
    return rows


@example([["a"], ["b"]], "Bern")
def by_a_constant_list_under_a_condition(rows, c):
    r = rows[0]
    if c.startswith("B"):
        r += ["constant"]
    return rows


@example([["a"], ["b"]], "Bern")
def by_a_number_that_is_chosen(rows, c):
    r = rows[0]
    r *= 2 if c.startswith("B") else 1
    return rows


@example([["a"], ["b"]], "Bern")
def by_a_number_under_a_condition(rows, c):
    r = rows[0]
    if c.startswith("B"):
        r *= 2
    return rows


@example(FIRST, SECOND)
def by_a_constant_under_a_condition(x, y):
    a = x.to_numpy()
    if y.mean() > 5.2:
        a *= 2
    return x


@example(FIRST, SECOND)
def of_the_series_itself_under_a_condition(x, y):
    a = x
    if y.mean() > 5.2:
        a *= 2
    return x


@example(FRAME)
def of_a_column_under_a_condition(frame):
    a = frame["x"]
    if frame["y"].mean() > 5.1:
        a += 1
    return frame[["x", "z"]]


@example(FRAME)
def by_a_third_argument(frame):
    a = frame[["x"]].to_numpy()
    np.add(a, frame[["y"]].to_numpy(), a)
    b = frame["x"].to_numpy()
    np.add(b, frame["y"].to_numpy(), b)
    return frame[["x", "z"]]


@example(FIRST, SECOND)
def of_a_product(x, y):
    s = x * 2
    t = s
    s += y
    return t


@example(FIRST, SECOND)
def of_absolute_values(x, y):
    s = x.abs()
    t = s
    s += y
    return t


@example(FIRST, SECOND)
def of_zeros_by_a_slice(x, y):
    a = np.zeros(3)
    b = a[:]
    b += y.to_numpy()
    return pd.Series(a)


@example(FIRST, SECOND)
def of_zeros_in_a_list(x, y):
    a = np.zeros(3)
    b = [a]
    a += y.to_numpy()
    return pd.Series(b[0])


@example(FIRST, SECOND)
def of_a_constant_series(x, y):
    a = pd.Series([0.0, 0.0, 0.0])
    b = a.to_numpy()
    b += y.to_numpy()
    return a


@example(FIRST, SECOND)
def of_ones(x, y):
    a = np.zeros(3) + 1
    b = a
    b += y.to_numpy()
    return pd.Series(a)


@example(FIRST, SECOND)
def by_out(x, y):
    a = x.to_numpy()
    y.to_numpy().cumsum(out=a)
    return x


@example(FIRST, SECOND)
def of_logarithms(x, y):
    a = np.log(x)
    b = a
    b += y
    return a


@example(FIRST, SECOND)
def of_what_is_in_a_dictionary(x, y):
    a = x.fillna(0)
    b = {"k": a}
    b["k"] += y
    return a


@example(FRAME)
def of_an_own_frame(frame):
    out = pd.DataFrame({"n": frame["x"] * 2})
    a = out["n"]
    a += frame["y"]
    return out


@example(FRAME)
def of_a_selected_frame(frame):
    out = frame[["x"]]
    a = out.x
    a += frame["y"]
    b = out["x"].to_numpy()
    b *= frame["z"].to_numpy()
    return out


@example(FIRST, SECOND)
def of_repeated_constants(x, y):
    a = [0.0] * 3
    b = a
    b += list(y)
    return pd.Series(a[3:])
