"""What personal data reach, found over the events themselves, leaf by leaf and step by step.

This shares no code with the backend. Forms are those of docs/forms.md, paths those of the facets. It is slow, and
knows nothing of time: each job has one run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

Steps = tuple[str, ...]
Place = tuple[str, Steps]
State = tuple[Place, tuple[str, str]]
"""A leaf, and a form in which a value is there."""
ROWS: Steps = ("", "rows")
"""The path of what is no value of a dataset, but which rows it has: as a leaf beside its others."""
Held = dict[Place, dict[tuple[str, str], int]]
"""For each leaf, the forms (each with the kind of its influence) and the least number of steps to each."""

ORDER: Final = (
    "identity",
    "transformed",
    "derived",
    "pseudonymised",
    "aggregated",
    "masked",
    "possible",
    "influenced",
)
_MOVES: Final = {"COPY", "RENAME", "EXTRACT", "CONSTRUCT", "FLATTEN", "NEST", "PICK"}
_STRONGER: Final = ORDER[:3]
"""Forms of which, in a rule on a function, a pseudonym becomes readable again."""
_BY_RETAINS: Final = {
    "VALUE": "identity",
    "TOKEN": "pseudonymised",
    "KEYED_TOKEN": "pseudonymised",
    "STATISTIC": "aggregated",
}
_HASHES: Final = {"md5", "sha", "sha1", "sha2", "hmac", "aes_encrypt"}
_READABLE: Final = {"mask", "crc32", "hash", "xxhash64", "hive_hash", "soundex"}
_STATISTICS: Final = {"sum", "avg"}
_IDENTIFYING: Final = ("user.contact", "user.name", "user.unique_id")
_IDENTIFIES: Final = ("identity", "transformed", "pseudonymised")
_LISTING: Final = ("_UDF", "_UDAF", "_UDTF")


class Entry(NamedTuple):
    """One input of one path, as a facet has it."""

    job: str
    source: Place
    target: Place
    kinds: tuple[Mapping[str, Any], ...]
    specified: bool


class Gap(NamedTuple):
    """A place at which something is unknown; ``reads`` may have gone there, if it does not list what it was made of."""

    at: Place
    listed: bool
    reads: frozenset[str]


class Leaf(NamedTuple):
    """A flow from one leaf to another."""

    source: Place
    target: Place
    kind: Mapping[str, Any]
    job: str


class BruteForce:
    """The events, read naively."""

    def __init__(
        self,
        events: Iterable[Mapping[str, Any]],
        functions: Mapping[str, str],
        declassified: Iterable[tuple[Place, str | None]] = (),
    ) -> None:
        """``declassified`` are places at which what any job brings, or one job, is not personal any more."""
        self._functions = {
            "aes_decrypt": "transformed",
            **functions,
        }
        events = list(events)
        self._own: dict[str, str] = {
            other["name"]: output["name"]
            for event in events
            for output in event["outputs"]
            for other in output["facets"].get("symlinks", {}).get("identifiers", ())
        }
        self._known: dict[str, set[Steps]] = defaultdict(set)
        self.personal: dict[Place, str] = {}
        reads: dict[str, set[str]] = defaultdict(set)
        for event in events:
            for each in (*event["inputs"], *event["outputs"]):
                self._read_dataset(each)
            reads[event["job"]["name"]] |= {self._name(each["name"]) for each in event["inputs"]}
        self.entries = [
            entry
            for event in events
            for output in event["outputs"]
            for entry in self._entries(event["job"]["name"], output)
        ]
        for entry in self.entries:
            for name, path in (entry.source, entry.target):
                self._known[name].add(path)
            reads[entry.job].add(entry.source[0])
        self.gaps = [gap for event in events for gap in self._gaps(event, reads[event["job"]["name"]])]
        self._of_person: set[tuple[str, Place]] = set()
        self._stops = list(declassified)
        made = [leaf for entry in self.entries for leaf in self._expanded(entry)]
        rows = [leaf for event in events for leaf in self._rows_read(event)]
        whole = [*made, *rows, *_rows_of_rows(made, rows)]
        self._leaves = [leaf for leaf in whole if not self._stopped(leaf.target, leaf.job)]
        self._lead_to_values = _leading_to_values(whole)
        self._from: dict[Place, list[Leaf]] = defaultdict(list)
        for leaf in self._leaves:
            self._from[leaf.source].append(leaf)
        self._find_groups()

    def leaves(self, place: Place) -> list[Place]:
        """The deepest known paths at or under a place; the place itself where none is known."""
        name, path = place
        known = self._known[name]
        inside = [each for each in known if each and each[: len(path)] == path]
        deepest = [each for each in inside if not any(_is_under(other, each) for other in inside)]
        return [(name, each) for each in sorted(deepest)] or [place]

    def leaves_around(self, place: Place) -> list[Place]:
        """The deepest known paths at, under or above a place."""
        inside = self.leaves(place)
        if inside != [place]:
            return inside
        whole = self.leaves((place[0], ()))
        return [each for each in whole if comparable(each, place)] or inside

    def held(self, attribute: Place, *, influenced: bool = True, rows: bool = True) -> Held:
        """All leaves that something of the attribute reaches; with ``rows``, all of a dataset whose rows it decides
        about, where something is made of them.
        """
        found: Held = defaultdict(dict)
        frontier = {(leaf, ("identity", "")) for leaf in self.leaves(attribute)}
        seen, steps = set(frontier), 0
        while frontier:
            steps += 1
            reached = [
                (leaf, form)
                for at, before in frontier
                for leaf in self._from.get(at, ())
                for form in [self.after(before, leaf)]
                if influenced or form[0] != "influenced"
            ]
            frontier = {(leaf.target, form) for leaf, form in reached} - seen
            seen |= frontier
            for leaf, form in reached:
                for at in self._shown(leaf) if rows or leaf.target[1] != ROWS else ():
                    found[at].setdefault(form, steps)
        return {at: forms for at, forms in found.items() if not comparable(at, attribute)}

    def _shown(self, leaf: Leaf) -> list[Place]:
        """Where a flow is seen: rows as all of their dataset, where something is made of them."""
        name, path = leaf.target
        if path != ROWS:
            return [leaf.target]
        shown = self.leaves((name, ())) if name in self._lead_to_values else []
        return [at for at in shown if not self._stopped(at, leaf.job)]

    def _stopped(self, target: Place, job: str) -> bool:
        """Whether what the job brings there is not personal any more."""
        return any(_holds(at, target) and by in (None, job) for at, by in self._stops)

    def after(self, before: tuple[str, str], leaf: Leaf) -> tuple[str, str]:
        """The form after a step."""
        of_person = any((leaf.job, at) in self._of_person for at in _around(leaf.target))
        form, kind = self._form(leaf.kind, of_person=of_person)
        restores = any(
            self._functions.get(name.lower(), "") in _STRONGER for name in leaf.kind.get("functions") or ()
        )
        if before[0] == "pseudonymised" and (restores or form == "derived"):
            return form, kind
        return before if ORDER.index(before[0]) >= ORDER.index(form) else (form, kind)

    def together(self, attribute: Place) -> set[str]:
        """The datasets with a pseudonym of the attribute, and the attribute readable in another column."""
        pseudonyms, readable = self._pseudonyms(attribute), self._readable(attribute)
        return {
            one[0]
            for one in pseudonyms
            for other in readable
            if one[0] == other[0] and one[1][:1] != other[1][:1]
        }

    def joined(self, attribute: Place) -> set[tuple[str, str]]:
        """The datasets that a job made by a join of the attribute's pseudonym with a key table, from which it brought
        a person; each with the dataset of the pseudonym.
        """
        pseudonyms = self._pseudonyms(attribute)
        tables = {name for name, _ in self._readable(attribute)}
        brought = {each for person in self._identifying() for each in self._brought(person)}
        joins = [
            (entry.job, entry.target[0], entry.source[0])
            for entry in self.entries
            if any(kind["subtype"] == "JOIN" for kind in entry.kinds)
            and not pseudonyms.isdisjoint(self.leaves(entry.source))
        ]
        return {
            (output, near)
            for (job, output, near), (other_job, other_output, table) in product(joins, joins)
            if (job, output) == (other_job, other_output) and near != table and table in tables
            if (job, output, table) in brought
        }

    def _brought(self, person: Place) -> set[tuple[str, str, str]]:
        """Each job with an output and an input from which it brings that attribute so that it is readable."""
        held = self.held(person, influenced=False)
        states = {(at, form) for at, forms in held.items() for form in forms if form[0] in ORDER[:2]}
        states |= {(leaf, ("identity", "")) for leaf in self.leaves(person)}
        return {
            (leaf.job, leaf.target[0], at[0])
            for at, form in states
            for leaf in self._from.get(at, ())
            if self.after(form, leaf)[0] in ORDER[:2]
        }

    def _pseudonyms(self, attribute: Place) -> set[Place]:
        held = self.held(attribute, influenced=False)
        return {at for at, forms in held.items() if ("pseudonymised", "") in forms}

    def _readable(self, attribute: Place) -> set[Place]:
        held = self.held(attribute, influenced=False)
        found = {at for at, forms in held.items() if any(form in ORDER[:2] for form, _ in forms)}
        return found | set(self.leaves(attribute))

    def _identifying(self) -> list[Place]:
        return [place for place, category in self.personal.items() if category.startswith(_IDENTIFYING)]

    def is_complete(self, attribute: Place, held: Held) -> bool:
        """Whether nothing is unknown that concerns the attribute."""
        reached = {*held, *self.leaves(attribute)}
        datasets = {name for name, _ in reached}
        for gap in self.gaps:
            name, path = gap.at
            if not gap.listed and not datasets.isdisjoint({name, *gap.reads}):
                return False
            if name in datasets and (not path or any(comparable(gap.at, at) for at in reached)):
                return False
        return True

    def along(self, states: Iterable[State], source: Place, target: Place, job: str) -> set[State]:
        """The leaves and forms after a step of the job between these places, from some of the states."""
        return {
            (leaf.target, self.after(before, leaf))
            for at, before in states
            for leaf in self._from.get(at, ())
            if leaf.job == job and comparable(at, source) and comparable(leaf.target, target)
        }

    def _name(self, name: str) -> str:
        return self._own.get(name, name)

    def _read_dataset(self, each: Mapping[str, Any]) -> None:
        name = self._name(each["name"])
        self._known[name].update(_schema_paths(each["facets"].get("schema", {}).get("fields", ())))
        for tag in each["facets"].get("tags", {}).get("tags", ()):
            self.personal[name, tuple(tag["field"].split("."))] = tag["key"]

    def _entries(self, job: str, output: Mapping[str, Any]) -> Iterator[Entry]:
        name, facets = self._name(output["name"]), output["facets"]
        if "headwater_pathLineage" in facets:
            facet = facets["headwater_pathLineage"]
            for each in facet["fields"]:
                for source in each["inputFields"]:
                    yield self._entry(job, source, source["path"], (name, tuple(each["path"])))
            for source in facet["dataset"]:
                yield self._entry(job, source, source["path"], (name, ()))
            return
        for facet_name, inputs, whole in (
            ("lineage", "inputs", "inputs"),
            ("columnLineage", "inputFields", "dataset"),
        ):
            if facet := facets.get(facet_name):
                for field, each in facet["fields"].items():
                    old = each.get("transformationType")
                    for source in each[inputs]:
                        yield self._entry(
                            job, source, source["field"].split("."), (name, tuple(field.split("."))), old
                        )
                for source in facet.get(whole, ()):
                    yield self._entry(job, source, source["field"].split("."), (name, ()))
                return

    def _entry(
        self,
        job: str,
        source: Mapping[str, Any],
        path: Sequence[str],
        target: Place,
        old: str | None = None,
    ) -> Entry:
        kinds = tuple(source.get("transformations") or _OLD.get(old, ()))
        own = (self._name(source["name"]), tuple(path))
        return Entry(job, own, target, kinds or (_IDENTICAL,), bool(kinds))

    def _gaps(self, event: Mapping[str, Any], reads: set[str]) -> Iterator[Gap]:
        for output in event["outputs"]:
            name, facets = self._name(output["name"]), output["facets"]
            if "headwater_pathLineage" in facets:
                facet = facets["headwater_pathLineage"]
                for each in facet["opaque"]:
                    yield Gap(
                        (name, tuple(each["path"])), each["reason"].endswith(_LISTING), frozenset(reads)
                    )
                for each in facet["incomplete"]:
                    for path in each.get("paths") or [[]]:
                        yield Gap((name, tuple(path)), listed=False, reads=frozenset(reads))
            elif "lineage" not in facets and not _lists_anything(facets.get("columnLineage")):
                yield Gap((name, ()), listed=False, reads=frozenset(reads))

    def _rows_read(self, event: Mapping[str, Any]) -> Iterator[Leaf]:
        """From the rows of each input to the paths of each output that nothing else of the input leads to: known where
        a complete facet lists of what each path is made, else of the paths that are made of nothing.
        """
        job = event["job"]["name"]
        for output, each in product(event["outputs"], event["inputs"]):
            facet = output["facets"].get("headwater_pathLineage")
            target, source = self._name(output["name"]), self._name(each["name"])
            if facet is None or source == target:
                continue
            made = {tuple(field["path"]): bool(field["inputFields"]) for field in facet["fields"]}
            made = {**{tuple(of["path"]): False for of in facet.get("generated", ())}, **made}
            led = [e.target for e in self._entries(job, output) if e.source[0] == source]
            if (target, ()) in led:
                continue
            if not facet["complete"]:
                reached = [path for path, of_inputs in made.items() if not of_inputs]
            elif led:
                reached = [path for path in made if not any(comparable((target, path), at) for at in led)]
            else:
                reached = [()]
            for leaf in [leaf for path in reached for leaf in self._whole((target, path))]:
                yield Leaf((source, ROWS), leaf, _OF_ROWS, job)

    def _whole(self, place: Place) -> list[Place]:
        """The leaves of the place, with the rows of a whole dataset."""
        return self.leaves(place) if place[1] else [*self.leaves(place), (place[0], ROWS)]

    def _expanded(self, entry: Entry) -> Iterator[Leaf]:
        for each in entry.kinds:
            kind = each if entry.target[1] else {**each, "rows": True}
            if not entry.target[1]:
                for leaf in self.leaves(entry.source):
                    yield Leaf(leaf, (entry.target[0], ROWS), kind, entry.job)
            moves = entry.specified and _only_moves(kind)
            for source, target in self._pairs(entry.source, entry.target, moves=moves):
                yield Leaf(source, target, kind, entry.job)

    def _pairs(self, source: Place, target: Place, *, moves: bool) -> Iterator[tuple[Place, Place]]:
        """From each leaf to that of the same relative path, where values only move; else from each to each."""
        if not moves:
            yield from product(self.leaves(source), self.leaves(target))
            return
        for far in self.leaves(target):
            relative = far[1][len(target[1]) :]
            while relative and not self._is_known((source[0], source[1] + relative)):
                relative = relative[:-1]
            yield from ((near, far) for near in self.leaves((source[0], source[1] + relative)))

    def _is_known(self, place: Place) -> bool:
        name, path = place
        return any(each[: len(path)] == path for each in self._known[name])

    def _form(self, kind: Mapping[str, Any], *, of_person: bool) -> tuple[str, str]:
        """The form that one transformation gives a value: the table of docs/forms.md."""
        manipulation, subtype = set(kind.get("manipulation") or ()), kind["subtype"]
        if kind["type"] == "INDIRECT":
            passed = kind.get("access") == "DRIVER" and "OPAQUE" in manipulation
            by_value = subtype == "CONDITIONAL" and kind.get("access") not in ("DRIVER", "NULL_TEST")
            if by_value and not kind.get("rows"):
                return "derived", ""
            return ("possible", "DRIVER") if passed else ("influenced", subtype)
        retains = kind.get("retains")
        if _only_moves(kind) and not kind["masking"] and retains in (None, "VALUE"):
            return "identity", ""
        listed = [
            self._functions[name.lower()]
            for name in kind.get("functions") or ()
            if name.lower() in self._functions
        ]
        if any(form in _STRONGER for form in listed) or (listed and len(listed) == len(kind["functions"])):
            return max(listed, key=ORDER.index), ""
        if retains:
            form = _BY_RETAINS.get(retains, "transformed")
            if retains == "FACT":
                form = "masked" if kind["masking"] else "derived"
            if form == "aggregated" and of_person:
                form = "transformed"
            return max([*listed, form], key=ORDER.index), ""
        forms = [*listed, "transformed"]
        names = {name.lower() for name in kind.get("functions") or ()}
        is_aggregate = subtype == "AGGREGATION" and not of_person
        if is_aggregate and (
            ("AGGREGATE" in manipulation and names & _STATISTICS) or "COUNT" in manipulation
        ):
            forms.append("aggregated")
        if subtype != "AGGREGATION" and "COUNT" in manipulation:
            forms.append("masked")
        hides = "MASK" in manipulation or (kind["masking"] and not manipulation)
        hides = bool(names & _HASHES) or (hides and not names & _READABLE)
        if hides and not (of_person and subtype == "AGGREGATION"):
            forms.append("pseudonymised")
        return max(forms, key=ORDER.index), ""

    def _find_groups(self) -> None:
        """What jobs group by a person, until nothing more is found: such a group's aggregate may be a key itself."""
        by = [
            entry
            for entry in self.entries
            if any(kind["subtype"] in ("GROUP_BY", "WINDOW") for kind in entry.kinds)
        ]
        identifying = self._identifying()
        while True:
            persons = {leaf for each in identifying for leaf in self.leaves(each)}
            for each in identifying:
                persons |= {
                    at
                    for at, forms in self.held(each, influenced=False).items()
                    if any(form in _IDENTIFIES for form, _ in forms)
                }
            found = {
                (entry.job, entry.target) for entry in by if not persons.isdisjoint(self.leaves(entry.source))
            }
            if found <= self._of_person:
                return
            self._of_person |= found


