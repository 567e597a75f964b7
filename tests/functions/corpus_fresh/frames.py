"""Functions over series, frames and their iterators."""

import hashlib
import re

import numpy as np
import pandas as pd

from functions.examples import example

ORDERS = pd.DataFrame(
    {
        "order": ["o1", "o2", "o3", "o4", "o5"],
        "customer": ["ann", "bob", "ann", "cyd", "bob"],
        "city": ["Bern", "Rome", "Bern", "Oslo", "Rome"],
        "qty": [2, 1, 5, 3, 4],
        "price": [4.5, 60.0, 1.0, 9.5, 20.0],
        "mail": ["ann@x.org", "bob@y.org", "ann@x.org", "cyd@z.org", "bob@y.org"],
        "day": ["2024-01-05", "2024-02-01", "2024-02-03", "2024-03-09", "2024-03-20"],
        "tags": ["a,b", "b", "c,a", "", "a"],
    }
)
PEOPLE = pd.DataFrame(
    {"customer": ["ann", "bob", "dee"], "tier": ["gold", "basic", "gold"], "since": [2019, 2022, 2020]}
)
LATER = ORDERS.iloc[::-1].reset_index(drop=True)
NAMES = pd.Series(["Ann Long", "bob ray", "Cyd  Fox"], name="names")
NUMBERS = pd.Series([3.0, 1.5, 8.25], name="numbers")
COUNTS = pd.Series([4, 7, 2], name="counts")
FACTOR = {"gold": 0.8, "basic": 1.0}


@example(NAMES)
def last_names(names):
    return names.str.strip().str.split().str[-1].str.upper()


@example(NAMES)
def extracted(names):
    out = names.str.extract(r"(?P<first>\w+)\s+(?P<last>\w+)")
    out["n"] = names.str.len()
    return out


@example(NAMES, NUMBERS)
def hashed_series(names, numbers):
    return pd.Series([hashlib.sha256(f"{n}:{x:.1f}".encode()).hexdigest() for n, x in zip(names, numbers)])


@example(NUMBERS, COUNTS)
def selected(numbers, counts):
    return pd.Series(np.select([numbers > 5, counts > 5], ["high", "many"], default="low"))


@example(NUMBERS, COUNTS)
def where_series(numbers, counts):
    return numbers.where(counts > 3, other=counts * -1).fillna(0)


@example(NUMBERS)
def clipped(numbers):
    low, high = numbers.quantile([0.1, 0.9])
    return numbers.clip(low, high).round(1)


@example(NUMBERS, COUNTS)
def masked_assign(numbers, counts):
    out = numbers.copy()
    out[counts > 5] = 0
    out.loc[out > 5] = counts
    return out


@example(NUMBERS, COUNTS)
def filled_array(numbers, counts):
    out = np.zeros(len(numbers))
    mask = counts.values > 3
    out[mask] = numbers.values[mask]
    out[~mask] += counts[~mask]
    return pd.Series(out)


@example([NUMBERS, NUMBERS + 2])
def iterated_state(batches):
    seen = 0
    for batch in batches:
        seen += len(batch)
        yield batch * seen


@example([(NAMES, COUNTS), (NAMES[::-1], COUNTS)])
def iterated_pairs(batches):
    for names, counts in batches:
        yield names.str.slice(0, 3) + counts.astype(str)


@example([ORDERS, LATER])
def mapped_frames(frames):
    for df in frames:
        df = df[df.qty > 1]
        df["total"] = df.qty * df.price
        yield df[["order", "total"]]


@example([ORDERS, LATER])
def mapped_rows(frames):
    for df in frames:
        rows = []
        for row in df.itertuples(index=False):
            if row.price < 50:
                rows.append((row.order, row.city.lower(), row.qty))
        yield pd.DataFrame(rows, columns=["id", "place", "n"])


@example([ORDERS, LATER])
def mapped_dedup(frames):
    seen = set()
    for df in frames:
        keep = ~df["customer"].isin(seen)
        seen.update(df["customer"])
        yield df.loc[keep, ["customer", "mail"]].rename(columns=str.upper)


