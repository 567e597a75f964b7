import pandas as pd

from functions.examples import example

DF = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 9], "c": ["x", "yy", "z"], "d": [0.5, 1.5, 2.5]})
OTHER = pd.DataFrame({"a": [1, 2, 7], "b": [6, 8, 2], "e": ["p", "q", "r"]})


@example(DF)
def view_of_a_column(df):
    column = df["a"]
    column += df["b"]
    return df[["a"]]


@example(DF)
def column_times_in_place(df):
    df["a"] *= df["b"]
    return df[["a"]]


@example(DF)
def array_in_place(df):
    values = df["a"].to_numpy().copy()
    values[0] = df["b"].max()
    return pd.DataFrame({"a": values})


@example(DF)
def list_in_place(df):
    values = df["a"].tolist()
    values[0] = int(df["b"].max())
    return pd.DataFrame({"a": values, "c": df["c"]})


@example(DF)
def list_sorted_by_others(df):
    rows = sorted(zip(df["c"], df["b"]), key=lambda pair: pair[1])
    return pd.DataFrame({"c": [r[0] for r in rows]})


@example(DF)
def replaced_in_a_branch(df):
    if df["b"].sum() > 20:
        df["a"] = df["d"]
    return df[["a"]]


@example(DF)
def other_frame_in_a_branch(df):
    out = df[["a"]] if df["d"].iloc[0] > 1 else df[["b"]].rename(columns={"b": "a"})
    return out


@example(DF)
def frames_in_a_dictionary(df):
    held = {"x": df}
    held["x"]["a"] = df["b"]
    return df[["a"]]


@example(DF)
def frame_in_a_list(df):
    frames = [df, df.copy()]
    frames[1]["a"] = 0
    frames[0]["b"] = df["d"]
    return df[["a", "b"]]


@example(DF)
def default_argument_is_a_frame(df):
    def give(frame=df):
        return frame["b"] * 2

    return pd.DataFrame({"v": give()})


@example(DF)
def name_from_a_variable(df):
    name = "a"
    if len(df) > 100:
        name = "b"
    return pd.DataFrame({"v": df[name]})


@example(DF)
def name_from_data(df):
    name = "a" if df["d"].iloc[0] > 1 else "b"
    return pd.DataFrame({"v": df[name]})


@example(DF)
def name_computed(df):
    return pd.DataFrame({"v": df["".join(["a"])], "w": df[df.columns[1]]})


@example(DF)
def columns_zipped(df):
    return pd.DataFrame({new: df[old] for new, old in zip(["x", "y"], ["a", "b"])})


@example(DF)
def columns_of_a_mapping(df):
    names = {"a": "x", "c": "y"}
    out = df[list(names)].rename(columns=names)
    return out


@example(DF)
def constant_over_a_column(df):
    df["a"] = 1
    return df[["a", "c"]]


@example(DF)
def length_in_a_column(df):
    df["n"] = len(df)
    df["m"] = df.shape[0]
    return df[["n", "m"]]


@example(DF)
def assigned_from_a_list(df):
    df["n"] = [len(v) for v in df["c"]]
    return df[["n"]]


@example(DF)
def assigned_from_a_frame(df):
    df[["x", "y"]] = df[["b", "a"]]
    return df[["x", "y"]]


@example(DF)
def assigned_many(df):
    df[["a", "b"]] = df[["b", "a"]].values
    return df[["a", "b"]]


@example(DF)
def max_over_columns(df):
    return pd.DataFrame({"m": df[["a", "b"]].max(axis=1)})


@example(DF)
def any_missing(df):
    return pd.DataFrame({"m": [df.isna().any().any()], "n": [df["c"].isnull().sum()]})


@example(DF)
def boolean_frame(df):
    return df[(df[["a", "b"]] > 2).all(axis=1)][["c"]]


@example(DF)
def boolean_list(df):
    keep = [value > 1 for value in df["d"]]
    return df.loc[keep, ["c"]]


@example(DF)
def boolean_callable(df):
    return df[lambda frame: frame["d"] > 1][["c"]]


@example(DF)
def loc_callable(df):
    return df.loc[lambda frame: frame["b"] > 4, ["a"]]


@example(DF)
def loc_all_columns(df):
    return df.loc[df["b"] > 4, :]


