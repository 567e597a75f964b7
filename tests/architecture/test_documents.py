"""The documents hold together: links lead to something, commands exist; words are plain, those of code too."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from headwater_cli.main import MODULES, cli
from headwater_graphql.schema import schema
from kit.shared import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

README = ROOT / "README.md"
CLICKS = 2
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
COMMAND = re.compile(r"^(?:\$ )?headwater ((?:[^\\\n]|\\\n)+)", re.MULTILINE)
INLINE_COMMAND = re.compile(r"`headwater ([^`]+)`")
SHELL = ("sh", "console")
DIALECT = frozenset({"told", "said", "unsaid", "untold", "heard", "somehow"})
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""A word of a text or of an identifier, which is split at underscores and capitals."""
CODE = ("*.py", "*.ts", "*.tsx", "*.mjs", "*.java")
OF_INTERFACES = re.compile(
    r"\bsaidBy\b|\bsaid_by\b|\"said by\"|\b[vr]\.untold\b|\"untold\"|\(untold\)|rank, untold|NOT untold"
)
"""A field of GraphQL, a column of an exported file and one of stores, whose names others rely on."""
NAMED_FILE = re.compile(r"`((?:[\w.-]+/)+(?:[\w.-]+\.(?:py|md|txt))?)`")
SOURCES = ("", "facets", "queue", "integration", "backend", "graphql", "cli")
ROOMS = ("integration/headwater_spark", "backend/headwater_backend")
PLACEHOLDER = re.compile(r"^[\[\]A-Z#…]+$")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
IDENTIFIER = re.compile(
    r"\b(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b"
)
"""A name of several words, such as code has."""
NO_SOURCES = (".md", ".html", ".svg", ".png", ".jar", ".pdf", ".parquet", ".gz")
OF_OTHERS = frozenset(
    {
        "ExecuteImmediateQuery",
        "FORWARDED_ALLOW_IPS",
        "KeyGroupedPartitioning",
        "MetricsSystem",
        "NameError",
        "PACKAGE_NOT_INSTALLED",
        "PySparkImportError",
        "QueryExecutionListener",
        "StringIndexer",
        "TransformWithStateInPandas",
        "cherrypick_snapshot",
        "incremental_vacuum",
    }
)
"""Names of Spark, Python, lakes and servers that no source of ours mentions."""
OF_EXAMPLES = frozenset({"unowned_jobs", "runs_since"})
"""What a recipe would add."""


def documents() -> list[Path]:
    """Every committed or new page for people: in the root, in `docs/` and beside what is deployed."""
    return [ROOT / name for name in tracked("*.md")]


def tracked(*patterns: str) -> list[str]:
    """The names of committed and new files, of these patterns if any is given."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", *patterns]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [name for name in names if name]


DOCUMENTS = documents()
BY_NAME = pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))


def prose(page: Path) -> str:
    """The page's text without its code blocks."""
    return FENCED.sub("", page.read_text("utf-8"))


def links(page: Path) -> list[str]:
    """The targets of the page's links and pictures that lead to files of the repository."""
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    return [target for target in LINK.findall(text) if not target.startswith(("http:", "https:", "file:"))]