@example([ORDERS, LATER])
def collected_frames(frames):
    df = pd.concat(list(frames), ignore_index=True)
    yield df.groupby("city", as_index=False).agg(total=("qty", "sum"), first=("order", "first"))


@example(ORDERS)
def summed(df):
    return df.groupby("customer")["qty"].sum().reset_index(name="n")


@example(ORDERS)
def aggregated(df):
    out = df.groupby(["city", "customer"]).agg({"qty": "max", "price": ["min", "mean"]})
    out.columns = ["_".join(c) for c in out.columns]
    return out.reset_index()


@example(ORDERS)
def top_each(df):
    return (
        df.sort_values(["price", "order"], ascending=False).groupby("customer").head(1)[["customer", "order"]]
    )


@example(ORDERS)
def transformed(df):
    share = df["qty"] / df.groupby("city")["qty"].transform("sum")
    return df.assign(share=share)[["order", "share"]]


@example(ORDERS)
def assigned(df):
    return df.assign(
        total=lambda d: d.qty * d.price,
        big=lambda d: d.total > 20,
        label=lambda d: np.where(d.big, d.city, "small"),
    )[["order", "label"]]


@example(ORDERS, PEOPLE)
def merged(left, right):
    out = left.merge(right, on="customer", how="left", suffixes=("", "_r"))
    out["due"] = out["price"] * out["tier"].map(FACTOR).fillna(1.5)
    return out[["order", "due", "since"]]


@example(ORDERS, PEOPLE)
def anti_joined(left, right):
    return left[~left.customer.isin(right.customer)][["order", "mail"]]


@example(ORDERS, PEOPLE)
def mapped_series(left, right):
    tiers = right.set_index("customer")["tier"]
    return pd.DataFrame({"order": left["order"], "tier": left["customer"].map(tiers)})


@example(ORDERS)
def pivoted(df):
    out = df.pivot_table(index="customer", columns="city", values="qty", aggfunc="sum", fill_value=0)
    return out.sum(axis=1).reset_index()


@example(ORDERS)
def melted(df):
    return df.melt(id_vars=["order"], value_vars=["city", "mail"], var_name="what", value_name="text")


@example(ORDERS)
def exploded(df):
    out = df.assign(tag=df["tags"].str.split(",")).explode("tag")
    return out.loc[out["tag"] != "", ["order", "tag"]].reset_index(drop=True)


@example(ORDERS)
def rolled(df):
    df = df.sort_values("day")
    df["avg"] = df["price"].rolling(2, min_periods=1).mean()
    df["prev"] = df["qty"].shift(1).fillna(0)
    return df[["order", "avg", "prev"]]


@example(ORDERS)
def cumulated(df):
    out = df[["order", "customer"]].copy()
    out["so_far"] = df.groupby("customer")["qty"].cumsum()
    out["n"] = df.groupby("customer").cumcount() + 1
    return out


@example(ORDERS)
def deduplicated(df):
    return df.sort_values("qty").drop_duplicates("customer", keep="last")[["order", "city"]]


@example(ORDERS)
def loc_assigned(df):
    df.loc[df["price"] > 15, "city"] = "big"
    df.loc[df["city"] == "Bern", ["mail", "tags"]] = ["x", "y"]
    return df[["city", "mail"]]


@example(ORDERS)
def chained_mask(df):
    keep = (df["qty"] > 1) & (df["price"] < 30) | df["city"].eq("Rome")
    return df[keep].drop(columns=["mail", "tags", "day"])


@example(ORDERS)
def queried(df):
    return df.query("qty > 2 and city != 'Oslo'")[["order", "mail"]]


@example(ORDERS)
def evaluated_frame(df):
    return df.eval("total = qty * price")[["order", "total"]]


@example(ORDERS)
def applied_rows(df):
    def label(row):
        if row["qty"] > 3:
            return row["city"].upper()
        return row["mail"].split("@")[0]

    return pd.DataFrame({"order": df["order"], "label": df.apply(label, axis=1)})


@example(ORDERS)
def applied_series(df):
    def spread(row):
        return pd.Series({"a": row.qty * 2, "b": row.city[:2]})

    return df.apply(spread, axis=1)