_OF_ROWS: Final = {"type": "INDIRECT", "subtype": "ROWS", "masking": False}
_BETWEEN_ROWS: Final = {**_OF_ROWS, "subtype": "ROWS_OF_ROWS"}
_IDENTICAL: Final = {"type": "DIRECT", "subtype": "IDENTITY", "masking": False}
_OLD: Final[dict[str | None, tuple[Mapping[str, Any], ...]]] = {
    "IDENTITY": (_IDENTICAL,),
    "TRANSFORMED": ({**_IDENTICAL, "subtype": "TRANSFORMATION"},),
    "MASKED": ({**_IDENTICAL, "subtype": "TRANSFORMATION", "masking": True},),
}


def comparable(one: Place, other: Place) -> bool:
    """Whether one is the other, or contains it."""
    length = min(len(one[1]), len(other[1]))
    return one[0] == other[0] and one[1][:length] == other[1][:length]


def _holds(one: Place, other: Place) -> bool:
    """Whether the first is the second, or contains it."""
    return one[0] == other[0] and other[1][: len(one[1])] == one[1]


def _is_under(one: Steps, other: Steps) -> bool:
    return len(one) > len(other) and one[: len(other)] == other


def _around(place: Place) -> Iterator[Place]:
    """The place, and all that contain it."""
    return ((place[0], place[1][:end]) for end in range(len(place[1]) + 1))


