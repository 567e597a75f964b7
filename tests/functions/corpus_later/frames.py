"""Functions over series, frames, tables and their iterators, as jobs have them."""

import hashlib
import re
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from functions.examples import example

SALES = pd.DataFrame(
    {
        "region": ["n", "s", "n", "e"],
        "product": ["tea", "pot", "pot", "tea"],
        "qty": [2, 1, 5, 3],
        "price": [4.5, 60.0, 1.0, 9.5],
        "mail": ["a@x.org", "b@y.org", "c@x.org", "d@z.org"],
        "day": ["2024-01-05", "2024-02-01", "2024-02-03", "2024-03-09"],
    }
)
PRODUCTS = pd.DataFrame(
    {"product": ["tea", "pot", "cup"], "name": ["Tea", "Teapot", "Cup"], "kind": ["food", "ware", "ware"]}
)
MORE = SALES.iloc[::-1].reset_index(drop=True).assign(qty=[4, 6, 2, 8])
NAMES = pd.Series(["Ada Long", "bob ray", "Cyd Fox", "Dee Poe"], name="names")
AMOUNTS = pd.Series([1.5, 20.0, 3.0, 7.25], name="amounts")
DAYS = pd.Series(["2024-01-05", "2024-02-01", "2023-12-31", "2022-07-04"], name="days")
TABLE = pa.Table.from_pandas(SALES, preserve_index=False)
BATCHES = [
    pa.RecordBatch.from_pandas(SALES, preserve_index=False),
    pa.RecordBatch.from_pandas(MORE, preserve_index=False),
]
COLUMNS = {"product": "item", "qty": "count"}
KEYS = ["region", "product"]


def pseudonym(text, salt="s1"):
    return hashlib.sha256(f"{salt}{text}".encode()).hexdigest()


def with_total(df, *, name="total"):
    return df.assign(**{name: df["qty"] * df["price"]})


@example(NAMES)
def title_names(names: pd.Series) -> pd.Series:
    parts = names.str.title().str.split(" ", n=1, expand=True)
    return parts[1] + ", " + parts[0]


@example(NAMES, AMOUNTS)
def labelled(names, amounts):
    out = pd.DataFrame(
        {"label": names.str.upper(), "band": pd.cut(amounts, [0, 5, 10, 100], labels=["a", "b", "c"])}
    )
    out["band"] = out["band"].astype(str)
    return out


@example(AMOUNTS, NAMES)
def conditional(amounts, names):
    return pd.Series(np.where(amounts > amounts.median(), names, "small"))


@example(AMOUNTS)
def standardised(amounts):
    return (amounts - amounts.mean()) / (amounts.std() or 1)


@example(AMOUNTS, AMOUNTS * 2)
def numpy_score(a, b):
    x = np.log1p(a.to_numpy())
    y = np.clip(b.values, 0, 10)
    return pd.Series(np.round(0.3 * x + 0.7 * y, 3))


@example(DAYS)
def quarter(days):
    when = pd.to_datetime(days)
    return when.dt.year.astype(str) + "Q" + when.dt.quarter.astype(str)


@example([NAMES, NAMES[::-1]])
def cleaned_batches(batches):
    pattern = re.compile(r"\s+")
    for names in batches:
        yield names.map(lambda n: pattern.sub("_", n.strip().lower()))


@example([AMOUNTS, AMOUNTS + 1])
def running_batches(batches):
    offset = 0.0
    for amounts in batches:
        yield amounts.cumsum() + offset
        offset += amounts.sum()


@example([SALES, MORE])
def enriched(batches):
    for df in batches:
        made = df.merge(PRODUCTS, on="product", how="left")
        made["key"] = made.pop("mail").map(pseudonym)
        yield made[["key", "name", "qty"]]


