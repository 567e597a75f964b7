"""What the backend says of a company: the exposure of each attribute, breaches, and policies, by rules for sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from headwater_backend.domain.errors import UnknownDataset, UnknownPath
from headwater_backend.domain.model import Incomplete, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.breach import breach
from headwater_backend.privacy.answers.policy_check import Outcome, check_policies
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_policies, parse_rules
from headwater_backend.stores import open_store
from oracle.companies.company import Attribute, Company
from oracle.companies.decoding import Steps
from oracle.companies.executor import Executed

WEAK: Final = frozenset({"PSEUDONYMISED", "AGGREGATED", "MASKED", "INFLUENCED"})
"""Forms in which nobody expects to read a value."""


class Listed(NamedTuple):
    """An attribute at a path of a dataset, in a form."""

    dataset: str
    path: Steps
    attribute: Attribute
    form: str


class Gap(NamedTuple):
    """Something that is stated to be unknown: at a dataset, or in a job of an application."""

    dataset: str
    job: str
    reason: str


@dataclass(frozen=True)
class Answers:
    """What was stated: pairs and gaps of the exposure, and the same of breaches and policies by dataset."""

    exposure: frozenset[Listed]
    gaps: Mapping[Attribute, frozenset[Gap]]
    report_gaps: frozenset[Gap]
    """Gaps of the report, which are all that is stated of an attribute whose rule fits no known path."""
    breaches: Mapping[str, frozenset[Listed]]
    breach_gaps: Mapping[str, frozenset[Gap]]
    satisfied: frozenset[tuple[str, str]]
    """Datasets and categories of data that are stated not to be there."""


def ask(executed: Executed) -> Answers:
    """Put the company's events into a store, and ask about all its datasets."""
    url = f"sqlite:///{executed.folder / 'lineage.db'}"
    with closing(open_store(url)) as store:
        refused = [each for each in ingest(store, executed.events) if not each.stored]
        assert not refused, refused
        return _Asked(store, executed.company, executed.data).answers()


class _Asked:
    def __init__(self, store: LineageStore, company: Company, root: Path) -> None:
        self.store = store
        self.company = company
        self.root = root
        self.ruling = Ruling(parse_rules(_rules(company, root)), lenient=True)
        self.written = sorted({name for step in company.steps for name in step.writes})

    def answers(self) -> Answers:
        report = exposed(self.store, Scope(), self.ruling)
        known = {self._attribute(each.attribute.node): each for each in report.attributes}
        whole = self._gaps(report.incomplete)
        gaps = dict.fromkeys(self._attributes(), whole)  # of what no event names, too
        gaps |= {attribute: whole | self._gaps(each.incomplete) for attribute, each in known.items()}
        listed = {
            Listed(self._name(output.node), output.node.path, attribute, form.name)
            for attribute, each in known.items()
            for output in each.outputs
            for form in output.forms
        }
        breaches, breach_gaps = self._breaches()
        report_gaps = self._gaps(report.incomplete)
        return Answers(frozenset(listed), gaps, report_gaps, breaches, breach_gaps, self._satisfied())

    def _breaches(self) -> tuple[dict[str, frozenset[Listed]], dict[str, frozenset[Gap]]]:
        found: dict[str, frozenset[Listed]] = {}
        gaps: dict[str, frozenset[Gap]] = {}
        for name in self.written:
            policy = f"- {{policy: leak, category: user, dataset: '* {self.root}/{name}'}}"
            try:
                answer = breach(self.store, parse_policies(policy), self.ruling)
            except (UnknownDataset, UnknownPath):
                continue
            found[name] = frozenset(
                Listed(name, each.node.path, self._attribute(each.attribute.node), form.name)
                for each in answer.values
                for form in each.forms
            )
            gaps[name] = self._gaps(answer.incomplete)
        return found, gaps

    def _satisfied(self) -> frozenset[tuple[str, str]]:
        asked = [(name, category) for name in self.written for category in categories(self.company)]
        text = "".join(
            f"- {{policy: '{name} {category}', category: {category}, dataset: '* {self.root}/{name}'}}\n"
            for name, category in asked
        )
        verdicts = check_policies(self.store, parse_policies(text), self.ruling).verdicts
        return frozenset(
            pair for pair, each in zip(asked, verdicts, strict=True) if each.outcome is Outcome.SATISFIED
        )

    def _attributes(self) -> list[Attribute]:
        """All attributes of the company."""
        sources = self.company.sources
        return [Attribute(source.name, path) for source in sources for path in source.categories]

    def _name(self, node: NodeKey) -> str:
        return within(self.root, node.dataset.name)

    def _attribute(self, node: NodeKey) -> Attribute:
        return Attribute(self._name(node), ".".join(node.path).replace("._element", "[]"))

    def _gaps(self, found: Iterable[Incomplete]) -> frozenset[Gap]:
        return frozenset(
            Gap(within(self.root, each.dataset.name), each.job.name if each.job else "", each.reason)
            for each in found
        )


def within(root: Path, name: str) -> str:
    """The company's own name of a dataset; one folder of it counts as the dataset."""
    inside = name.removeprefix(f"{root}/")
    return name if inside == name else inside.split("/")[0]


def categories(company: Company) -> list[str]:
    """The categories of the company's attributes, sorted."""
    known = {category for source in company.sources for category in source.categories.values()}
    return sorted(known | set(company.others.values()))


def _rules(company: Company, root: Path) -> str:
    return "".join(
        f"- {{dataset: {{namespace: file, name: '{root}/{source.name}'}}, path: '{path}', category: {category}}}\n"
        for source in company.sources
        for path, category in source.categories.items()
    )
