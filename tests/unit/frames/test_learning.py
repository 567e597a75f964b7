"""Models of scikit-learn: what a model was fitted on, what it gives, and columns through transformers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import headwater_pandas as hp
from kit.frames import strict

NUMBERS, KINDS = ["age", "pay"], ["city"]


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


def people() -> Any:
    chance = np.random.default_rng(0)
    frame = pd.DataFrame({"age": chance.integers(18, 80, 12) * 1.0, "pay": chance.random(12) * 100})
    return frame.assign(city=list("abcabcabcabc"), label=[0, 1] * 6)


def parts() -> Any:
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    kinds = OneHotEncoder(handle_unknown="ignore")
    return ColumnTransformer([("n", numbers, NUMBERS), ("c", kinds, KINDS)], sparse_threshold=0)


def of(answer: Any) -> set[tuple[int, str]]:
    return {(int(row), column) for row, column in zip(answer["row"], answer["column"], strict=True)}


def test_a_split_is_of_the_records_that_its_labels_name() -> None:
    train, test = train_test_split(hp.track(people(), "people"), test_size=3, random_state=1)
    assert hp.why(train)["row"].tolist() == train.index.sort_values().tolist()
    assert hp.why(test, 1)["row"].tolist() == [test.index[1]]


def test_a_model_is_made_of_its_training_records_and_decides_about_its_predictions() -> None:
    train, test = train_test_split(hp.track(people(), "people"), test_size=3, random_state=1)
    model = Pipeline([("parts", parts()), ("model", LogisticRegression())])
    model.fit(train[NUMBERS + KINDS], train["label"])
    assert set(hp.why(model)["row"]) == set(train.index)
    assert {column for _, column in of(hp.why(model, 0, ["model"]))} >= {*NUMBERS, *KINDS, "label"}
    found = model.predict(test[NUMBERS + KINDS])
    assert set(hp.why(found, 0)["row"]) == {test.index[0]}
    assert set(hp.influence(found, 0)["row"]) == set(train.index)


@pytest.mark.parametrize(
    ("made", "columns"),
    [
        (parts(), [["age"], ["pay"], ["city"], ["city"], ["city"]]),
        (make_pipeline(ColumnTransformer([("o", OrdinalEncoder(), KINDS)])), [["city"]]),
        (
            ColumnTransformer([("s", MinMaxScaler(), ["pay"])], remainder="passthrough"),
            [["pay"], ["age"], ["city"]],
        ),
        (ColumnTransformer([("v", VarianceThreshold(), NUMBERS)]), [["age"], ["pay"]]),
        (ColumnTransformer([("k", KNNImputer(), NUMBERS)]), [NUMBERS, NUMBERS]),
    ],
)
def test_columns_go_through_transformers(made: Any, columns: list[list[str]]) -> None:
    frame = hp.track(people(), "people")[NUMBERS + KINDS]
    found = made.fit_transform(frame)
    assert found.shape[1] == len(columns)
    for number, names in enumerate(columns):
        assert of(hp.why(found, 4, [number])) == {(4, name) for name in names}


def test_a_cell_that_changes_what_a_transformer_gives_is_listed() -> None:
    plain, frame = people(), hp.track(people(), "people")
    before, found = parts().fit_transform(plain), parts().fit_transform(frame[NUMBERS + KINDS])
    for row in range(3):
        for column in NUMBERS:
            changed = plain.copy()
            changed.loc[row, column] = 1_000.0
            after = parts().fit_transform(changed)
            for here, place in np.argwhere(before != after).tolist():
                known = of(hp.why(found, here, [place])) | of(hp.influence(found, here, [place]))
                assert (row, column) in known


def test_a_model_that_learns_on_is_made_of_all_that_it_learned() -> None:
    frame, model = hp.track(people(), "people"), SGDClassifier()
    for start in (0, 6):
        part = frame.iloc[start : start + 4]
        model.partial_fit(part[NUMBERS], part["label"], classes=[0, 1])
    assert set(hp.why(model)["row"]) == {0, 1, 2, 3, 6, 7, 8, 9}


def test_a_model_from_before_is_a_source_of_its_own_and_plain_data_stays_untracked() -> None:
    model = DecisionTreeClassifier().fit(people()[NUMBERS], people()["label"])
    frame = hp.track(people(), "people")
    found = model.predict(frame[NUMBERS])
    assert set(hp.influence(found, 0)["dataset"]) == {"model"}
    plain = DecisionTreeClassifier().fit(people()[NUMBERS], people()["label"])
    with pytest.raises(hp.NotTrackedError):
        hp.why(plain)


def test_frames_that_a_transformer_gives_keep_their_index_and_its_methods_come_back() -> None:
    before = vars(StandardScaler)["transform"]
    frame = hp.track(people().set_index("city"), "people")
    scaled = StandardScaler().set_output(transform="pandas").fit_transform(frame[NUMBERS])
    assert of(hp.why(scaled.reset_index(), 2, ["city", "pay"])) == {(2, "city"), (2, "pay")}
    hp.stop()
    assert vars(StandardScaler)["transform"] is before
