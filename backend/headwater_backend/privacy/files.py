"""The YAML files of rules and of policies, which people write.

A file of rules says which paths are personal data, and what a company's own functions make of values::

    - dataset: "food_delivery public.*"         # on "namespace name"; or a mapping:
      path: "email"
      category: user.contact.email
    - dataset: {namespace: "file*", name: "*tweets*"}
      path: "**.user.*"
      category: user
    - function: tokenize
      form: pseudonymised

A file of policies says which data may be where, and in which form::

    - policy: no contact data in marketing       # its name, in every answer
      category: user.contact                     # this category and its kinds
      dataset: {namespace: "*", name: "*/marketing/*"}
      path: "**"                                 # the default
      allow: [aggregated, masked, influenced]    # the default
      severity: error                            # the default; or warning, or note
    - policy: contact data for orders alone
      category: user.contact
      purposes: [essential.service]              # data uses; then dataset may be absent, and is any
    - policy: personal data in Europe alone
      category: user
      countries: [EEA, CH, GB]                   # ISO 3166-1, EU or EEA; dataset may be absent, too
    - policy: pseudonyms stay pseudonyms
      category: user
      reidentification: forbidden                # about this alone; dataset may be absent, too

Patterns are those of ``place_patterns``, forms those of ``forms``. Categories are fideslang's ``user`` and its kinds,
and are checked when a file is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Final

import yaml

from headwater_backend.privacy.classification.rules import FunctionRule, Rule, Rules, check_category
from headwater_backend.privacy.classification.yaml_nodes import YamlNodes, line_of, read_text
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.organisation.countries import check_country_or_group
from headwater_backend.privacy.organisation.statements import check_purpose
from headwater_backend.privacy.policies import DEFAULT_ALLOWED, EVERY_PATH, Policy, Severity

_RULE: Final = ("dataset", "path", "category")
_FUNCTION_RULE: Final = ("function", "form")
_POLICY: Final = ("policy", "category")
_PERMITTING: Final = ("purposes", "countries", "allow")
_POLICY_OPTIONS: Final = ("dataset", "purposes", "countries", "reidentification", "path", "allow", "severity")
_FORBIDDEN: Final = "forbidden"


def read_rules(file: Path) -> Rules:
    """The rules of a file. Raises ``RulesError`` with the line, also when it cannot be read."""
    return parse_rules(read_text(file), str(file))


def parse_rules(text: str, file: str = "rules") -> Rules:
    """The rules of a YAML text; ``file`` is named in errors."""
    nodes = YamlNodes(file)
    paths: list[Rule] = []
    functions: list[FunctionRule] = []
    for item in nodes.items(text, "rules"):
        if nodes.has(item, "function"):
            functions.append(_function_rule(nodes, item))
        else:
            paths.append(_rule(nodes, item))
    return Rules(tuple(paths), tuple(functions))


def _rule(nodes: YamlNodes, item: yaml.Node) -> Rule:
    fields = nodes.mapping(item, _RULE)
    namespace, name = nodes.dataset(fields["dataset"])
    category = nodes.text(fields["category"])
    check_category(category, nodes.file, line_of(fields["category"]))
    return Rule.of(namespace, name, nodes.text(fields["path"]), category, line_of(item))


def _function_rule(nodes: YamlNodes, item: yaml.Node) -> FunctionRule:
    fields = nodes.mapping(item, _FUNCTION_RULE)
    return FunctionRule(
        nodes.text(fields["function"]), Form[_word(nodes, fields["form"], Form)], line_of(item)
    )


def read_policies(file: Path) -> tuple[Policy, ...]:
    """The policies of a file, in its order. Raises ``RulesError`` with the line, also when it cannot be read."""
    return parse_policies(read_text(file), str(file))


def parse_policies(text: str, file: str = "policies") -> tuple[Policy, ...]:
    """The policies of a YAML text; ``file`` is named in errors. Each has a name of its own."""
    nodes = YamlNodes(file)
    found: dict[str, Policy] = {}
    for item in nodes.items(text, "policies"):
        policy = _policy(nodes, item)
        if policy.name in found:
            detail = f"the policy {policy.name!r} is in line {found[policy.name].line} already"
            raise nodes.error(item, detail, "give each policy a name of its own")
        found[policy.name] = policy
    return tuple(found.values())


def _policy(nodes: YamlNodes, item: yaml.Node) -> Policy:
    fields = nodes.mapping(item, _POLICY, _POLICY_OPTIONS)
    category = nodes.text(fields["category"])
    check_category(category, nodes.file, line_of(fields["category"]))
    if not fields.keys() & {"dataset", "purposes", "countries", "reidentification"}:
        hint = "say where data may not be, what for they may be used, in which countries they may be, or that"
        hint += " re-identification is forbidden"
        raise nodes.error(item, "dataset, purposes, countries or reidentification is expected", hint)
    namespace, name = nodes.dataset(fields["dataset"]) if "dataset" in fields else ("*", "*")
    return Policy(
        dataset_text=(namespace or "", name),
        path_text=nodes.text(fields["path"]) if "path" in fields else EVERY_PATH,
        line=line_of(item),
        name=nodes.text(fields["policy"]),
        category=category,
        allowed=_forms(nodes, fields["allow"]) if "allow" in fields else DEFAULT_ALLOWED,
        severity=Severity[_word(nodes, fields["severity"], Severity)]
        if "severity" in fields
        else Severity.ERROR,
        purposes=_checked(nodes, fields, "purposes", "data uses", check_purpose),
        countries=_checked(nodes, fields, "countries", "countries", check_country_or_group),
        forbids_reidentification=_forbids_reidentification(nodes, fields),
    )


def _forbids_reidentification(nodes: YamlNodes, fields: Mapping[str, yaml.Node]) -> bool:
    """Whether the policy is about re-identification; then it permits nothing."""
    if "reidentification" not in fields:
        return False
    word = nodes.text(fields["reidentification"])
    if word != _FORBIDDEN:
        raise nodes.error(fields["reidentification"], f"{word!r} is none of {_FORBIDDEN}")
    for name in sorted(fields.keys() & set(_PERMITTING)):
        detail = f"a policy that forbids re-identification has no {name}"
        raise nodes.error(fields[name], detail, "write two policies")
    return True


def _checked(
    nodes: YamlNodes,
    fields: Mapping[str, yaml.Node],
    name: str,
    of: str,
    check: Callable[[str, str, int], None],
) -> tuple[str, ...]:
    """The texts of a list, each checked by its line; without that field, none."""
    if name not in fields:
        return ()
    found = nodes.list_of(fields[name], f"a list of {of} is expected")
    if not found:
        raise nodes.error(fields[name], f"the list of {of} is empty", "name one, or leave the field out")
    for each in found:
        check(nodes.text(each), nodes.file, line_of(each))
    return tuple(map(nodes.text, found))


def _forms(nodes: YamlNodes, node: yaml.Node) -> frozenset[Form]:
    words = nodes.list_of(node, "a list of forms is expected")
    return frozenset(Form[_word(nodes, each, Form)] for each in words)


def _word(nodes: YamlNodes, node: yaml.Node, known: type[Enum]) -> str:
    """The name of one of the enum's members, which a file writes in lower case."""
    word = nodes.text(node)
    if word.upper() not in known.__members__:
        wanted = ", ".join(name.lower() for name in known.__members__)
        raise nodes.error(node, f"{word!r} is none of {wanted}")
    return word.upper()
