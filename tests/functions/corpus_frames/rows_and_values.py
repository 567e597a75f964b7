"""Functions that ask how many rows there are, and such that ask how long a value is, which looks the same."""

import pandas as pd

from functions.examples import example

TEAM = pd.DataFrame(
    {
        "name": ["Ada", "Robert", "Cy", "Dee"],
        "team": ["red", "blue", "red", "blue"],
        "pay": [50.0, 60.0, 75.0, 20.0],
        "parts": [["a", "b"], ["c"], ["d", "e", "f"], ["g"]],
    }
)
FLAT = TEAM.drop(columns="parts")
TOWNS = pd.DataFrame({"team": ["red", "blue"], "town": ["Rome", "Oslo"], "name": ["R", "O"]})


@example(FLAT)
def lengths_in_rows(df):
    return pd.DataFrame({"n": [len(row["name"]) for _, row in df.iterrows()]})


@example(FLAT)
def lengths_in_tuples(df):
    return pd.DataFrame({"n": [len(row.name) for row in df[["name", "pay"]].itertuples(index=False)]})


@example(FLAT)
def lengths_by_a_row_function(df):
    return df.assign(n=df[["name", "team"]].apply(lambda row: len(row["name"]), axis=1))[["n"]]


@example(FLAT)
def lengths_by_map(df):
    return pd.DataFrame({"n": df["name"].map(len), "m": df["team"].apply(lambda t: len(t) > 3)})


@example(FLAT)
def lengths_by_element(df):
    return df[["name", "team"]].map(len)


@example(FLAT)
def lengths_in_records(df):
    return pd.DataFrame([{"n": len(r["name"])} for r in df[["name", "pay"]].to_dict("records")])


@example(FLAT)
def length_at_the_most(df):
    best = df[["name", "pay"]].loc[df["pay"].idxmax()]
    return pd.DataFrame({"n": [len(best["name"])]})


@example(FLAT)
def length_of_the_first_row(df):
    first = df[["name", "pay"]].iloc[0]
    return pd.DataFrame({"n": [len(first["name"])]})


@example(FLAT)
def characters(df):
    return pd.DataFrame({"n": [sum(1 for _ in text) for text in df["name"]]})


@example(FLAT)
def rows_of_the_frame(df):
    return pd.DataFrame({"n": [len(df["name"])], "pay": [df["pay"].sum() / len(df)]})


@example(FLAT)
def rows_after_a_filter(df):
    return pd.DataFrame({"n": [len(df[df["pay"] > 30]["name"])], "e": [df[df["pay"] > 70].empty]})


@example(FLAT)
def index_after_a_filter(df):
    return pd.DataFrame({"i": list(df[df["pay"] > 30].index)})


@example(FLAT)
def index_after_a_sort(df):
    return pd.DataFrame({"i": list(df.sort_values("pay").index)})


@example(FLAT)
def index_of_names(df):
    return pd.DataFrame({"i": list(df.set_index("name").index)})


@example(FLAT)
def index_of_groups(df):
    return pd.DataFrame({"t": list(df.groupby("team")["pay"].sum().index)})


@example(FLAT)
def looked_up_by_key(df):
    pays = dict(zip(df["name"], df["pay"]))
    return pd.DataFrame({"v": [pays.get(n, 0.0) for n in df["team"]]})


@example(FLAT)
def keys_zipped(df):
    pays = dict(zip(df["name"].tolist(), df["pay"].tolist()))
    return pd.DataFrame({"n": list(pays), "v": list(pays.values())})


@example(FLAT, TOWNS)
def merged_twice(left, right):
    once = left.merge(right, on="team")
    return once.merge(right, on="team")[["name_x", "name_y", "name", "town_y"]]


@example(FLAT, TOWNS)
def merged_three_times(left, right):
    once = left.merge(right, on="team").rename(columns={"name_x": "name"})
    return once.merge(right, on="team")[["name_x", "name_y"]]


@example(FLAT, TOWNS)
def merged_crosswise(left, right):
    return left.merge(right, how="cross")[["name_x", "name_y", "town"]]


@example(FLAT)
def groups_kept(df):
    return df.groupby("team").filter(lambda g: len(g) > 1 and g["pay"].max() > 60)[["name"]]


@example(FLAT)
def groups_counted(df):
    found = df[df["pay"] > 30].groupby("team").size().reset_index(name="n")
    return found[["team", "n"]]


@example(FLAT)
def numbers_in_groups(df):
    return df.sort_values("pay").assign(n=lambda d: d.groupby("team").cumcount())[["name", "n"]]


@example(FLAT)
def heads_of_groups(df):
    return df.sort_values("pay").groupby("team").head(1)[["name"]]


@example(FLAT)
def least_by_a_column(df):
    return df.nsmallest(2, "pay")[["name"]]


@example(FLAT)
def melted_by_names(df):
    return df.melt(id_vars=["name"], value_vars=["team", "pay"], value_name="held")[["name", "held"]]


@example(FLAT)
def rows_dropped_by_labels(df):
    return df.drop(df[df["team"] == "red"].index)[["pay"]]


@example(FLAT)
def some_columns_of_some_rows(df):
    df.loc[df["pay"] > 55, ["name", "team"]] = "new"
    return df[["name", "team", "pay"]]


@example(FLAT)
def columns_from_a_frame(df):
    df[["a", "b"]] = df[["team", "name"]]
    return df[["a", "b"]]


@example(FLAT)
def column_by_column(df):
    return df.sort_values("team")[["pay"]].cumsum()


@example(FLAT)
def named_anew(df):
    return df[["name", "pay"]].set_axis(["pay", "name"], axis=1)


@example(TEAM)
def parts_exploded(df):
    return df[["name", "parts"]].explode("parts")


@example(TEAM)
def parts_counted(df):
    return pd.DataFrame({"n": [len(p) for p in df["parts"]], "first": [p[0] for p in df["parts"]]})


@example(TEAM)
def parts_joined(df):
    return pd.DataFrame({"t": df["parts"].map("-".join), "n": df["parts"].map(len)})


@example(("red", 3), FLAT)
def length_of_the_key(key, df):
    return pd.DataFrame({"n": [len(key[0]) + len(df)]})