@example([SALES, MORE])
def filtered_and_renamed(batches):
    for pdf in batches:
        pdf = pdf.query("qty > 1 and price < 50")
        pdf = pdf.rename(columns=COLUMNS)[["item", "count", "region"]]
        pdf["count"] = pdf["count"].astype("int64")
        yield pdf.reset_index(drop=True)


@example([SALES, MORE])
def rows_of_batches(batches):
    for df in batches:
        rows = []
        for row in df.itertuples(index=False):
            if row.qty < 2:
                continue
            rows.append({"who": row.mail.split("@")[0], "spent": row.qty * row.price})
        yield pd.DataFrame(rows, columns=["who", "spent"])


@example([SALES, MORE])
def apply_rows(batches):
    def line(row):
        return f"{row['product']}x{row['qty']}"

    for df in batches:
        df["line"] = df.apply(line, axis=1)
        yield df[["line", "day"]]


@example(SALES)
def piped(df):
    return df.pipe(with_total).pipe(with_total, name="again")[["region", "total", "again"]]


@example(SALES)
def grouped_named(df):
    return (
        df.groupby(KEYS, as_index=False)
        .agg(units=("qty", "sum"), top=("price", "max"), who=("mail", "first"))
        .sort_values("units", ascending=False)
    )


@example(SALES)
def ranked(df):
    df = df.sort_values(["region", "price"])
    df["rank"] = df.groupby("region")["price"].rank(method="dense", ascending=False)
    df["prev"] = df.groupby("region")["qty"].shift(1).fillna(0)
    return df.loc[df["rank"] <= 1, ["region", "product", "prev"]]


@example(SALES)
def pivot(df):
    wide = df.pivot_table(index="region", columns="product", values="qty", aggfunc="sum", fill_value=0)
    wide.columns = [str(c) for c in wide.columns]
    return wide.reset_index()


@example(SALES)
def unpivoted(df):
    long = df.melt(id_vars=["mail"], value_vars=["qty", "price"], var_name="what", value_name="value")
    return long[long["what"] == "qty"].drop(columns="what")


@example((1,), SALES)
def group_with_key(key, df):
    (k,) = key
    best = df.loc[df["price"].idxmax()]
    return pd.DataFrame([{"k": k, "mail": best["mail"], "n": len(df), "mean": df["qty"].mean()}])


@example(SALES, PRODUCTS)
def cogrouped(left, right):
    made = pd.merge(left, right, how="inner", left_on="product", right_on="product", suffixes=("", "_p"))
    return made.assign(full=made["name"] + " " + made["kind"])[["mail", "full"]]


@example(SALES)
def one_hot(df):
    return pd.get_dummies(df[["region", "qty"]], columns=["region"], dtype=int)


@example(SALES)
def resampled(df):
    df["day"] = pd.to_datetime(df["day"])
    monthly = df.set_index("day").groupby(pd.Grouper(freq="MS"))["qty"].sum()
    return monthly.reset_index().assign(day=lambda d: d["day"].astype(str))


@example(SALES)
def window_means(df):
    df = df.sort_values("day").reset_index(drop=True)
    df["mean"] = df["price"].rolling(2, min_periods=1).mean()
    df["total"] = df["qty"].expanding().sum()
    return df[["mean", "total"]]


@example(SALES)
def filled(df):
    df = df.replace({"region": {"n": "north", "s": "south"}})
    df["qty"] = df["qty"].where(df["price"] < 10, other=0)
    df.loc[df["region"] == "north", "mail"] = None
    return df.fillna({"mail": "unknown"})[["region", "qty", "mail"]]


@example(SALES)
def extracted(df):
    return df["mail"].str.extract(r"(?P<user>[^@]+)@(?P<host>.+)").assign(qty=df["qty"])


@example(SALES)
def mapped_names(df):
    names = dict(zip(PRODUCTS["product"], PRODUCTS["name"]))
    df["name"] = df["product"].map(names).fillna("?")
    return df.drop(columns=["mail", "day", "price", "qty"])


