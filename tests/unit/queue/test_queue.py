"""A queue on disk: turns, streams, one process at a time, kills, full and damaged files."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from headwater_queue.entry import LONGEST_PAUSE
from headwater_queue.errors import QueueDamagedError, QueueError, QueueInUseError
from headwater_queue.queue import Queue

NOW = 1_000.0
ALL = 1_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "queue.db"


@pytest.fixture
def queue(file: Path) -> Iterator[Queue]:
    with closing(Queue.open(file)) as opened:
        yield opened


def add(queue: Queue, *names: str, stream: str | None = None) -> None:
    for name in names:
        queue.append(name.encode(), NOW, stream)


def due(queue: Queue, now: float = NOW) -> str:
    """The contents of the entries that are due."""
    return " ".join(queue.content(entry).decode() for entry in queue.due(now, ALL))


def sizes(queue: Queue) -> tuple[int, int]:
    return queue.events, queue.bytes


def run(program: str, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=check)


def test_entries_are_due_in_order_until_they_are_removed(queue: Queue) -> None:
    add(queue, "a", "b", "c")
    assert (due(queue), sizes(queue)) == ("a b c", (3, 3))
    queue.remove(queue.due(NOW, 2))
    assert (due(queue), sizes(queue)) == ("c", (1, 1))


def test_what_is_in_it_is_there_when_it_is_opened_again(file: Path) -> None:
    with closing(Queue.open(file)) as queue:
        queue.append(b"five!", NOW, events=3)
        add(queue, "a", stream="run")
        queue.record([(queue.due(NOW, 2)[1], NOW + 30)])
    with closing(Queue.open(file)) as queue:
        assert (due(queue), sizes(queue), queue.oldest()) == ("five!", (4, 6), NOW)
        assert queue.tried_streams() == {"run": NOW + 30}


def test_it_is_read_ahead_without_removing_anything(queue: Queue) -> None:
    add(queue, "a", "b")
    add(queue, "c")
    (first,) = queue.due(NOW)
    rest = queue.due(NOW, ALL, first.turn)
    assert [queue.content(entry) for entry in rest] == [b"b", b"c"]
    queue.remove(rest)
    assert due(queue) == "a"


def test_it_is_read_ahead_among_entries_with_attempts(queue: Queue) -> None:
    add(queue, "a", "b", "c", "d")
    queue.record((entry, NOW) for entry in queue.due(NOW, 3))
    queue.record((entry, NOW) for entry in queue.due(NOW + 1, 2)[1:])
    later, found, after = NOW + 1, [], (0, 0)
    while entries := queue.due(later, 1, after):
        found += [queue.content(entry) for entry in entries]
        after = entries[0].turn
    assert found == [b"d", b"b", b"c", b"a"]
    assert len(queue.due(later, 3, (1, 2))) == 2


def test_an_entry_without_a_stream_waits_alone_and_comes_after_those_that_nobody_tried(queue: Queue) -> None:
    add(queue, "a", "b", "c")
    queue.record((entry, NOW + 4) for entry in queue.due(NOW))
    assert (due(queue), due(queue, NOW + 5)) == ("b c", "b c a")
    assert (queue.tried(1), queue.tried(2)) == (1, 0)


def test_a_stream_waits_as_a_whole_and_in_order(queue: Queue) -> None:
    add(queue, "a1", stream="a")
    add(queue, "b1", stream="b")
    add(queue, "a2", stream="a")
    queue.record([(queue.due(NOW)[0], NOW + 30)])
    add(queue, "a3", stream="a")
    add(queue, "b2", stream="b")
    assert (due(queue), due(queue, NOW + 31)) == ("b1 b2", "b1 b2 a1 a2 a3")
    assert queue.tried_streams() == {"a": NOW + 30}


def test_a_stream_whose_entries_are_gone_starts_afresh(queue: Queue) -> None:
    add(queue, "a1", stream="a")
    queue.record([(queue.due(NOW)[0], NOW + 30)])
    queue.remove(queue.due(NOW + 31))
    add(queue, "a2", stream="a")
    assert due(queue) == "a2"


def test_entries_are_made_due_with_or_without_their_attempts(queue: Queue) -> None:
    add(queue, "a", "b")
    queue.record([(queue.due(NOW)[0], NOW + 30)])
    queue.make_due()
    assert due(queue) == "b a"
    queue.make_due(afresh=True)
    assert due(queue) == "a b"


def test_after_the_clock_was_set_back_no_entry_waits_for_years(queue: Queue) -> None:
    add(queue, "a")
    queue.record([(queue.due(NOW)[0], 10**9)])
    assert due(queue) == "a"
    queue.record([(queue.due(NOW)[0], NOW + LONGEST_PAUSE)])
    assert due(queue) == ""


OPENS = """
import sys
from pathlib import Path
from headwater_queue.errors import QueueInUseError
from headwater_queue.queue import Queue
try:
    Queue.open(Path(sys.argv[1]), create=False).close()
except QueueInUseError:
    print("in use")
