"""What a run says of why it has no records."""

from __future__ import annotations

from headwater_records_spark.captured.capture import _refused
from headwater_records_spark.captured.store import Output, Run
from headwater_records_spark.operators.python_functions import OTHER_INPUT


def refused(problem: Exception) -> Run:
    return _refused(Run("run", "full", "", Output("", "", "", {}, {}, {}), []), problem)


def test_other_rows_of_a_function_are_named_though_spark_says_so() -> None:
    run = refused(RuntimeError(f"[USER_RAISED_EXCEPTION] {OTHER_INPUT} SQLSTATE: P0001"))
    assert (run.code, run.refused) == ("unrepeatable", f"UnrepeatableError: {OTHER_INPUT}")


def test_what_spark_says_of_other_errors_may_have_values_in_it() -> None:
    run = refused(ValueError("cannot cast 'lisa@example.org'"))
    assert (run.code, run.refused) == ("failed", "ValueError")
