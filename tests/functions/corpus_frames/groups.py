import numpy as np
import pandas as pd

from functions.examples import example

SALES = pd.DataFrame(
    {
        "shop": ["a", "b", "a", "c"],
        "item": ["x", "y", "y", "x"],
        "price": [2.5, 4.0, 1.0, 9.5],
        "count": [2, 1, 5, 3],
        "size": [7, 8, 9, 4],
    }
)
STAFF = pd.DataFrame(
    {"id": [1, 2, 3], "name": ["Ada", "Bob", "Cyd"], "boss": [2, 3, 1], "pay": [50.0, 60.0, 75.0]}
)
ROOMS = pd.DataFrame({"id": [1, 2, 4], "room": ["r1", "r2", "r4"], "name": ["east", "west", "north"]})


@example(SALES)
def group_sum_of_column(df):
    return pd.DataFrame({"total": df.groupby("shop")["price"].sum()})


@example(SALES)
def group_sum_reset(df):
    return df.groupby("shop")["price"].sum().reset_index()


@example(SALES)
def group_many_columns(df):
    return df.groupby("shop")[["price", "count"]].mean().reset_index()


@example(SALES)
def group_attribute(df):
    out = df.groupby("shop").price.max()
    return out.reset_index(name="most")


@example(SALES)
def group_transform(df):
    df["share"] = df["price"] / df.groupby("shop")["price"].transform("sum")
    return df[["item", "share"]]


@example(SALES)
def group_size(df):
    return df.groupby("item").size().reset_index(name="n")


@example(SALES)
def group_cumcount(df):
    df["n"] = df.groupby("shop").cumcount()
    return df[["n", "count"]]


@example(SALES)
def group_by_expression(df):
    return df.groupby(df["price"] > 2)["count"].sum().to_frame("count")


@example(SALES)
def group_agg_dictionary(df):
    return df.groupby("shop").agg({"price": "mean", "count": "max"}).reset_index()


@example(SALES)
def group_agg_named(df):
    return df.groupby(["shop", "item"]).agg(total=("price", "sum"), most=("count", "max")).reset_index()


@example(SALES)
def group_agg_keeps_keys_in_index(df):
    return df.groupby("shop").agg(total=("price", "sum"))


@example(SALES)
def group_agg_lambda(df):
    return df.groupby("shop", as_index=False).agg(total=("price", lambda s: s.iloc[0]))


@example(SALES)
def group_apply(df):
    return df.groupby("shop").apply(lambda g: g.nlargest(1, "price")).reset_index(drop=True)


@example(SALES)
def group_loop(df):
    rows = []
    for shop, part in df.groupby("shop"):
        rows.append((shop, part["price"].sum(), len(part)))
    return pd.DataFrame(rows, columns=["shop", "total", "n"])


@example(SALES)
def group_first_rows(df):
    return df.groupby("shop").head(1)[["item"]]


@example(SALES)
def group_rank(df):
    return df.assign(place=df.groupby("shop")["price"].rank())[["item", "place"]]


@example(SALES)
def group_shift(df):
    df = df.sort_values("count")
    df["before"] = df.groupby("shop")["price"].shift(1)
    return df[["before"]]


@example(SALES)
def column_named_as_a_method(df):
    return pd.DataFrame({"a": df["count"], "b": df["size"]})


@example(SALES)
def attribute_named_as_a_method(df):
    return pd.DataFrame({"n": [df.size], "c": [df.count().iloc[0]]})


@example(("a", 3), SALES)
def key_first(key, df):
    return pd.DataFrame([key + (df.price.mean(),)])


@example(("a", 3), SALES)
def key_by_position(key, df):
    return pd.DataFrame({"shop": [key[0]], "n": [key[1] + len(df)]})


@example(("a", 3), SALES)
def key_unpacked(key, df):
    shop, number = key
    df["shop"] = shop
    return df[["shop", "item"]]


@example(STAFF, ROOMS)
def merge_suffixes(left, right):
    return left.merge(right, on="id", how="left")[["name_x", "name_y", "room"]]


@example(STAFF, ROOMS)
def merge_own_suffixes(left, right):
    return pd.merge(left, right, on="id", suffixes=("", "_room"))[["name", "name_room"]]


@example(STAFF, ROOMS)
def merge_function(left, right):
    return pd.merge(left, right, on="id")[["boss", "room"]]


@example(STAFF, ROOMS)
def merge_outer_indicator(left, right):
    return left.merge(right, how="outer", on="id", indicator=True)[["id", "_merge"]]


@example(STAFF, ROOMS)
def merge_different_keys(left, right):
    return left.merge(right, left_on="boss", right_on="id")[["boss", "room", "id_y"]]


