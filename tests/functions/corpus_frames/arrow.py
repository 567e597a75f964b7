"""Functions over tables and batches of Arrow, as ``mapInArrow`` and ``applyInArrow`` call them."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from functions.examples import example

TABLE = pa.table(
    {
        "id": [1, 2, 3],
        "name": ["ann", "bob", "cy"],
        "town": ["bern", "rome", "bern"],
        "amount": [5.0, 1.0, 9.0],
    }
)
ROOMS = pa.table({"id": [1, 2, 4], "room": ["r1", "r2", "r4"]})
BATCHES = [
    pa.RecordBatch.from_pandas(TABLE.to_pandas()),
    pa.RecordBatch.from_pandas(TABLE.to_pandas().tail(2), preserve_index=False),
]
KEY = (pa.scalar("bern"),)


@example(TABLE)
def two_columns(table):
    return table.select(["name", "id"])


@example(TABLE)
def given_back(table):
    return table


@example(TABLE)
def one_column(table):
    return pa.table({"n": table.column("name")})


@example(TABLE)
def by_position(table):
    return pa.table({"n": table.column(1), "i": table[0]})


@example(TABLE)
def appended_then_by_position(table):
    more = table.append_column("loud", pc.utf8_upper(table["name"]))
    return pa.table({"n": more.column(4), "i": more[0]})


@example(TABLE)
def made_by_position(table):
    made = pa.table({"a": table["name"], "b": table["town"]})
    return pa.table({"x": made[1], "y": made.column(0)})


@example(TABLE)
def upper(table):
    return table.append_column("loud", pc.utf8_upper(table["name"])).select(["id", "loud"])


@example(TABLE)
def replaced_column(table):
    return table.set_column(1, "name", pc.utf8_upper(table["town"]))


@example(TABLE)
def only_large(table):
    return table.filter(pc.greater(table["amount"], 2.0)).select(["name"])


@example(TABLE)
def by_expression(table):
    return table.filter(pc.field("amount") > 2.0).select(["name"])


@example(TABLE)
def in_order(table):
    return table.sort_by("amount").select(["id"])


@example(TABLE)
def first_rows(table):
    return table.slice(0, 2).select(["town"])


@example(TABLE)
def totals(table):
    return pa.table({"town": [table["town"][0].as_py()], "total": [pc.sum(table["amount"]).as_py()]})


@example(KEY, TABLE)
def with_key(key, table):
    return pa.table(
        {"town": [key[0].as_py()], "n": [table.num_rows], "top": [pc.max(table["amount"]).as_py()]}
    )


@example(TABLE)
def by_pandas(table):
    df = table.to_pandas()
    df["name"] = df["name"].str.title()
    return pa.Table.from_pandas(df[["id", "name"]], preserve_index=False)


@example(TABLE)
def from_arrays(table):
    return pa.Table.from_arrays([table["id"], pc.utf8_length(table["name"])], names=["id", "length"])


@example(TABLE)
def row_by_row(table):
    rows = [{"id": r["id"], "who": r["name"].upper()} for r in table.to_pylist() if r["amount"] > 2]
    return pa.Table.from_pylist(rows)


@example(TABLE)
def grouped(table):
    return table.group_by("town").aggregate([("amount", "sum")])


@example(TABLE)
def renamed(table):
    return table.rename_columns(["i", "n", "t", "a"])


@example(TABLE)
def without_one(table):
    return table.drop_columns(["name"])


@example(TABLE)
def removed(table):
    return table.remove_column(1)


@example(TABLE)
def twice(table):
    return pa.concat_tables([table.select(["id"]), table.select(["id"])])


@example(TABLE)
def by_columns(table):
    return pa.table(dict(zip(["a", "b"], table.columns)))


@example(TABLE)
def casting(table):
    return table.select(["amount"]).cast(pa.schema([("amount", pa.int64())]))


@example(TABLE, ROOMS)
def together(left, right):
    return left.join(right, keys="id").select(["name", "room"])


@example(TABLE, ROOMS)
def lengths(left, right):
    return pa.table({"l": [left.num_rows], "r": [right["room"][0].as_py()]})


@example(BATCHES)
def batch_by_batch(batches):
    for batch in batches:
        yield batch.select(["id", "town"])


@example(BATCHES)
def passed_on(batches):
    yield from batches


@example(BATCHES)
def masked(batches):
    for batch in batches:
        kept = batch.filter(pc.equal(batch["town"], "bern"))
        yield pa.RecordBatch.from_arrays([kept["id"], kept["name"]], names=["id", "name"])


@example(BATCHES)
def through_frames(batches):
    for batch in batches:
        df = batch.to_pandas()
        yield pa.RecordBatch.from_pandas(df.assign(x=df["amount"] * 2)[["id", "x"]])


@example(BATCHES)
def summed(batches):
    total = 0
    for batch in batches:
        total += pc.sum(batch["amount"]).as_py() or 0
    yield pa.RecordBatch.from_pydict({"total": [total]})


@example(BATCHES)
def listed(batches):
    for batch in batches:
        rows = batch.to_pylist()
        for row in rows:
            row["name"] = row["town"].upper()
        yield pa.RecordBatch.from_pylist(rows)


@example(BATCHES)
def held_back(batches):
    before = None
    for batch in batches:
        if before is not None:
            yield before.select(["name"])
        before = batch
    yield before.select(["name"])


@example(BATCHES)
def as_frames(batches):
    frames = [b.to_pandas() for b in batches]
    df = pd.concat(frames)
    yield pa.RecordBatch.from_pandas(df[["town"]].drop_duplicates(), preserve_index=False)


@example(TABLE)
def without_two(table):
    return table.drop_columns(["name", "town"])


@example(TABLE)
def by_negative_position(table):
    return pa.table({"last": table.column(-1), "first": table.column(0)})


@example(TABLE.to_pandas())
def rows_as_tuples(df):
    return pd.DataFrame([{"i": r[1], "n": r.name, "t": r[3]} for r in df.itertuples()])


@example(TABLE.to_pandas())
def rows_as_plain_tuples(df):
    return pd.DataFrame([{"i": r[0], "t": r[2]} for r in df.itertuples(index=False)])


@example(TABLE.to_pandas())
def rows_unpacked(df):
    return pd.DataFrame([{"i": i, "t": town} for _, i, name, town, amount in df.itertuples()])


@example(TABLE.to_pandas())
def rows_by_place(df):
    return pd.DataFrame([{"i": row.iloc[0], "t": row.iloc[2]} for _, row in df.iterrows()])