@example(SALES)
def deduplicated(df):
    return df.drop_duplicates(subset=["product"], keep="last")[["product", "mail"]]


@example(SALES)
def summary_row(df):
    stats = {f"{c}_{f}": getattr(df[c], f)() for c in ("qty", "price") for f in ("min", "max")}
    return pd.DataFrame([stats])


@example(SALES)
def concatenated(df):
    high = df[df["price"] >= 9].assign(band="high")
    low = df[df["price"] < 9].assign(band="low")
    return pd.concat([high, low], ignore_index=True)[["band", "mail"]]


@example(SALES)
def selected_by_type(df):
    numbers = df.select_dtypes("number")
    return numbers.sum().to_frame("total").reset_index()


@example(SALES)
def numpy_table(df):
    values = df[["qty", "price"]].to_numpy()
    scaled = values / values.max(axis=0)
    return pd.DataFrame(scaled, columns=["q", "p"])


@example(SALES)
def vectorised(df):
    score = np.vectorize(lambda q, p: q * 2 if p > 5 else q)
    return pd.DataFrame({"score": score(df["qty"], df["price"])})


@example(SALES)
def selects(df):
    band = np.select([df["price"] < 2, df["price"] < 20], ["low", "mid"], default="high")
    return df[["mail"]].assign(band=band)


@example(SALES)
def exploded(df):
    df["parts"] = df["mail"].str.split("@")
    return df.explode("parts")[["parts", "qty"]]


@example(SALES)
def partial_map(df):
    df["mail"] = df["mail"].apply(partial(pseudonym, salt="x"))
    return df.filter(items=["mail", "region"])


@example(SALES)
def index_work(df):
    by = df.set_index("product")
    by["share"] = by["qty"] / by.groupby(level=0)["qty"].transform("sum")
    return by.reset_index()[["product", "share"]]


@example(SALES)
def loop_columns(df):
    out = pd.DataFrame(index=df.index)
    for name, function in {"qty": lambda s: s + 1, "mail": lambda s: s.str.len()}.items():
        out[f"{name}_new"] = function(df[name])
    return out


@example(SALES)
def dict_records(df):
    records = df.to_dict(orient="records")
    return pd.DataFrame([{"a": r["region"], "b": r["qty"] * 2} for r in records if r["price"] > 1])


@example(BATCHES)
def arrow_batches(batches):
    for batch in batches:
        mask = pc.greater(batch.column("qty"), 1)
        kept = batch.filter(mask)
        yield pa.RecordBatch.from_arrays(
            [pc.utf8_upper(kept.column("product")), pc.multiply(kept.column("qty"), 2)], names=["p", "q"]
        )


@example(BATCHES)
def arrow_through_pandas(batches):
    for batch in batches:
        df = batch.to_pandas()
        df["host"] = df["mail"].str.split("@").str[1]
        yield pa.RecordBatch.from_pandas(df[["host", "price"]], preserve_index=False)


@example(TABLE)
def arrow_grouped(table):
    made = table.group_by("region").aggregate([("qty", "sum"), ("price", "max")])
    return made.rename_columns(["region", "units", "top"])


@example(TABLE)
def arrow_columns(table):
    hosts = [m.as_py().split("@")[1] for m in table["mail"]]
    table = table.append_column("host", pa.array(hosts))
    return table.drop_columns(["mail", "day", "price"])


@example(TABLE)
def arrow_sorted(table):
    order = pc.sort_indices(table, sort_keys=[("price", "descending")])
    return table.take(order).select(["product", "qty"]).slice(0, 2)


@example(TABLE)
def arrow_ifelse(table):
    label = pc.if_else(pc.greater(table["price"], 5), table["mail"], pa.scalar("hidden"))
    return pa.table({"label": label, "region": table["region"]})


@example(TABLE)
def arrow_rows(table):
    return pa.Table.from_pylist([{"k": r["product"], "v": r["qty"] + 1} for r in table.to_pylist()])