def _rows_of_rows(*leaves: Iterable[Leaf]) -> Iterator[Leaf]:
    """From the rows of each dataset to those of each that a job makes of something of it."""
    made = {(leaf.source[0], leaf.target[0], leaf.job) for each in leaves for leaf in each}
    for source, target, job in sorted(made):
        if source != target:
            yield Leaf((source, ROWS), (target, ROWS), _BETWEEN_ROWS, job)


def _leading_to_values(leaves: Iterable[Leaf]) -> set[str]:
    """The datasets whose rows lead to a leaf, maybe through the rows of others."""
    rows = [leaf for leaf in leaves if leaf.source[1] == ROWS]
    found = {leaf.source[0] for leaf in rows if leaf.target[1] != ROWS}
    while more := {leaf.source[0] for leaf in rows if leaf.target[0] in found} - found:
        found |= more
    return found


def _only_moves(kind: Mapping[str, Any]) -> bool:
    if kind["type"] == "INDIRECT":
        return False
    manipulation = kind.get("manipulation")
    return _MOVES.issuperset(manipulation) if manipulation else kind["subtype"] == "IDENTITY"


def _lists_anything(facet: Mapping[str, Any] | None) -> bool:
    return facet is not None and bool(facet["fields"] or facet.get("dataset"))


def _schema_paths(fields: Iterable[Mapping[str, Any]], above: Steps = ()) -> Iterator[Steps]:
    for field in fields:
        yield (*above, field["name"])
        yield from _schema_paths(field.get("fields", ()), (*above, field["name"]))