"""


def test_another_process_is_refused_at_once_and_so_is_this_one(queue: Queue, file: Path) -> None:
    add(queue, "a")
    for _ in range(2):
        with pytest.raises(QueueInUseError, match="locked"):
            Queue.open(file)
        assert run(OPENS, file).stdout == "in use\n", "nor does trying release the lock"
    add(queue, "b")
    queue.close()
    assert run(OPENS, file).stdout == ""


def test_a_forked_child_does_not_keep_the_lock(file: Path) -> None:
    queue = Queue.open(file)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    assert run(OPENS, file).stdout == "in use\n"
    queue.close()
    assert run(OPENS, file).stdout == ""
    child.communicate(b"\n")


def test_a_child_that_ends_does_not_release_the_lock_of_its_parent(queue: Queue, file: Path) -> None:
    if not (child := os.fork()):
        os._exit(0)
    os.waitpid(child, 0)
    assert run(OPENS, file).stdout == "in use\n"
    add(queue, "a")
    assert due(queue) == "a"


LIVES = """
import random, sys
from pathlib import Path
from headwater_queue.queue import Queue
queue = Queue.open(Path(sys.argv[1]), sync_every=0.01)
number, kinds = int(sys.argv[2]), random.Random(sys.argv[2])
while True:
    match kinds.randrange(4):
        case 0 | 1:
            queue.append(f"{number}".encode() * kinds.choice((1, 5_000)), 0, f"run {number % 7}")
            print("+", number, flush=True)
            number += 1
        case 2 if found := queue.due(1_000):
            print("-", queue.content(found[0])[:6].decode(), found[0].bytes, flush=True)
            queue.remove(found)
        case 3 if found := queue.due(1_000):
            queue.record([(found[0], kinds.choice((0, 1_030)))])
"""


def test_a_process_that_is_killed_at_any_moment_loses_nothing(file: Path) -> None:
    """What it reported as appended is there, unless it had begun to remove it; and streams are in order."""
    appended: set[int] = set()
    removed: set[int] = set()
    for life in range(12):
        command = [sys.executable, "-c", LIVES, str(file), str(100_000 + 5_000 * life)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            first = process.stdout.readline()
            time.sleep(random.uniform(0, 0.3))
            process.kill()
            # The last line may have been written in part: then nothing was reported, or removed, yet.
            lines = [line for line in (first, *process.stdout) if line.endswith("\n")]
        appended |= {int(line.split()[1]) for line in lines if line[0] == "+"}
        removed |= {int(line.split()[1]) for line in lines if line[0] == "-"}
        with closing(Queue.open(file, create=False)) as queue:
            entries = queue.due(10_000, 100_000)
            found = [int(queue.content(entry)[:6]) for entry in entries]
            assert appended - removed <= set(found)
            assert len(found) == len(set(found)) == queue.events
            assert sum(entry.bytes for entry in entries) == queue.bytes
            for run_ in range(7):
                numbers = [number for number in found if number % 7 == run_]
                assert numbers == sorted(numbers)
    assert len(appended) > 50 and len(removed) > 10


def test_threads_may_append_and_remove_at_once(queue: Queue) -> None:
    threads = [threading.Thread(target=add, args=(queue, *map(str, range(200)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    count = 0
    while count < 600:
        found = queue.due(NOW, 7)
        queue.remove(found)
        count += len(found)
    for thread in threads:
        thread.join()
    assert sizes(queue) == (0, 0)


def test_a_full_disk_is_an_error_and_leaves_all_as_it_was(queue: Queue) -> None:
    add(queue, "a" * 10_000, "b")
    queue._db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(QueueError, match="full"):
        add(queue, "c" * 100_000)
    assert sizes(queue) == (2, 10_001)
    queue._db.execute("PRAGMA max_page_count = 100000")
    add(queue, "d")
    queue.remove(queue.due(NOW))
    assert due(queue) == "b d"


LIMITED = """
import resource, sys
from pathlib import Path
from headwater_queue.errors import QueueError
from headwater_queue.queue import Queue
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    queue = Queue.open(Path(sys.argv[1]), sync_every=0.001)
    for number in range(100):
        queue.append(b"x" * 10_000, 0)
        print("appended")
except QueueError:
    print("full")
    queue.close()