@example(STAFF, ROOMS)
def merge_without_keys(left, right):
    return left.merge(right)[["pay"]]


@example(STAFF)
def merge_with_itself(df):
    bosses = df[["id", "name"]].rename(columns={"id": "boss", "name": "boss_name"})
    return df.merge(bosses, on="boss")[["name", "boss_name"]]


@example(STAFF, ROOMS)
def joined_by_index(left, right):
    return left.set_index("id").join(right.set_index("id"), rsuffix="_r")[["pay", "room"]]


@example(STAFF, ROOMS)
def concat_rows(left, right):
    return pd.concat([left[["id", "name"]], right[["id", "name"]]])


@example(STAFF, ROOMS)
def concat_columns(left, right):
    return pd.concat([left[["pay"]], right[["room"]]], axis=1)


@example(STAFF, ROOMS)
def looked_up(left, right):
    rooms = dict(zip(right["id"], right["room"]))
    return pd.DataFrame({"room": left["boss"].map(rooms), "name": left["name"]})


@example(STAFF, ROOMS)
def looked_up_series(left, right):
    left["room"] = left["id"].map(right.set_index("id")["room"])
    return left[["room"]]


@example(STAFF, ROOMS)
def is_in_other(left, right):
    return left[left["id"].isin(right["id"])][["name"]]


@example(STAFF, ROOMS)
def asof(left, right):
    return pd.merge_asof(left.sort_values("id"), right.sort_values("id"), on="id")[["pay", "room"]]


@example(STAFF, ROOMS)
def aligned_by_index(left, right):
    left["other"] = right["room"]
    return left[["other", "id"]]


@example(STAFF)
def aligned_after_a_filter(df):
    some = df[df["pay"] > 55]
    df["some"] = some["name"]
    return df[["some"]]


@example(STAFF)
def aligned_after_a_sort(df):
    ordered = df.sort_values("pay").reset_index(drop=True)
    df["nth"] = ordered["name"]
    return df[["nth", "id"]]


@example(STAFF)
def values_lose_their_index(df):
    df["nth"] = df.sort_values("pay")["name"].values
    return df[["nth"]]


@example(STAFF)
def index_as_a_column(df):
    out = df[df["boss"] > 1]
    return pd.DataFrame({"place": out.index, "k": out["id"]})


@example(STAFF)
def by_label(df):
    return df.set_index("name").loc[["Ada"], ["pay"]]


@example(SALES)
def pivoted(df):
    return df.pivot_table(index="shop", columns="item", values="price").reset_index()


@example(SALES)
def melted(df):
    return df.melt(id_vars=["shop"], value_vars=["price", "count"])


@example(SALES)
def counted(df):
    return df["item"].value_counts().rename_axis("item").reset_index(name="n")


@example(SALES)
def without_duplicates(df):
    return df.drop_duplicates("shop")[["price"]]


@example(SALES)
def without_duplicates_last(df):
    return df.sort_values(["size"]).drop_duplicates(subset=["shop"], keep="last")[["item"]]


@example(SALES)
def largest(df):
    return df.nlargest(2, "price")[["item"]]


@example(SALES)
def at_the_most(df):
    best = df.loc[df["price"].idxmax()]
    return pd.DataFrame({"item": [best["item"]], "n": [best["count"]]})


@example(SALES)
def iloc_column(df):
    return df.iloc[:, [0, 2]]


@example(SALES)
def iloc_row(df):
    return pd.DataFrame({"first": [df.iloc[0]["item"]], "last": [df["shop"].iloc[-1]]})


@example(SALES)
def selected_by_type(df):
    return df.select_dtypes("number")


@example(SALES)
def all_but(df):
    return df[[c for c in df.columns if c != "price"]]


@example(SALES)
def every_column(df):
    for column in df.columns:
        if column.startswith("s"):
            df[column] = df[column].astype(str) + "!"
    return df


@example(SALES)
def some_columns_in_a_loop(df):
    out = pd.DataFrame()
    for column in ["price", "count"]:
        out[column] = df[column] * 2
    return out


@example(SALES)
def swapped(df):
    df["price"], df["count"] = df["count"], df["price"]
    return df[["price", "count"]]


@example(SALES)
def renamed_crosswise(df):
    return df.rename(columns={"price": "count", "count": "price"})[["price", "count"]]


@example(SALES)
def renamed_by_a_function(df):
    return df[["price"]].rename(columns=str.upper)


@example(SALES)
def column_names_assigned(df):
    out = df[["price", "count"]]
    out.columns = ["count", "price"]
    return out


@example(SALES)
def axis_set(df):
    return df[["price", "count"]].set_axis(["a", "b"], axis=1)


