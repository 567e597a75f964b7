import numpy as np
import pandas as pd

from functions.examples import example

PEOPLE = pd.DataFrame(
    {
        "id": [1, 2, 3],
        "name": ["Ada", "Bob", "Cyd"],
        "mail": ["a@x.org", "b@y.org", "c@x.org"],
        "amount": [3.5, 1.0, 7.25],
        "day": ["2024-01-05", "2024-02-07", "2024-02-09"],
    }
)


@example(PEOPLE)
def hosts(df):
    host = df["mail"].str.split("@").str[1]
    return pd.DataFrame({"id": df["id"], "host": host.str.upper()})


@example(PEOPLE)
def months(df):
    out = df[["id", "amount"]].copy()
    out["month"] = pd.to_datetime(df["day"]).dt.month
    return out


@example(PEOPLE)
def standardised(df):
    spread = df["amount"].std() or 1.0
    return df.assign(score=(df["amount"] - df["amount"].mean()) / spread)[["id", "score"]]


@example(PEOPLE)
def graded(df):
    bands = pd.cut(df["amount"], bins=[0, 2, 5, 100], labels=["low", "mid", "high"])
    return pd.DataFrame({"id": df["id"], "band": bands.astype(str)})


@example(PEOPLE)
def chosen(df):
    df["size"] = np.where(df["amount"] > 3, "large", "small")
    return df.loc[df["id"] > 1, ["id", "size"]]


@example(PEOPLE)
def selected(df):
    kinds = np.select([df["amount"] > 5, df["amount"] > 2], ["a", "b"], default="c")
    return pd.DataFrame({"name": df["name"], "kind": kinds})


@example(PEOPLE)
def piped(df):
    def cleaned(d):
        return d.dropna(subset=["mail"]).drop_duplicates("mail")

    return df.pipe(cleaned).rename(columns={"mail": "contact"})[["id", "contact"]]


@example(PEOPLE)
def per_host(df):
    df["host"] = df["mail"].str.partition("@")[2]
    return df.groupby("host", as_index=False).agg(total=("amount", "sum"), people=("id", "count"))


@example(PEOPLE)
def shares(df):
    host = df["mail"].str.slice(2)
    return df[["id"]].assign(share=df["amount"] / df.groupby(host)["amount"].transform("sum"))


@example(PEOPLE)
def latest(df):
    return df.sort_values("day", ascending=False).head(1)[["id", "name"]].reset_index(drop=True)


@example(PEOPLE)
def by_rows(df):
    rows = [
        {"id": r.id, "label": f"{r.name_}/{r.amount}"}
        for r in df.rename(columns={"name": "name_"}).itertuples()
    ]
    return pd.DataFrame(rows)


@example(PEOPLE)
def applied(df):
    return pd.DataFrame({"id": df["id"], "label": df.apply(lambda r: f"{r['name']}:{r['amount']}", axis=1)})


@example(pd.Series(["a-1", "b-2"]))
def codes(s):
    return s.str.extract(r"([a-z])-(\d)")[1].astype(int)


@example(pd.Series([1.0, None, 3.0]), pd.Series([9.0, 8.0, 7.0]))
def filled(a, b):
    return a.fillna(b).clip(lower=0).round(1)


@example(pd.Series(["x", "y"]), pd.Series([1, 2]))
def joined(a, b):
    return a.str.cat(b.astype(str), sep=":")