@example(ORDERS)
def applied_columns(df):
    return df[["qty", "price"]].apply(lambda c: c / c.max())


@example(ORDERS)
def dated(df):
    when = pd.to_datetime(df["day"])
    return pd.DataFrame(
        {"order": df.order, "month": when.dt.strftime("%Y-%m"), "gap": (when - when.min()).dt.days}
    )


@example(ORDERS)
def binned(df):
    df["band"] = pd.cut(df["price"], bins=[0, 5, 20, 100], labels=["low", "mid", "high"]).astype(str)
    return df.groupby("band", as_index=False)["qty"].sum()


@example(ORDERS)
def counted_values(df):
    return df["city"].value_counts().rename_axis("city").reset_index(name="n")


@example(ORDERS)
def crossed(df):
    return pd.crosstab(df["customer"], df["city"]).reset_index()


@example(ORDERS)
def dummies(df):
    return pd.get_dummies(df[["order", "city"]], columns=["city"])


@example(ORDERS)
def ranked_frame(df):
    df["rank"] = df["price"].rank(method="dense", ascending=False).astype(int)
    return df.nsmallest(3, "rank")[["order", "rank"]]


@example(ORDERS)
def loop_columns(df):
    for column in ("city", "mail"):
        df[column] = df[column].str.upper().str[:4]
    return df[["order", "city", "mail"]]


@example(ORDERS)
def dict_columns(df):
    out = {c: df[c].tolist() for c in df.columns if df[c].dtype == object}
    return pd.DataFrame(out)[["order", "tags"]]


@example(ORDERS)
def records(df):
    out = []
    for r in df.to_dict("records"):
        out.append({"id": r["order"], "who": r["mail"].rsplit("@", 1)[-1], "t": r["qty"] * r["price"]})
    return pd.DataFrame.from_records(out)


@example(ORDERS)
def single_row(df):
    return pd.DataFrame([[df["customer"].iloc[0], len(df), df["price"].max()]], columns=["who", "n", "top"])


@example(ORDERS)
def iterrows(df):
    total, rows = 0, []
    for _, r in df.iterrows():
        total += r["qty"]
        rows.append({"order": r["order"], "so_far": total})
    return pd.DataFrame(rows)


@example(ORDERS)
def groups_looped(df):
    parts = []
    for name, part in df.groupby("customer"):
        part = part.sort_values("price").head(1)
        parts.append(part.assign(who=name, n=len(part)))
    return pd.concat(parts)[["who", "n", "order"]]


@example(ORDERS)
def groups_applied(df):
    def one(part):
        return pd.Series({"spend": (part["qty"] * part["price"]).sum(), "last": part["day"].max()})

    return df.groupby("customer").apply(one).reset_index()


@example(ORDERS)
def filled(df):
    df["tags"] = df["tags"].replace("", np.nan)
    df["tags"] = df["tags"].fillna(df["city"])
    return df[["order", "tags"]]


@example(ORDERS)
def inserted(df):
    df.insert(0, "key", df["order"] + "/" + df["city"])
    df.pop("mail")
    del df["tags"]
    df.drop(["day"], axis=1, inplace=True)
    return df


@example(ORDERS)
def renamed_frame(df):
    df.columns = [c.upper() for c in df.columns]
    return df[["ORDER", "QTY"]].set_axis(["a", "b"], axis=1)


@example(ORDERS)
def stacked_frames(df):
    a = df[["order", "city"]].rename(columns={"city": "text"})
    b = df[["order", "mail"]].rename(columns={"mail": "text"})
    return pd.concat([a, b], ignore_index=True).sort_values("order")


@example(ORDERS)
def side_by_side(df):
    parts = df["mail"].str.split("@", expand=True)
    parts.columns = ["user", "host"]
    return pd.concat([df[["order"]], parts], axis=1)


@example(ORDERS)
def reindexed(df):
    return df.set_index("order").loc[["o1", "o3"], "city"].reset_index()


@example(ORDERS)
def at_assigned(df):
    df.at[0, "city"] = df.at[1, "mail"]
    df.iloc[2, 2] = "x"
    return df[["order", "city"]]


