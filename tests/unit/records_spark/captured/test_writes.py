"""Which files of a folder one write wrote."""

from __future__ import annotations

from headwater_records_spark.captured.writes import files_of_job

ONE, OTHER = (f"{number:08d}-0000-4000-8000-000000000000" for number in (1, 2))


def part(job: str, number: int = 0, folder: str = "") -> str:
    return f"file:/out/{folder}part-{number:05d}-{job}-c000.snappy.parquet"


def never() -> frozenset[str]:
    raise AssertionError("asked for what is kept, though times tell it")


def test_the_files_of_a_job_have_its_id_in_any_partition() -> None:
    files = {part(ONE): (1, 50), part(ONE, 1, "day=2/"): (2, 60), part(OTHER): (1, 10)}
    assert files_of_job(files, (), 20, never) == {part(ONE): (1, 50), part(ONE, 1, "day=2/"): (2, 60)}


def test_files_of_earlier_writes_are_not_of_this_one() -> None:
    files = {part(ONE): (1, 50), part(OTHER): (1, 60), "file:/out/by_hand.parquet": (1, 70)}
    assert files_of_job(files, {part(ONE)}, 20, never) == {part(OTHER): (1, 60)}


def test_what_another_capture_wrote_in_the_same_second_is_known_by_what_it_kept() -> None:
    files = {part(ONE): (1, 50), part(OTHER): (1, 60)}
    assert files_of_job(files, (), 20, lambda: frozenset({part(ONE)})) == {part(OTHER): (1, 60)}


def test_two_jobs_at_the_same_time_cannot_be_distinguished() -> None:
    assert files_of_job({part(ONE): (1, 50), part(OTHER): (1, 60)}, (), 20, frozenset) is None


def test_a_write_of_no_file_has_none() -> None:
    assert files_of_job({}, (), 0, never) == {}