@example(SALES)
def renamed_axis_function(df):
    return df.rename({"price": "cost"}, axis=1)[["cost", "item"]]


@example(SALES)
def transposed(df):
    return df[["price", "count"]].T.reset_index(drop=True)


@example(SALES)
def alias_is_changed(df):
    other = df
    other["price"] = df["count"] + 0.5
    return df[["price"]]


@example(SALES)
def copy_is_changed(df):
    other = df.copy()
    other["price"] = 1.0
    return df[["price"]]


@example(SALES)
def changed_by_a_helper(df):
    def add(frame):
        frame["extra"] = frame["size"] + frame["count"]

    add(df)
    return df[["extra"]]


@example(SALES)
def popped(df):
    prices = df.pop("price")
    return df.assign(twice=prices * 2)[["twice", "item"]]


@example(SALES)
def inserted(df):
    df.insert(0, "first", df["shop"] + df["item"])
    return df[["first", "size"]]


@example(SALES)
def updated(df):
    df.update(pd.DataFrame({"price": df["count"] * 1.0}))
    return df[["price"]]


@example(SALES)
def deleted(df):
    del df["price"]
    return df


@example(SALES)
def set_by_mask(df):
    df.loc[df["count"] > 2, "price"] = df["size"] * 1.0
    return df[["price"]]


@example(SALES)
def set_whole_rows(df):
    df.loc[df["shop"] == "a", ["price", "size"]] = 0
    return df[["price", "size", "item"]]


@example(SALES)
def set_by_place(df):
    df.iloc[0, 2] = float(df["size"].sum())
    return df[["price"]]


@example(SALES)
def where_frame(df):
    return df[["price", "count"]].where(df["size"] > 7, other=-1)


@example(SALES)
def masked_by_another(df):
    df["price"] = df["price"].mask(df["shop"] == "a", df["size"])
    return df[["price"]]


@example(SALES)
def selected_by_conditions(df):
    label = np.select([df["price"] > 3, df["count"] > 3], ["dear", "many"], default="plain")
    return df.assign(label=label)[["label"]]


@example(SALES)
def where_columns(df):
    df["v"] = np.where(df["shop"] == "a", df["price"], df["size"])
    return df[["v"]]


@example(SALES)
def cut_in_bins(df):
    return pd.DataFrame({"bin": pd.cut(df["price"], bins=[0, 2, 5, 100], labels=["l", "m", "h"]).astype(str)})


@example(SALES)
def dummies(df):
    return pd.get_dummies(df[["shop"]], columns=["shop"])


@example(SALES)
def row_function(df):
    df["text"] = df.apply(lambda row: f"{row['shop']}:{row.item}", axis=1)
    return df[["text"]]


@example(SALES)
def row_function_by_position(df):
    df["text"] = df.apply(lambda row: str(row.iloc[2]), axis=1)
    return df[["text"]]


@example(SALES)
def column_function(df):
    return df[["price", "count"]].apply(lambda s: s / s.sum())


@example(SALES)
def reduced_columns(df):
    return df[["price", "count"]].sum().to_frame("sum").T


@example(SALES)
def sum_over_columns(df):
    return pd.DataFrame({"s": df[["price", "count"]].sum(axis=1), "i": df["item"]})


@example(SALES)
def records(df):
    out = []
    for record in df.to_dict("records"):
        out.append({"shop": record["shop"].upper(), "v": record["price"] * record["count"]})
    return pd.DataFrame(out)


@example(SALES)
def tuples(df):
    return pd.DataFrame([{"item": row.item, "n": row.count} for row in df[["item", "price"]].itertuples()])


@example(SALES)
def tuples_with_positions(df):
    return pd.DataFrame([{"shop": row[1], "price": row[3]} for row in df.itertuples()])


@example(SALES)
def tuples_without_index(df):
    return pd.DataFrame([(t[0], t[2]) for t in df.itertuples(index=False)], columns=["shop", "price"])


@example(SALES)
def zipped_columns(df):
    return pd.DataFrame([{"a": a, "b": b} for a, b in zip(df["shop"], df["count"])])


@example(SALES)
def lists_of_columns(df):
    return pd.DataFrame({"shop": df["shop"].tolist(), "size": list(df["size"])})


@example(SALES)
def reversed_column(df):
    return pd.DataFrame({"item": df["item"][::-1].values, "shop": df["shop"]})


@example(SALES)
def running(df):
    df = df.sort_values("size")
    df["running"] = df["price"].cumsum()
    df["before"] = df["count"].shift(1).fillna(0)
    return df[["running", "before"]]


@example(SALES)
def rolled(df):
    return df[["price"]].rolling(2, min_periods=1).mean()