@example(DF)
def loc_range_of_columns(df):
    return df.loc[:, "a":"c"]


@example(DF)
def rows_by_number(df):
    return df[1:][["a"]]


@example(DF)
def rows_by_computed_number(df):
    return df.iloc[int(df["a"].iloc[0]) :][["c"]]


@example(DF)
def last_row(df):
    return df.tail(1)[["c", "d"]]


@example(DF)
def row_of_the_largest(df):
    return df[df["b"] == df["b"].max()][["c"]]


@example(DF)
def first_by_order(df):
    return df.sort_values("d").iloc[[0]][["a"]]


@example(DF)
def order_by_key_function(df):
    return df.sort_values("c", key=lambda s: s.str.len())[["a"]].head(2)


@example(DF)
def order_of_the_index(df):
    return df.set_index("b").sort_index()[["a"]]


@example(DF, OTHER)
def cogrouped_sum(left, right):
    return pd.DataFrame({"n": [left["a"].sum() + right["b"].sum()], "m": [len(left) - len(right)]})


@example(DF, OTHER)
def cogrouped_or_empty(left, right):
    if right.empty or right["b"].min() < 0:
        return pd.DataFrame({"a": [], "e": []})
    return left[["a"]].assign(e=right["e"])


@example(DF, OTHER)
def cogrouped_concat(left, right):
    return pd.concat([left, right], ignore_index=True)[["a", "e"]]


@example(DF, OTHER)
def cogrouped_append_columns(left, right):
    right = right.rename(columns={"b": "b2"})
    out = left.merge(right, on=["a"], how="left")
    out["d"] = out["b"] - out["b2"].fillna(0)
    return out[["a", "d"]]


@example(DF, OTHER)
def cogrouped_cross(left, right):
    return left.merge(right, how="cross")[["a_x", "b_y"]]


@example(DF, OTHER)
def cogrouped_update(left, right):
    left = left.set_index("a")
    left.update(right.set_index("a")[["b"]])
    return left.reset_index()[["a", "b"]]


@example(DF)
def strings_of_rows(df):
    return pd.DataFrame({"t": df.astype(str).agg("-".join, axis=1)})


@example(DF)
def joined_text(df):
    return pd.DataFrame({"t": [",".join(df["c"])]})


@example(DF)
def json_of_rows(df):
    return pd.DataFrame({"j": [df[["a"]].to_json()]})


@example(DF)
def hashed_column(df):
    import hashlib

    return pd.DataFrame({"h": df["c"].map(lambda v: hashlib.sha256(v.encode()).hexdigest()), "a": df["a"]})


@example(DF)
def replaced_values(df):
    return pd.DataFrame({"c": df["c"].replace({"x": "first"}), "b": df["b"].replace(4, 40)})


@example(DF)
def clipped(df):
    return pd.DataFrame({"a": df["a"].clip(upper=df["b"].min())})


@example(DF)
def interpolated(df):
    df["a"] = df["a"].where(df["b"] != 5).interpolate()
    return df[["a"]]


@example(DF)
def compared_with_the_next(df):
    df["up"] = df["a"] < df["a"].shift(-1)
    return df[["up"]]


@example(DF)
def diffed(df):
    return df[["a", "b"]].diff().fillna(0)


@example(DF)
def scaled_by_the_frame(df):
    numbers = df[["a", "b", "d"]]
    return (numbers - numbers.mean()) / numbers.std()


@example(DF)
def added_frames(df):
    return df[["a", "b"]] + df[["b", "a"]].values


@example(DF)
def aligned_columns(df):
    return df[["a"]].add(df[["b"]], fill_value=0)


@example(DF)
def cross_table(df):
    return pd.crosstab(df["a"], df["c"]).reset_index()


@example(DF)
def while_loop(df):
    while len(df) > 1:
        df = df[df["a"] > df["a"].min()]
    return df[["c"]]


@example(DF)
def recursion(df):
    def last(frame):
        return frame if len(frame) < 2 else last(frame[frame["b"] > frame["b"].min()])

    return last(df)[["c"]]


@example(DF)
def state_of_a_class(df):
    class Held:
        def __init__(self, frame):
            self.frame = frame

        def twice(self):
            return self.frame["a"] * 2

    return pd.DataFrame({"v": Held(df).twice()})


