import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from functions.examples import example

FIRST = pd.DataFrame({"id": [1, 2], "name": ["Ada", "Bob"], "age": [36, 17], "city": ["Bern", "Rome"]})
SECOND = pd.DataFrame({"id": [3, 4], "name": ["Cyd", "Dee"], "age": [51, 20], "city": ["Oslo", "Bonn"]})
BATCH = pa.RecordBatch.from_pandas(FIRST, preserve_index=False)
OTHER = pa.RecordBatch.from_pandas(SECOND, preserve_index=False)
TABLE = pa.Table.from_pandas(FIRST, preserve_index=False)


@example([FIRST, SECOND])
def filtered_batches(frames):
    for df in frames:
        yield df[df["age"] > 18][["id", "name"]]


@example([FIRST, SECOND])
def adds_columns(frames):
    for df in frames:
        df["next"] = df["age"] + 1
        df = df.drop(columns=["age"])
        yield df


@example([FIRST, SECOND])
def remembers_a_number(frames):
    total = 0
    for df in frames:
        total += df["age"].sum()
        yield pd.DataFrame({"id": df["id"], "total": total})


@example([FIRST, SECOND])
def remembers_the_last_frame(frames):
    last = None
    for df in frames:
        if last is not None:
            yield pd.DataFrame({"id": df["id"], "before": last["name"]})
        last = df


@example([FIRST, SECOND])
def collects_all(frames):
    parts = []
    for df in frames:
        parts.append(df[["id", "city"]])
    yield pd.concat(parts)


@example([FIRST, SECOND])
def collects_in_a_list(frames):
    return [pd.concat(list(frames))[["name"]]]


@example([FIRST, SECOND])
def seen_before(frames):
    seen = set()
    for df in frames:
        fresh = [n not in seen for n in df["name"]]
        seen.update(df["name"])
        yield df[fresh][["id"]]


@example([FIRST, SECOND])
def in_two_functions(frames):
    def clean(df):
        return df.assign(name=df["name"].str.strip().str.lower())

    for df in map(clean, frames):
        yield df[["name"]]


@example([FIRST, SECOND])
def as_an_expression(frames):
    return (df[["city"]] for df in frames if len(df) > 1)


@example([FIRST, SECOND])
def passes_through(frames):
    yield from frames


@example([FIRST, SECOND])
def only_the_first(frames):
    df = next(iter(frames))
    yield df[["age"]]


@example([FIRST, SECOND])
def numbered_batches(frames):
    for number, df in enumerate(frames):
        df["batch"] = number
        yield df[["batch", "id"]]


@example([FIRST, SECOND])
def two_of_each(frames):
    for df in frames:
        yield df[["id"]].assign(what=df["name"])
        yield df[["id"]].assign(what=df["city"])


@example([FIRST, SECOND])
def rows_one_by_one(frames):
    for df in frames:
        for row in df.itertuples(index=False):
            yield pd.DataFrame({"id": [row.id], "text": [row.name + row.city]})


@example([FIRST, SECOND])
def stops_early(frames):
    for df in frames:
        if df["age"].max() > 40:
            return
        yield df[["name"]]


@example([FIRST, SECOND])
def fails_softly(frames):
    for df in frames:
        try:
            df["v"] = df["name"].astype(int)
        except ValueError:
            df["v"] = 0
        yield df[["v"]]


@example([FIRST["name"], SECOND["name"]])
def lengths(batches):
    for names in batches:
        yield names.str.len()


@example([FIRST["name"], SECOND["name"]])
def with_a_prefix(batches):
    prefix = "x-"
    return (prefix + names for names in batches)


@example([FIRST["age"], SECOND["age"]])
def running_mean(batches):
    total, count = 0.0, 0
    for ages in batches:
        total += ages.sum()
        count += len(ages)
        yield ages * 0 + total / count


@example(FIRST["age"], FIRST["id"])
def weighted_mean(age, weight):
    return float((age * weight).sum() / weight.sum())


@example(FIRST["name"])
def longest(name):
    return max(name, key=len)


@example(FIRST["name"], FIRST["age"])
def oldest(name, age):
    return name.iloc[age.argmax()]


@example([BATCH, OTHER])
def arrow_selects(batches):
    for batch in batches:
        yield batch.select(["id", "name"])


@example([BATCH, OTHER])
def arrow_computes(batches):
    for batch in batches:
        yield pa.RecordBatch.from_arrays(
            [batch.column("id"), pc.utf8_upper(batch.column("name"))], names=["id", "loud"]
        )


@example([BATCH, OTHER])
def arrow_from_a_dictionary(batches):
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"id": batch["id"], "town": batch["city"]})


@example([BATCH, OTHER])
def arrow_filters(batches):
    for batch in batches:
        yield batch.filter(pc.greater(batch.column("age"), 18)).select(["name"])


@example([BATCH, OTHER])
def arrow_by_pandas(batches):
    for batch in batches:
        df = batch.to_pandas()
        df["older"] = df["age"] + 1
        yield pa.RecordBatch.from_pandas(df[["id", "older"]])


@example([BATCH, OTHER])
def arrow_by_position(batches):
    for batch in batches:
        yield pa.RecordBatch.from_arrays([batch.column(1), batch[2]], names=["a", "b"])


@example([BATCH, OTHER])
def arrow_records(batches):
    for batch in batches:
        rows = [{"id": r["id"], "who": r["name"] + "!"} for r in batch.to_pylist()]
        yield pa.RecordBatch.from_pylist(rows)


@example([BATCH, OTHER])
def arrow_dictionary_of_lists(batches):
    for batch in batches:
        held = batch.to_pydict()
        yield pa.RecordBatch.from_pydict({"id": held["id"], "city": held["city"][::-1]})


@example(TABLE)
def arrow_table_columns(table):
    return table.select(["id", "age"]).append_column("name", table["city"])


@example(TABLE)
def arrow_table_replaced(table):
    return table.set_column(0, "id", pc.add(table["age"], 1)).drop_columns(["name", "city"])


@example(TABLE)
def arrow_table_renamed(table):
    return table.select(["id", "name"]).rename_columns(["name", "id"])


@example(TABLE)
def arrow_table_sorted(table):
    return table.sort_by("age").select(["city"])


@example(TABLE)
def arrow_table_grouped(table):
    return table.group_by("city").aggregate([("age", "sum")])


@example((pa.scalar(1),), TABLE)
def arrow_with_key(key, table):
    return pa.table({"id": [key[0].as_py()], "mean": [pc.mean(table["age"]).as_py()]})


@example(TABLE, TABLE)
def arrow_two_tables(left, right):
    return left.select(["id"]).append_column("city", right["city"])


@example(TABLE)
def arrow_sliced(table):
    return table.slice(0, 1).select(["name"])


@example(TABLE)
def arrow_taken(table):
    return table.take(pc.sort_indices(table["age"])).select(["id"])
