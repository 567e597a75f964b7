"""Programs that change frames, series and arrays in place, each in another way that data scientists know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

Program = Callable[[Any], Any]
PROGRAMS: dict[str, Program] = {}
BOTH = ["x", "y"]


def program(function: Program) -> Program:
    """A program of the corpus."""
    PROGRAMS[function.__name__] = function
    return function


@program
def diagonal_of_values(frame: Any) -> Any:
    both = frame[BOTH]
    np.fill_diagonal(both.values, frame["n"].sum())
    return both


@program
def values_turned(frame: Any) -> Any:
    both = frame[BOTH]
    both.values.T[0] = both["y"]
    return both


@program
def values_of_a_frame_that_is_new(frame: Any) -> Any:
    both = frame[BOTH].copy()
    values = both.values
    values[:] = values[::-1].copy()
    return both.assign(n=frame["n"])


@program
def values_made_writeable(frame: Any) -> Any:
    both = frame[BOTH]
    values = both.values
    values.flags.writeable = True
    values[:] = values[::-1].copy()
    return both


@program
def column_made_writeable(frame: Any) -> Any:
    array = frame["x"].to_numpy()
    array.setflags(write=True)
    array[0] = frame["y"].iloc[3]
    return frame[BOTH].assign(made=array)


@program
def base_of_a_column(frame: Any) -> Any:
    array = frame["x"].to_numpy()
    base = array if array.base is None else array.base
    if isinstance(base, np.ndarray) and base.flags.writeable:
        base.reshape(-1)[:5] = base.reshape(-1)[:5][::-1].copy()
    return frame[BOTH]


@program
def arrays_of_two_types(frame: Any) -> Any:
    first, second = frame["x"].to_numpy(), frame["n"].to_numpy()
    first.sort()
    second[:] = second[::-1].copy()
    return frame[["x", "n"]]


@program
def one_array_after_another(frame: Any) -> Any:
    frame["x"].to_numpy().sort()
    frame["n"].to_numpy().sort()
    frame["text"].to_numpy().sort()
    frame["masked"].array[0] = frame["masked"].array[4]
    return frame[["x", "n", "text", "masked"]]


@program
def arrays_and_lists(frame: Any) -> Any:
    made = frame[["x", "text"]].assign(made=frame["text"].str.split("e"))
    made["x"].to_numpy()[:] = made["x"].to_numpy()[::-1].copy()
    made.at[0, "made"].append(frame["kind"].iloc[3])
    return made.assign(made=made["made"].str.join("-"))


@program
def array_of_another_shape(frame: Any) -> Any:
    array = frame["x"].to_numpy(copy=True)
    array.shape = (5, 1)
    array[0] = array[3]
    return pd.DataFrame(array)


@program
def records_of_an_array_swapped(frame: Any) -> Any:
    array = frame["x"].to_numpy(copy=True)
    array.dtype = np.dtype("i8")
    array[:2] = array[:2][::-1].copy()
    return pd.DataFrame({"made": array})


@program
def shared_by_a_shallow_copy(frame: Any) -> Any:
    both = frame[BOTH]
    other = both.copy(deep=False)
    other.loc[0, "x"] = other.loc[3, "y"]
    return both


@program
def shared_by_a_column(frame: Any) -> Any:
    column = frame["x"]
    frame.loc[0, "x"] = frame.loc[3, "y"]
    return column.to_frame()


@program
def shared_by_a_slice(frame: Any) -> Any:
    first = frame[:3]
    frame.loc[0, "x"] = frame.loc[3, "y"]
    return first[BOTH]


@program
def slice_changed(frame: Any) -> Any:
    first = frame[:3]
    first.iloc[0, 0] = frame["y"].iloc[4]
    return frame[BOTH]


@program
def turned_changed(frame: Any) -> Any:
    both = frame[BOTH]
    turned = both.T
    turned.iloc[0, 0] = both.iloc[3, 1]
    return both


@program
def items_changed(frame: Any) -> Any:
    both = frame[BOTH]
    for column in dict(both.items()).values():
        column.iloc[0] = column.iloc[4]
    return both


@program
def records_changed(frame: Any) -> Any:
    both = frame[BOTH]
    for _, record in both.iterrows():
        record["x"] = record["y"]
    return both


@program
def records_changed_by_apply(frame: Any) -> Any:
    both = frame[BOTH]

    def change(record: Any) -> Any:
        record["x"] = record["y"] * 2
        return record["x"]

    both.apply(change, axis=1)
    return both


@program
def columns_changed_by_apply(frame: Any) -> Any:
    both = frame[BOTH]

    def change(column: Any) -> Any:
        column.iloc[0] = column.iloc[4]
        return column

    both.apply(change)
    return both


@program
def arrays_changed_by_apply(frame: Any) -> Any:
    both = frame[BOTH]
    both.apply(lambda column: column.sort(), raw=True)
    return both


@program
def arrays_of_groups_changed(frame: Any) -> Any:
    def change(part: Any) -> Any:
        part["x"].to_numpy()[:] = part["x"].to_numpy()[::-1].copy()
        return part["x"].sum()

    frame.groupby("kind", observed=True).apply(change, include_groups=False)
    return frame[BOTH]


@program
def groups_made_before(frame: Any) -> Any:
    groups = frame.groupby("kind", observed=True)
    frame["x"] = frame["y"] * 2
    return groups["x"].sum().to_frame()


@program
def groups_made_before_the_array_changed(frame: Any) -> Any:
    groups = frame.groupby("kind", observed=True)
    frame["x"].to_numpy()[:] = frame["y"].to_numpy()
    return groups["x"].sum().to_frame()


@program
def window_made_before(frame: Any) -> Any:
    window = frame[BOTH].rolling(2)
    window.obj["x"].to_numpy()[:] = frame["n"]
    return window.sum()


@program
def accessor_made_before(frame: Any) -> Any:
    texts = frame["text"]
    accessor = texts.str
    texts.to_numpy()[0] = frame["text"].iloc[3]
    return accessor.upper().to_frame()


@program
def locator_made_before(frame: Any) -> Any:
    both = frame[BOTH]
    places = both.iloc
    both.to_numpy()[:] = both.to_numpy()[::-1].copy()
    return places[1:3]


@program
def columns_by_position(frame: Any) -> Any:
    frame.isetitem(0, frame["y"][::-1].to_numpy())
    return frame[BOTH]


@program
def attribute_of_a_column(frame: Any) -> Any:
    frame.x = frame["y"] * 2
    return frame[BOTH]


@program
def cell_by_at(frame: Any) -> Any:
    frame.at[0, "x"] = frame.at[3, "y"]
    return frame[BOTH]


@program
def cell_by_iat(frame: Any) -> Any:
    frame.iat[0, 0] = frame.iat[3, 1]
    return frame[BOTH]


@program
def updated(frame: Any) -> Any:
    frame.update(pd.DataFrame({"x": frame["y"]}))
    return frame[BOTH]


@program
def inserted_and_popped(frame: Any) -> Any:
    frame.insert(0, "z", frame.pop("y") * 2)
    return frame[["z", "x"]]


@program
def evaluated(frame: Any) -> Any:
    frame.eval("z = x + y", inplace=True)
    return frame[["z"]]


@program
def evaluated_over(frame: Any) -> Any:
    frame.eval("x = y * 2", inplace=True)
    return frame[BOTH]


@program
def evaluated_by_pandas(frame: Any) -> Any:
    pd.eval("x = frame.y * 2", target=frame, inplace=True)
    return frame[BOTH]


@program
def series_added_up(frame: Any) -> Any:
    column = frame["x"]
    column += frame["y"]
    return column.to_frame()


@program
def series_out(frame: Any) -> Any:
    column = frame["x"]
    np.add(column, frame["y"], out=column)
    return column.to_frame()


@program
def series_out_and_its_frame(frame: Any) -> Any:
    column = frame["x"]
    np.add(column, frame["y"], out=column)
    return frame[BOTH]


@program
def frame_out(frame: Any) -> Any:
    both, other = frame[BOTH], frame[BOTH] * 2
    np.multiply(both, other, out=other)
    return other


@program
def array_out_of_a_frame(frame: Any) -> Any:
    made = np.zeros(len(frame))
    np.add(frame["x"], frame["y"], out=made)
    return frame.assign(made=made)[["made"]]


@program
def missing_filled_in_place(frame: Any) -> Any:
    both = frame[BOTH].where(frame["x"] > 2)
    np.nan_to_num(both["x"], copy=False, nan=frame["n"].sum())
    return both


@program
def missing_filled_in_an_array(frame: Any) -> Any:
    both = frame[BOTH].where(frame["x"] > 2)
    values = both.to_numpy()
    values[np.isnan(values)] = frame["n"].sum()
    return both


@program
def chained(frame: Any) -> Any:
    frame["x"].iloc[0] = frame["y"].iloc[4]
    return frame[BOTH]


@program
def chained_by_mask(frame: Any) -> Any:
    frame["x"][frame["y"] > 13] = frame["n"].sum()
    return frame[BOTH]


@program
def replaced_in_place(frame: Any) -> Any:
    frame["x"].replace(frame["x"].iloc[2], frame["y"].iloc[2], inplace=True)
    return frame[BOTH]


@program
def clipped_in_place(frame: Any) -> Any:
    column = frame["x"].copy()
    column.clip(frame["y"].min() - 8, inplace=True)
    return column.to_frame()


@program
def masked_in_place(frame: Any) -> Any:
    both = frame[BOTH]
    both.mask(both > 8, both["y"].min(), inplace=True)
    return both


@program
def columns_made_of_groups(frame: Any) -> Any:
    groups = frame.groupby("kind", observed=True)
    frame["most"] = groups["x"].transform("max")
    frame["x"] = frame["y"] + groups["x"].transform("min")
    frame["y"] = groups["y"].transform("max")
    return frame[["most", "x", "y"]]


@program
def labels_changed(frame: Any) -> Any:
    made = frame.set_index("n")
    labels = made.index.values
    labels[0] = labels[4]
    return made.reset_index()[["n", "x"]]


@program
def label_set_by_array(frame: Any) -> Any:
    made = frame[["x"]].copy()
    made.index = frame["n"].to_numpy() * 2
    return made.reset_index()


@program
def mask_of_an_array_with_missing_values(frame: Any) -> Any:
    array = frame["masked"].array
    array[1] = pd.NA
    array[0] = array[2]
    return frame[["masked"]]


@program
def series_of_an_extension_array(frame: Any) -> Any:
    series = pd.Series(frame["masked"].array, name="made")
    frame["masked"].array[0] = frame["masked"].array[3]
    return series.to_frame()


@program
def by_arrow(frame: Any) -> Any:
    made = frame[["n"]].astype("int64[pyarrow]")
    made["n"].array[0] = made["n"].array[3]
    return made


@program
def texts_of_arrow(frame: Any) -> Any:
    made = frame[["text"]].astype("string[pyarrow]")
    array = made["text"].values
    array[1] = array[4]
    return made


@program
def texts_replaced_twice(frame: Any) -> Any:
    array = frame["text"].to_numpy()
    for place in range(len(array)):
        array[place] = None
        array[place] = frame["kind"].iloc[place] * 3
    return frame[["text"]]


@program
def strings_changed_one_by_one(frame: Any) -> Any:
    array = frame["text"].values
    for place, text in enumerate(array):
        array[place] = text.upper() + str(frame["n"].iloc[place])
    frame["made"] = array
    return frame[["made"]]


@program
def records_of_numpy(frame: Any) -> Any:
    records = frame[["x", "n"]].to_records(index=False)
    records["x"][0] = records["x"][3]
    frame["made"] = records["x"]
    return frame[["made"]]


@program
def two_arrays_of_one_column(frame: Any) -> Any:
    first, second = frame["x"].to_numpy(), frame["x"].to_numpy()
    second.sort()
    return pd.DataFrame({"made": first})


@program
def array_of_an_array(frame: Any) -> Any:
    array = frame["x"].to_numpy()
    made = pd.DataFrame({"made": array}, copy=False)
    array.sort()
    return made


@program
def frame_around_an_array(frame: Any) -> Any:
    values = frame[BOTH].to_numpy()
    made = pd.DataFrame(values, columns=BOTH, copy=False)
    values[0] = values[3]
    return made


@program
def swapped(frame: Any) -> Any:
    values = frame["x"].values
    values[0], values[3] = values[3], values[0]
    return frame[BOTH]


@program
def changed_twice(frame: Any) -> Any:
    values = frame["x"].values
    values[0] = values[3]
    frame["z"] = values
    values[1] = frame["y"].iloc[2]
    return frame[["z", "x"]]


@program
def changed_after_a_known_change(frame: Any) -> Any:
    values = frame["x"].values
    frame.loc[:, "x"] = frame["y"] * 2
    values[0] = frame["n"].iloc[3]
    return frame[BOTH]


@program
def array_shows_a_known_change(frame: Any) -> Any:
    values = frame["x"].values
    frame.loc[:, "x"] = frame["y"] * 2
    return pd.DataFrame({"made": values})


@program
def concatenated_without_a_copy(frame: Any) -> Any:
    made = pd.concat([frame[["x"]], frame[["y"]]], axis=1, copy=False)
    frame["x"].to_numpy()[0] = frame["y"].iloc[3]
    return made


@program
def renamed_without_a_copy(frame: Any) -> Any:
    made = frame[BOTH].rename(columns={"x": "made"}, copy=False)
    made["made"].to_numpy()[::2] = made["y"].to_numpy()[::2]
    return made


@program
def viewed_as_other_numbers(frame: Any) -> Any:
    view = frame["x"].to_numpy().view(np.int64)
    view[0] = view[4]
    return frame[BOTH]


@program
def one_array_for_all(frame: Any) -> Any:
    array = frame["x"].values
    total = []
    for place in range(3):
        array[place] += frame["y"].iloc[place]
        frame[f"z{place}"] = array
        total.append(f"z{place}")
    return frame[total]


@program
def standard_scaler(frame: Any) -> Any:
    from sklearn.preprocessing import StandardScaler

    both = frame[BOTH].copy()
    StandardScaler(copy=False).fit_transform(both)
    return both


@program
def min_max_scaler_of_an_array(frame: Any) -> Any:
    from sklearn.preprocessing import MinMaxScaler

    values = frame[BOTH].to_numpy()
    MinMaxScaler(copy=False).fit_transform(values)
    return pd.DataFrame(values, columns=BOTH)


@program
def scaled_by_a_function(frame: Any) -> Any:
    from sklearn.preprocessing import scale

    values = frame[BOTH].to_numpy()
    scale(values, copy=False)
    return pd.DataFrame(values, columns=BOTH)


@program
def normalised_by_a_function(frame: Any) -> Any:
    from sklearn.preprocessing import normalize

    values = frame[BOTH].to_numpy()
    normalize(values, copy=False)
    frame["made"] = values[:, 0]
    return frame[["made"]]


@program
def imputed_in_place(frame: Any) -> Any:
    from sklearn.impute import SimpleImputer

    values = frame[BOTH].where(frame["x"] > 2).to_numpy()
    SimpleImputer(copy=False).fit_transform(values)
    return pd.DataFrame(values, columns=BOTH)


@program
def transformed_by_a_function(frame: Any) -> Any:
    from sklearn.preprocessing import FunctionTransformer

    def change(values: Any) -> Any:
        values.sort(axis=0)
        return values

    values = frame[BOTH].to_numpy()
    FunctionTransformer(change).fit_transform(values)
    return pd.DataFrame(values, columns=BOTH)


@program
def pipeline_in_place(frame: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, RobustScaler

    both = frame[BOTH].copy()
    make_pipeline(RobustScaler(copy=False), MaxAbsScaler(copy=False)).fit_transform(both)
    return both


@program
def result_of_a_model_changed(frame: Any) -> Any:
    from sklearn.preprocessing import StandardScaler

    scaled = StandardScaler().fit_transform(frame[BOTH])
    scaled[:, 0] = frame["n"]
    return pd.DataFrame(scaled, columns=BOTH)


@program
def lists_in_cells(frame: Any) -> Any:
    made = pd.DataFrame({"made": frame["text"].map(lambda text: [text])})
    made["made"].iloc[0].append(frame["kind"].iloc[3])
    return made.explode("made", ignore_index=True)


@program
def lists_in_cells_of_a_copy(frame: Any) -> Any:
    made = frame[["text"]].assign(made=frame["text"].str.split("e"))
    other = made.copy()
    for text, parts in zip(made["text"][::-1], other["made"], strict=True):
        parts.append(text)
    return made["made"].str.join("-").to_frame()


@program
def lists_changed_by_a_function(frame: Any) -> Any:
    made = frame["text"].str.split("e")
    made.map(lambda parts: parts.append(frame["kind"].iloc[3]))
    return made.str.join("-").to_frame()


@program
def lists_reversed(frame: Any) -> Any:
    made = frame[["text"]].assign(made=frame["text"].str.split("e"))
    first = made.at[0, "made"]
    first[:] = made.at[4, "made"]
    return made["made"].str.join("-").to_frame()


def known() -> Mapping[str, Program]:
    """All programs of the corpus, by their names."""
    return PROGRAMS