@example(ORDERS)
def combined(df):
    df["city"] = df["city"].mask(df["qty"].between(2, 3), df["customer"])
    return df[["city"]]


@example(ORDERS)
def numpy_columns(df):
    m = df[["qty", "price"]].to_numpy(dtype=float)
    total = m.prod(axis=1)
    order = np.argsort(-total)
    return pd.DataFrame({"order": df["order"].values[order], "total": total[order]})


@example(ORDERS)
def vectorized(df):
    f = np.vectorize(lambda c, q: c[:2] if q > 2 else "-")
    return pd.DataFrame({"c": f(df["city"], df["qty"])})


@example(ORDERS)
def piped(df):
    def keep(d, column, least):
        return d[d[column] >= least]

    return df.pipe(keep, "qty", least=3).pipe(lambda d: d[["order", "price"]])


@example(ORDERS)
def replaced(df):
    return df.replace({"city": {"Bern": "BE", "Rome": "RM"}})[["city", "customer"]]


@example(ORDERS)
def list_aggregated(df):
    out = df.groupby("customer")["order"].apply(list).reset_index()
    out["order"] = out["order"].map(lambda x: "|".join(sorted(x)))
    return out


@example(ORDERS)
def scalar_in_frame(df):
    limit = df.loc[df["city"] == "Bern", "price"].mean()
    df["above"] = df["price"] > limit
    return df[["order", "above"]]


@example(ORDERS)
def early(df):
    if df["qty"].sum() > 100 or df.empty:
        return pd.DataFrame({"order": [], "city": []})
    return df[["order", "city"]]


@example(ORDERS)
def filtered_groups(df):
    return df.groupby("city").filter(lambda g: g["qty"].sum() > 3)[["order"]]


@example(ORDERS)
def indexed_max(df):
    best = df.loc[df.groupby("customer")["price"].idxmax()]
    return best[["customer", "order"]]


@example(ORDERS)
def asof(df):
    df["day"] = pd.to_datetime(df["day"])
    df = df.set_index("day").sort_index()
    return df["qty"].resample("MS").sum().reset_index()


@example(ORDERS)
def styled(df):
    df["text"] = df.apply("{0[order]}:{0[city]}".format, axis=1)
    return df[["text"]]


@example(ORDERS)
def listed_columns(df):
    keep = [c for c in df if c.startswith("c")]
    return df[keep + ["order"]]


@example(ORDERS)
def zipped(df):
    return pd.DataFrame(
        [{"k": o, "v": c if q > 1 else m} for o, c, q, m in zip(df.order, df.city, df.qty, df.mail)]
    )


@example(ORDERS)
def sorted_key(df):
    return df.sort_values("mail", key=lambda s: s.str.len()).reset_index(drop=True)[["order"]]


@example(ORDERS)
def diffed(df):
    df = df.sort_values(["customer", "day"])
    df["delta"] = df.groupby("customer")["price"].diff().fillna(0)
    df["flag"] = df["customer"].ne(df["customer"].shift())
    return df[["order", "delta", "flag"]]


@example(ORDERS)
def where_columns(df):
    df["who"] = np.where(df["mail"].str.endswith("x.org"), df["customer"].str.title(), df["order"])
    df["ok"] = df["mail"].str.contains(r"^\w+@", regex=True)
    return df.filter(items=["who", "ok"])


@example(ORDERS)
def unstacked(df):
    return df.groupby(["customer", "city"])["qty"].sum().unstack(fill_value=0).add_prefix("n_").reset_index()


@example(ORDERS)
def sampled(df):
    return df.iloc[::2][["order", "city"]].reset_index(drop=True)


@example(ORDERS)
def alias_frame(df):
    other = df
    other["city"] = other["mail"]
    return df[["city"]]


@example(ORDERS)
def copy_frame(df):
    other = df.copy()
    other["city"] = other["mail"]
    return df[["city"]]


@example(ORDERS)
def duplicates(df):
    return df.assign(again=df.duplicated(["customer", "city"]))[["order", "again"]]


@example(ORDERS)
def factorized(df):
    codes, names = pd.factorize(df["city"])
    return pd.DataFrame({"order": df["order"], "code": codes})