def anchors(page: Path) -> set[str]:
    """What a link may name behind `#`, as GitHub makes it of the headings."""
    found: set[str] = set()
    for heading in HEADING.findall(prose(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.add(next(name for name in _numbered(slug) if name not in found))
    return found


def _numbered(slug: str) -> Iterator[str]:
    yield slug
    number = 0
    while True:
        number += 1
        yield f"{slug}-{number}"


def target_of(page: Path, link: str) -> tuple[Path, str]:
    """The file that a link of the page leads to, and the heading in it, if any."""
    name, _, anchor = link.partition("#")
    return ((page.parent / name).resolve() if name else page), anchor


@BY_NAME
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    broken = []
    for link in links(page):
        file, anchor = target_of(page, link)
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(link)
    assert broken == []


def test_every_page_is_two_clicks_from_the_readme() -> None:
    reached = {README}
    for _ in range(CLICKS):
        pages = [page for page in reached if page in DOCUMENTS]
        reached |= {target_of(page, link)[0] for page in pages for link in links(page)}
    ours = {page for page in DOCUMENTS if page.parent == ROOT or ROOT / "docs" in page.parents}
    assert sorted(str(page.relative_to(ROOT)) for page in ours - reached) == []


@BY_NAME
def test_a_page_only_shows_commands_and_options_that_exist(page: Path) -> None:
    for line in commands(page):
        words = line.replace("\\\n", " ").split()
        command = _resolve(words)
        options = {name for parameter in command.params for name in parameter.opts}
        used = {word.partition("=")[0] for word in words if word.startswith("--")} - {"--help", "--version"}
        # What follows the script is the script's own.
        script = next((word for word in words if word.endswith(".py")), None)
        if command.name in {"run", "plan", "split"} and script is not None:
            used = {word for word in words[: words.index(script)] if word.startswith("--")}
        assert used <= options, line


def test_the_pages_show_commands() -> None:
    assert sum(len(commands(page)) for page in DOCUMENTS) > 100


@BY_NAME
def test_a_page_names_files_and_folders_that_exist(page: Path) -> None:
    places = [page.parent, *(ROOT / folder for folder in (*SOURCES, *ROOMS))]
    named = NAMED_FILE.findall(prose(page))
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


@BY_NAME
def test_a_page_uses_plain_words(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    assert in_dialect(text) == []


def in_dialect(text: str) -> list[str]:
    """The lines with words of the dialect."""
    lines = (OF_INTERFACES.sub("", line) for line in text.splitlines())
    return [line.strip() for line in lines if not DIALECT.isdisjoint(map(str.lower, WORD.findall(line)))]


def code_in_dialect() -> list[str]:
    """The files whose names or texts have words of the dialect, with those lines; this file names them."""
    names = [name for name in tracked(*CODE) if ROOT / name != Path(__file__)]
    texts = {name: f"{name}\n{(ROOT / name).read_text('utf-8')}" for name in names if (ROOT / name).is_file()}
    return [f"{name}: {line}" for name, text in texts.items() for line in in_dialect(text)]


def test_code_uses_plain_words() -> None:
    assert code_in_dialect() == []


@pytest.mark.parametrize(
    "name", ["SaidOf", "NOT_SAID", "toldApart", "test_what_was_told", "URLTold", "it was heard"]
)
def test_words_are_found_within_identifiers(name: str) -> None:
    assert in_dialect(name) == [name]


def test_words_that_only_contain_one_are_plain() -> None:
    assert in_dialect("threshold folder_holds retold_nothing scaffoldTolds saidBy v.untold") == []


def commands(page: Path) -> list[str]:
    """What follows `headwater` in the page's shell examples and in its text."""
    blocks = [body for language, body in FENCED.findall(page.read_text("utf-8")) if language in SHELL]
    found = [line for block in blocks for line in COMMAND.findall(block)]
    return found + INLINE_COMMAND.findall(prose(page))


def _resolve(words: list[str]) -> click.Command:
    command: click.Command = cli
    for word in words:
        if not isinstance(command, click.Group) or word.startswith("--") or PLACEHOLDER.match(word):
            break
        found = command.get_command(click.Context(command), word.rstrip(","))
        assert found is not None, f"headwater {' '.join(words)}"
        command = found
    return command


def rooms(name: str) -> list[str]:
    """The rooms of an order in pyproject.toml, from below."""
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract["name"] == name]
    return [room for layer in reversed(layers) for room in layer.split(" | ")]


def test_the_architecture_has_a_row_for_each_package() -> None:
    rows = set(re.findall(r"^\| `[^`]+` \| `(\w+)` \|", ARCHITECTURE, re.MULTILINE))
    assert rows == set(PROJECT["tool"]["importlinter"]["root_packages"])


def test_the_architecture_has_the_order_of_the_agents_rooms() -> None:
    (listed,) = re.findall(r"import each other, from below: ((?:`[^`]+`[,.]\s*)+)", ARCHITECTURE)
    assert re.findall(r"`(\w+)(?:/|\.py)`", listed) == rooms("The rooms of the agent")


def test_the_architecture_names_each_room_of_the_backend() -> None:
    named = set(re.findall(r"`(\w+)(?:/\w*)*(?:\.py)?`", ARCHITECTURE))
    assert set(rooms("The rooms of the backend")) - named == set()


def test_the_architecture_names_each_folder_of_the_explorer() -> None:
    _, _, explorer = ARCHITECTURE.partition("## How an answer becomes a picture")
    folders = {path.name for path in (ROOT / "graphql/explorer/src").iterdir() if path.is_dir()}
    assert folders - set(re.findall(r"`(\w+)`", explorer)) == set()


def test_contributing_tells_what_each_folder_of_tests_is_for() -> None:
    rows = re.findall(r"^\| (`tests/.+?) \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    listed = {folder for row in rows for folder in re.findall(r"`tests/(\w+)`", row)}
    committed = {name.split("/")[1] for name in tracked("tests/*/*")}
    assert listed >= committed


def test_the_questions_have_a_row_for_each_field_that_can_be_asked() -> None:
    assert schema._schema.query_type
    texts = re.findall(r"`([^`\n]+)`", (ROOT / "docs/questions.md").read_text("utf-8"))
    named = {name for text in texts for name in re.findall(r"\w+", text)}
    assert schema._schema.query_type.fields.keys() - named == set(), "add a row to docs/questions.md"


def test_the_questions_or_the_command_line_page_show_each_command() -> None:
    pages = "".join((ROOT / "docs" / name).read_text("utf-8") for name in ("questions.md", "command-line.md"))
    shown = {name for name in MODULES if re.search(rf"`{name}[ `]|headwater {name}\b", pages)}
    assert MODULES.keys() - shown == set(), "name it in docs/questions.md or docs/command-line.md"


def test_what_is_defended_names_each_attack() -> None:
    named = set(re.findall(r"`(?:tests/attacks/)?(test_\w+\.py)`", (ROOT / "SECURITY.md").read_text("utf-8")))
    assert {Path(name).name for name in tracked("tests/attacks/test_*.py")} - named == set()


@BY_NAME
def test_a_page_names_code_that_exists(page: Path) -> None:
    texts = re.findall(r"`([^`\n]+)`", prose(page))
    named = {name for text in texts for name in IDENTIFIER.findall(text)}
    settings = {name for name in named if name.removeprefix("HEADWATER_").lower() in words()}
    assert named - words() - settings - OF_OTHERS - OF_EXAMPLES == set()


@cache
def words() -> frozenset[str]:
    """All words of the sources, and the names of files."""
    names = [name for name in tracked() if not name.endswith(NO_SOURCES)]
    stems = {stem for name in names for stem in re.findall(r"\w+", name)}
    texts = (ROOT / name for name in names if (ROOT / name).is_file())
    return frozenset(stems.union(*(re.findall(r"\w+", file.read_text("utf-8", "replace")) for file in texts)))