@example(SALES)
def ranked_and_kept(df):
    return df[df["price"].rank() <= 2][["item"]]


@example(SALES)
def asked_by_text(df):
    return df.query("price > 2 and shop == 'a'")[["item"]]


@example(SALES)
def asked_by_text_with_a_variable(df):
    least = df["size"].mean()
    return df.query("price > @least")[["item"]]


@example(SALES)
def evaluated(df):
    return df.eval("total = price * count")[["total"]]


@example(SALES)
def piped(df):
    def twice(frame, by):
        return frame.assign(twice=frame["price"] * by)

    return df.pipe(twice, 2)[["twice", "item"]]


@example(SALES)
def chained_filters(df):
    dear = df[df.price > 1]
    return dear[dear["count"] < 5].sort_values("size", ascending=False)[["item"]]


@example(SALES)
def filtered_by_another_frame(df):
    other = df.sort_values("price").reset_index(drop=True)
    return df[other["count"] > 1][["item"]]


@example(SALES)
def compared_with_the_mean(df):
    return df[df["price"] > df["price"].mean()][["shop", "size"]]


@example(SALES)
def empty_or_not(df):
    if df.empty:
        return df[["item"]]
    if df["price"].max() > 9:
        return df[["item"]].head(1)
    return df[["item"]]


@example(SALES)
def one_row(df):
    return pd.DataFrame({"n": [len(df)], "sum": [df["price"].sum()], "shop": [df["shop"].iloc[0]]})


@example(SALES)
def from_a_series(df):
    return pd.Series({"total": df["price"].sum(), "n": df["count"].max()}).to_frame().T


@example(SALES)
def from_columns_by_position(df):
    return pd.DataFrame(list(zip(df["count"], df["shop"])))


@example(SALES)
def from_an_array(df):
    return pd.DataFrame(df[["price", "count"]].to_numpy(), columns=["a", "b"])


@example(SALES)
def described(df):
    return df[["price"]].describe().reset_index()


@example(SALES)
def missing_filled(df):
    df["price"] = df["price"].where(df["price"] > 2).fillna(df["size"])
    return df[["price"]]


@example(SALES)
def missing_dropped(df):
    df["q"] = df["price"].where(df["count"] > 1)
    return df.dropna(subset=["q"])[["item"]]


@example(SALES)
def missing_dropped_anywhere(df):
    df["q"] = df["price"].where(df["count"] > 1)
    return df.dropna()[["item"]]


@example(SALES)
def combined_first(df):
    a = df["price"].where(df["shop"] == "a")
    return pd.DataFrame({"v": a.combine_first(df["size"])})


@example(SALES)
def exploded(df):
    df["parts"] = df["item"].map(lambda t: list(t + "z"))
    return df.explode("parts")[["parts", "shop"]]


@example(SALES)
def split_to_columns(df):
    parts = (df["shop"] + "-" + df["item"]).str.split("-", expand=True)
    return pd.DataFrame({"a": parts[0], "b": parts[1]})


@example(SALES)
def assigned_one_after_the_other(df):
    return df.assign(a=df["price"], b=lambda d: d["a"] + d["count"])[["b"]]


@example(SALES)
def getattr_by_name(df):
    return pd.DataFrame({"v": getattr(df, "price"), "w": df.get("item")})


@example(SALES)
def name_of_a_series(df):
    found = df["price"].rename("cost")
    return found.to_frame()


@example(SALES)
def series_to_frame(df):
    return df["price"].to_frame()


@example(SALES)
def sampled(df):
    return df.sample(frac=1.0, random_state=1)[["item"]]


@example(SALES)
def isin_and_not(df):
    return df[~df["shop"].isin(["a"]) & (df["count"] > 1)][["price"]]


@example(SALES)
def between(df):
    return df[df["price"].between(1, 5)][["item"]]


@example(SALES)
def unique_values(df):
    return pd.DataFrame({"shop": df["shop"].unique()})


@example(SALES)
def number_of_values(df):
    return pd.DataFrame({"n": [df["shop"].nunique()], "m": [df["item"].mode()[0]]})


@example(SALES)
def dropped_by_axis(df):
    return df.drop("price", axis=1)


@example(SALES)
def dropped_rows(df):
    return df.drop(df[df["size"] > 8].index)[["item"]]


@example(SALES)
def reindexed(df):
    return df.reindex(columns=["price", "gone"])


@example(SALES)
def filtered_columns(df):
    return df.filter(items=["price", "item"])


@example(SALES)
def filtered_columns_by_text(df):
    return df.filter(like="i")


@example(SALES)
def nested_frames(df):
    parts = {"a": df[["price"]], "b": df[["count"]]}
    return parts["a"].assign(c=parts["b"]["count"])
