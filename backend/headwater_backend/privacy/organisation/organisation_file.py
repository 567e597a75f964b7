"""The YAML file of what an organisation states in reports.

::

    controller: {name: Example GmbH, address: "Beispielweg 1, Berlin", contact: privacy@example.org}
    data_protection_officer: {name: A. Person, contact: dpo@example.org}
    processing:
      - activity: Orders
        outputs: "food_delivery public.*"        # on "namespace name"; or a mapping of namespace and name
        purpose: essential.service               # a data use of fideslang
        legal_basis: contract
        subjects: [customer]                     # data subjects of fideslang
        retention: ten years after the order
    recipients:
      - name: Courier Ltd
        datasets: {namespace: "s3://couriers", name: "*"}
        country: US
        safeguard: standard contractual clauses
    locations:
      - {datasets: "s3://eu-* *", country: DE}   # a code of ISO 3166-1; with several, the datasets are in all of them
    safeguards:                                # of transfers, in force from since until until, both included
      - {kind: adequacy, countries: [JP], since: 2019-01-23}
      - {kind: clauses, countries: [US], datasets: "s3://couriers *", until: 2027-06-30}
    measures: [access by role]

Everything may be absent; a report prints it as not provided. A processing statement covers datasets (``outputs``) or
the datasets that jobs write (``jobs``); patterns are those of ``place_patterns``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Final, TypeVar

import yaml

from headwater_backend.privacy.classification.place_patterns import PlacePattern
from headwater_backend.privacy.classification.yaml_nodes import YamlNodes, line_of, read_text
from headwater_backend.privacy.organisation.countries import check_country, check_country_or_group
from headwater_backend.privacy.organisation.statements import (
    LEGAL_BASES,
    NO_ORGANISATION,
    SAFEGUARDS,
    Client,
    Incident,
    Location,
    Organisation,
    Party,
    Recipient,
    Safeguard,
    Statement,
    data_subjects,
    data_uses,
)
from headwater_backend.questions.resolving import did_you_mean

T = TypeVar("T")

_PARTY: Final = ("name", "address", "contact")
_PROCESSING: Final = ("outputs", "jobs", "purpose", "legal_basis", "subjects", "retention", "note")
_RECIPIENT: Final = ("country", "safeguard", "contact")
_INCIDENT: Final = (
    *("discovered", "nature", "persons", "consequences", "measures", "notified"),
    *("delay", "risk", "informed", "follow_up"),
)


def read_organisation(file: Path) -> Organisation:
    """The organisation of a file. Raises ``RulesError`` with the line, also when it cannot be read."""
    return parse_organisation(read_text(file), str(file))


def parse_organisation(text: str, file: str = "organisation") -> Organisation:
    """The organisation of a YAML text; ``file`` is named in errors."""
    nodes = YamlNodes(file)
    root = nodes.root(text)
    if root is None:
        return NO_ORGANISATION
    names = [each.name for each in fields(Organisation) if each.name != "digest"]
    return _Reader(nodes).organisation(nodes.mapping(root, (), names), text)


class _Reader:
    """A reader of the nodes of one file."""

    def __init__(self, nodes: YamlNodes) -> None:
        self._nodes = nodes

    def organisation(self, given: Mapping[str, yaml.Node], text: str) -> Organisation:
        def party(name: str) -> Party | None:
            return self._party(given[name]) if name in given else None

        def text_of(name: str) -> str:
            return self._nodes.text(given[name]) if name in given else ""

        incident = self._texts(given["incident"], (), _INCIDENT) if "incident" in given else {}
        return Organisation(
            controller=party("controller"),
            joint_controllers=self._each(given, "joint_controllers", self._party),
            representative=party("representative"),
            data_protection_officer=party("data_protection_officer"),
            processor=party("processor"),
            on_behalf_of=self._clients(given),
            authority=text_of("authority"),
            rights=text_of("rights"),
            automated_decisions=text_of("automated_decisions"),
            processing=self._each(given, "processing", self._statement),
            recipients=self._each(given, "recipients", self._recipient),
            locations=self._each(given, "locations", self._location),
            safeguards=self._each(given, "safeguards", self._safeguard),
            measures=self._each(given, "measures", self._nodes.text),
            incident=Incident(**incident),
            digest="sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        )

    def _each(
        self, fields: Mapping[str, yaml.Node], name: str, read: Callable[[yaml.Node], T]
    ) -> tuple[T, ...]:
        if name not in fields:
            return ()
        return tuple(map(read, self._nodes.list_of(fields[name], f"{name} is a list")))

    def _texts(
        self, node: yaml.Node, required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, str]:
        fields = self._nodes.mapping(node, required, optional)
        return {name: self._nodes.text(value) for name, value in fields.items()}

    def _party(self, node: yaml.Node) -> Party:
        return Party(**self._texts(node, _PARTY[:1], _PARTY[1:]))

    def _clients(self, given: Mapping[str, yaml.Node]) -> tuple[Client, ...]:
        """The controllers, whose activities are those that are stated under ``processing``."""
        statements = self._each(given, "processing", self._statement)
        known = [each.activity for each in statements]
        return self._each(given, "on_behalf_of", lambda node: self._client(node, known))

    def _client(self, node: yaml.Node, known: Sequence[str]) -> Client:
        fields = self._nodes.mapping(node, _PARTY[:1], (*_PARTY[1:], "activities"))
        texts = {name: self._nodes.text(each) for name, each in fields.items() if name != "activities"}
        activities = self._each(
            fields, "activities", lambda each: self._key(each, known, "activity that is stated")
        )
        return Client(**texts, activities=activities)

    def _statement(self, node: yaml.Node) -> Statement:
        fields = self._nodes.mapping(node, ("activity",), _PROCESSING)
        if ("outputs" in fields) == ("jobs" in fields):
            raise self._nodes.error(
                node, "either outputs or jobs is expected", "name what the activity writes"
            )
        texts = {
            name: self._nodes.text(fields[name])
            for name in ("activity", "retention", "note")
            if name in fields
        }
        keys = {
            name: self._key(fields[name], known, what)
            for name, known, what in (
                ("purpose", data_uses(), "data use of fideslang"),
                ("legal_basis", LEGAL_BASES, "legal basis"),
            )
            if name in fields
        }
        patterns = {name: self._pattern(fields[name]) for name in ("outputs", "jobs") if name in fields}
        subjects = self._each(
            fields, "subjects", lambda each: self._key(each, data_subjects(), "data subject of fideslang")
        )
        return Statement(line=line_of(node), subjects=subjects, **texts, **keys, **patterns)  # type: ignore[arg-type]  # a mapping has one type of values for all its fields

    def _recipient(self, node: yaml.Node) -> Recipient:
        fields = self._nodes.mapping(node, ("name", "datasets"), _RECIPIENT)
        texts = {name: self._nodes.text(each) for name, each in fields.items() if name != "datasets"}
        return Recipient(datasets=self._pattern(fields["datasets"]), **texts)

    def _location(self, node: yaml.Node) -> Location:
        fields = self._nodes.mapping(node, ("datasets", "country"))
        country = self._nodes.text(fields["country"])
        check_country(country, self._nodes.file, line_of(fields["country"]))
        return Location(self._pattern(fields["datasets"]), country)

    def _safeguard(self, node: yaml.Node) -> Safeguard:
        fields = self._nodes.mapping(node, ("kind", "countries"), ("datasets", "since", "until", "note"))
        countries = self._each(fields, "countries", self._country)
        if not countries:
            raise self._nodes.error(fields["countries"], "the list of countries is empty")
        since, until = (self._day(fields[name]) if name in fields else None for name in ("since", "until"))
        if since and until and until < since:
            raise self._nodes.error(fields["until"], f"it ends on {until}, before it begins on {since}")
        return Safeguard(
            kind=self._key(fields["kind"], SAFEGUARDS, "safeguard"),
            countries=countries,
            datasets=self._pattern(fields["datasets"]) if "datasets" in fields else None,
            since=since,
            until=until,
            note=self._nodes.text(fields["note"]) if "note" in fields else "",
        )

    def _country(self, node: yaml.Node) -> str:
        country = self._nodes.text(node)
        check_country_or_group(country, self._nodes.file, line_of(node))
        return country

    def _day(self, node: yaml.Node) -> date:
        text = self._nodes.text(node)
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise self._nodes.error(node, f"{text!r} is no day", "write it as 2027-06-30") from None

    def _pattern(self, node: yaml.Node) -> PlacePattern:
        namespace, name = self._nodes.dataset(node)
        return PlacePattern((namespace or "", name), "**", line_of(node))

    def _key(self, node: yaml.Node, known: Iterable[str], what: str) -> str:
        key = self._nodes.text(node)
        if key not in known:
            raise self._nodes.error(node, f"{key!r} is no {what}", did_you_mean(key, sorted(known)))
        return key