@example(DF)
def stacked(df):
    return df[["a", "b"]].stack().reset_index(drop=True).to_frame("v")


@example(DF)
def squeezed(df):
    return pd.DataFrame({"v": df[["a"]].squeeze(), "c": df["c"]})


@example(DF)
def same_name_twice(df):
    return df[["a", "a"]].sum(axis=1).to_frame("v")


@example(DF)
def unknown_column_made_before(df):
    df["new"] = df["b"]
    if "new" in df.columns:
        df["a"] = df["new"]
    return df[["a"]]


@example(DF)
def column_taken_by_position(df):
    first, *_ = df.columns
    return df[[first]]


@example(DF)
def items_of_the_frame(df):
    return pd.DataFrame({name: values for name, values in df.items() if name in ("a", "b")})


@example(DF)
def columns_by_keys(df):
    return pd.DataFrame({k: df[k] for k in df.keys() if k != "c"})


@example(DF)
def counts_of_rows(df):
    df["n"] = range(len(df))
    df["m"] = df.index
    return df[["n", "m"]]


@example(DF)
def filtered_then_counted(df):
    some = df[df["a"] > 1].reset_index(drop=True)
    some["n"] = range(len(some))
    return some[["n"]]


@example(DF)
def index_kept(df):
    some = df[df["a"] > 1]
    return some.reset_index()[["index"]]


@example(DF)
def level_as_column(df):
    return df.groupby("c")["a"].sum().reset_index(level=0)


@example(DF)
def frame_of_a_group_key(df):
    return pd.DataFrame([{"c": key, "n": len(part)} for key, part in df.groupby("c")])


@example(DF)
def group_dictionary(df):
    found = df.groupby("c")["a"].apply(list).to_dict()
    return pd.DataFrame({"k": list(found), "v": [sum(v) for v in found.values()]})


@example(DF)
def group_filter(df):
    return df.groupby("c").filter(lambda g: g["b"].sum() > 4)[["a"]]


@example(DF)
def group_nth(df):
    return df.groupby("c").first().reset_index()[["c", "d"]]


@example(DF)
def group_ngroup(df):
    df["g"] = df.groupby("b").ngroup()
    return df[["g"]]


@example(DF)
def group_all(df):
    return df.groupby("c", as_index=False).sum()


@example(DF)
def group_iter_of_column(df):
    return pd.DataFrame([{"k": k, "s": s.sum()} for k, s in df.groupby("c")["b"]])


@example(pd.Series([1.0, 5.0, 3.0]), pd.Series([2.0, 4.0, 1.0]))
def where_by_a_function(values, limits):
    limit = limits.mean()
    return values.where(lambda v: v > limit, 0)


@example(pd.Series([1.0, 5.0, 3.0]), pd.Series([2.0, 4.0, 1.0]))
def masked_by_functions(values, limits):
    limit = limits.mean()
    return values.mask(lambda v: v > 2, lambda v: v * 0 + limit)


class Above:
    def __init__(self, limit):
        self.limit = limit

    def __call__(self, value):
        return value > self.limit


@example(pd.Series([1.0, 5.0, 3.0]), pd.Series([2.0, 4.0, 1.0]))
def applied_instance(values, limits):
    return values.apply(Above(limits.mean()))


@example(pd.Series([1.0, 5.0, 3.0]), pd.Series([2.0, 4.0, 1.0]))
def mapped_instance(values, limits):
    return values.map(Above(limits.mean()))


@example(pd.Series([1.0, 5.0, 3.0]), pd.Series([2.0, 4.0, 1.0]))
def where_by_an_instance(values, limits):
    return values.where(Above(limits.mean()), 0)


@example(pd.DataFrame({"k": ["a", "a", "b"], "v": [1.0, 5.0, 3.0], "w": [2.0, 1.0, 0.5]}))
def aggregated_by_an_instance(frame):
    above = Above(frame["w"].sum())
    return frame.groupby("k")["v"].agg(lambda v: above(v.sum())).reset_index()


@example(pd.DataFrame({"k": ["a", "a", "b"], "v": [1.0, 5.0, 3.0], "w": [2.0, 1.0, 0.5]}))
def assigned_by_an_instance(frame):
    return frame.assign(x=Above(frame))[["k"]]