"""


def test_what_a_disk_took_before_it_was_full_is_there(file: Path) -> None:
    lines = run(LIMITED, file, 400_000).stdout.split()
    assert lines[-1] == "full"
    with closing(Queue.open(file)) as queue:
        assert queue.events == lines.count("appended") > 5


def test_a_disk_without_room_for_a_file_is_an_error(file: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run(LIMITED, file, 1_000)
    with closing(Queue.open(file)) as queue:
        assert queue.events == 0


@pytest.mark.parametrize("place", ["/proc/queue.db", "/proc/1/no/queue.db"])
def test_a_file_that_cannot_be_created_is_an_error(place: str) -> None:
    with pytest.raises(QueueError, match="/proc"):
        Queue.open(Path(place))


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "what? 100% #1 &mode=ro"
    folder.mkdir()
    with closing(Queue.open(folder / "queue.db")) as queue:
        add(queue, "a")
        assert due(queue) == "a"
    assert [each.name for each in folder.iterdir()] == ["queue.db"]


def test_a_file_that_is_missing_is_an_error_and_stays_missing(file: Path) -> None:
    with pytest.raises(QueueError):
        Queue.open(file, create=False)
    assert not file.exists()


def test_a_file_of_somebody_else_is_an_error_and_is_kept(file: Path) -> None:
    file.write_bytes(b"something else" * 100)
    with pytest.raises(QueueDamagedError):
        Queue.open(file)
    assert file.read_bytes() == b"something else" * 100


def test_a_file_of_another_format_is_an_error_and_is_kept(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 7")
    with pytest.raises(QueueError, match="its format is 7") as refused:
        Queue.open(file)
    assert not isinstance(refused.value, QueueDamagedError)


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_file_is_an_error_of_the_queue_or_its_entries_are_read(file: Path, seed: int) -> None:
    """Never an error of another kind, and never one that lasts beyond the file."""
    with closing(Queue.open(file)) as queue:
        for number in range(50):
            add(queue, f"{number}" * 500, stream=f"run {number % 3}")
    content, dice = bytearray(file.read_bytes()), random.Random(seed)
    for _ in range(20):
        place = dice.randrange(len(content))
        content[place : place + 50] = dice.randbytes(50)
    file.write_bytes(content)
    with suppress(QueueError), closing(Queue.open(file)) as queue:
        while found := queue.due(NOW):
            queue.content(found[0])
            queue.remove(found)
    file.unlink()


@pytest.mark.parametrize("text", [b"CREATE TABLE entry", b"SQLite format 3"])
def test_a_file_that_is_damaged_at_its_beginning_is_known_as_such(file: Path, text: bytes) -> None:
    with closing(Queue.open(file)) as queue:
        add(queue, "a")
    content = file.read_bytes()
    assert text in content
    file.write_bytes(content.replace(text, b"\xf8" * len(text)))
    with pytest.raises(QueueDamagedError):
        Queue.open(file)


def test_an_entry_that_is_missing_is_an_error(queue: Queue) -> None:
    add(queue, "a")
    (entry,) = queue.due(NOW)
    queue.remove([entry])
    with pytest.raises(QueueDamagedError, match="the entry 1 is missing"):
        queue.content(entry)


def test_its_files_are_private_and_share_no_memory(file: Path) -> None:
    for _ in range(2):
        with closing(Queue.open(file)) as queue:
            add(queue, "a")
            files = list(file.parent.iterdir())
            assert sorted(each.name for each in files) == ["queue.db", "queue.db-wal"]
            assert all(each.stat().st_mode & 0o077 == 0 for each in files)


def test_an_empty_queue_gives_its_space_back(queue: Queue, file: Path) -> None:
    add(queue, *("x" * 10_000 for _ in range(100)))
    queue.shrink()
    assert queue.events == 100
    queue.remove(queue.due(NOW, ALL))
    queue.shrink(10**9)
    assert _bytes(file.parent) > 1_000_000
    queue.shrink(10**6)
    assert _bytes(file.parent) < 50_000
    add(queue, "again")
    assert due(queue) == "again"


def _bytes(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.iterdir())


def test_it_is_moved_with_all_that_is_in_it(queue: Queue, file: Path) -> None:
    add(queue, "a", "b")
    target = file.with_name("other.db")
    queue.move(target)
    assert [each.name for each in file.parent.iterdir()] == ["other.db"]
    with closing(Queue.open(target, create=False)) as moved:
        assert due(moved) == "a b"


def test_a_queue_that_is_deleted_leaves_nothing_and_is_not_opened_by_who_saw_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue.open(file)
    add(queue, "a")
    connect = sqlite3.connect

    def deleted_meanwhile(*args: object, **options: object) -> sqlite3.Connection:
        opened: sqlite3.Connection = connect(*args, **options)  # type: ignore[call-overload]
        queue.delete()
        return opened

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", deleted_meanwhile)
        with pytest.raises(QueueError):
            Queue.open(file, create=False)
    assert list(file.parent.iterdir()) == []


def test_a_closed_queue_is_an_error(file: Path) -> None:
    queue = Queue.open(file)
    queue.close()
    with pytest.raises(QueueError, match="closed"):
        add(queue, "a")


def test_a_copy_of_its_files_can_be_read_while_it_is_open(queue: Queue, file: Path, tmp_path: Path) -> None:
    add(queue, "a", "b")
    copies = tmp_path / "copies"
    copies.mkdir()
    subprocess.run(["cp", *map(str, file.parent.glob("queue.db*")), str(copies)], check=True)
    with closing(sqlite3.connect(copies / file.name)) as db:
        assert db.execute("SELECT content FROM entry").fetchall() == [(b"a",), (b"b",)]
