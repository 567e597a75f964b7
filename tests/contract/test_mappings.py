"""Business mappings in a store: where an attribute comes from, and which ways no row can take."""

from __future__ import annotations

from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.closure import LineageGraph
from headwater_backend.questions.lineage import Scope
from headwater_mappings import Document, events_of, parse

TIME = "2026-01-01T00:00:00+00:00"
BOTH = '{0}.REGION = "Europe" OR {0}.REGION = "Americas"'


def populating(target: str, source: str, condition: str, **attributes: str) -> str:
    lines = [f"WHEN POPULATING {target} FROM {source}"]
    attributes["REGION"] = "REGION"
    lines += [f"  POPULATE {target}.{name} WITH {source}.{of}" for name, of in attributes.items()]
    return "\n".join([*lines, f"  SELECT ROWS WHERE {condition.format(source)}", ""])


REGIONS = (
    populating("N0", "N1", BOTH, A0="A2", A1="A3")
    + populating("N1", "N2", '{0}.REGION = "Americas"', A2="A4", A3="A5")
    + populating("N2", "N3", BOTH, A4="A6", A5="A7")
    + populating("N3", "N4", '{0}.REGION = "Americas"', A6="A8")
    + populating("N3", "N5", '{0}.REGION = "Europe"', A7="A9")
)


def ask(store: LineageStore, name: str) -> LineageGraph:
    outcomes = ingest(store, list(events_of([Document("regions.txt", TIME, parse(REGIONS))])))
    assert [each.error for each in outcomes] == [None] * 5
    start = NodeKey(DatasetKey("mappings", "N0"), (name,))
    return active_lineage(store, start, Direction.BACKWARD, Scope())


def test_the_data_of_one_region_arrives(store: LineageStore) -> None:
    found = ask(store, "A0")
    assert {each.key.path[0] for each in found.nodes} == {"A0", "A2", "A4", "A6", "A8"}
    assert not found.pruned


def test_that_of_the_other_is_cut_and_both_conditions_are_named(store: LineageStore) -> None:
    found = ask(store, "A1")
    assert {each.key.path[0] for each in found.nodes} == {"A1", "A3", "A5", "A7"}
    (pruned,) = found.pruned
    (why,) = pruned.because
    assert "N1 FROM N2" in why and "N3 FROM N5" in why
    assert "Americas" in why and "Europe" in why


GROUPS = """
WHEN POPULATING SALES FROM SHOPS POPULATE SALES.KIND WITH "shop" POPULATE SALES.NAME WITH SHOPS.NAME
WHEN POPULATING SALES FROM SITES POPULATE SALES.KIND WITH "web" POPULATE SALES.NAME WITH SITES.NAME
WHEN POPULATING TOTALS FROM SALES POPULATE TOTALS.KIND WITH SALES.KIND POPULATE TOTALS.NAME WITH {}
WHEN POPULATING REPORT FROM TOTALS POPULATE REPORT.NAME WITH TOTALS.NAME SELECT ROWS WHERE TOTALS.KIND = "web"
"""


def sources_of_groups(store: LineageStore, expression: str) -> set[str]:
    events = list(events_of([Document("groups.txt", TIME, parse(GROUPS.format(expression)))]))
    assert all(each.stored for each in ingest(store, events))
    start = NodeKey(DatasetKey("mappings", "REPORT"), ("NAME",))
    found = active_lineage(store, start, Direction.BACKWARD, Scope())
    return {each.key.dataset.name for each in found.nodes} & {"SHOPS", "SITES"}


def test_a_condition_on_a_moved_attribute_excludes_the_other_source(store: LineageStore) -> None:
    assert sources_of_groups(store, "SALES.NAME") == {"SITES"}


def test_what_is_grouped_may_be_of_any_row_so_that_nothing_is_excluded(store: LineageStore) -> None:
    assert sources_of_groups(store, "MAX(SALES.NAME)") == {"SHOPS", "SITES"}


def kept(store: LineageStore, text: str, entity: str, name: str, where: str | None = None) -> LineageGraph:
    """The active lineage of an attribute of these mappings."""
    outcomes = ingest(store, list(events_of([Document("m.txt", TIME, parse(text))])))
    assert [each.error for each in outcomes] == [None] * len(outcomes)
    start = NodeKey(DatasetKey("mappings", entity), (name,))
    return active_lineage(store, start, Direction.BACKWARD, Scope(), where=where)


def ends(found: LineageGraph) -> set[str]:
    made = {edge.target for edge in found.edges}
    return {edge.source.dataset.name for edge in found.edges if edge.source not in made}


PARTNERS = """
WHEN POPULATING AGREEMENT FROM CUSTOMER MASTER DATA
  POPULATE AGREEMENT.ACCOUNT OPEN DT
    WITH CUSTOMER MASTER DATA.CIF OPENING DATE IF CUSTOMER MASTER DATA.CIF OPENING DATE != 01010001
    WITH "DEFAULT UNKNOWN"
  POPULATE AGREEMENT.PARTNER TYPE WITH CUSTOMER MASTER DATA.PARTNER TYPE
""" + "".join(
    f"""
WHEN POPULATING CUSTOMER MASTER DATA FROM {source}
  POPULATE CUSTOMER MASTER DATA.CIF OPENING DATE WITH {source}.OPENED
  POPULATE CUSTOMER MASTER DATA.PARTNER TYPE WITH "{kind}"
"""
    for source, kind in (("PERSONS", "PERSON"), ("COMPANIES", "COMPANY"))
)


def test_a_partner_type_as_initial_condition_leaves_its_source(store: LineageStore) -> None:
    asked = store, PARTNERS, "AGREEMENT", "ACCOUNT OPEN DT"
    assert ends(kept(*asked)) == {"PERSONS", "COMPANIES"}
    found = kept(*asked, where="`PARTNER TYPE` = 'PERSON'")
    assert ends(found) == {"PERSONS"}
    (pruned,) = found.pruned
    assert "COMPANY" in pruned.because[0] and "the question asks for" in pruned.because[0]


SEGMENTS, COUNTRIES = ("RETAIL", "CORPORATE", "PRIVATE"), ("AT", "DE", "US")
MARKETS = """
WHEN POPULATING REPORT FROM STAGE
  POPULATE REPORT.BALANCE WITH STAGE.BALANCE
  POPULATE REPORT.SEGMENT WITH STAGE.SEGMENT
  POPULATE REPORT.COUNTRY WITH STAGE.COUNTRY
""" + "".join(
    f"""
WHEN POPULATING STAGE FROM {segment} {country}
  POPULATE STAGE.BALANCE WITH {segment} {country}.BALANCE
  POPULATE STAGE.SEGMENT WITH "{segment}"
  POPULATE STAGE.COUNTRY WITH "{country}"
"""
    for segment in SEGMENTS
    for country in COUNTRIES
)


def test_a_condition_on_segments_does_not_help_with_countries(store: LineageStore) -> None:
    asked = store, MARKETS, "REPORT", "BALANCE"
    assert len(ends(kept(*asked))) == 9
    one = kept(*asked, where="SEGMENT = 'RETAIL'")
    assert ends(one) == {f"RETAIL {country}" for country in COUNTRIES}
    both = kept(*asked, where="SEGMENT = 'RETAIL' AND COUNTRY = 'AT' AND SEGMENT <> 'PRIVATE'")
    assert ends(both) == {"RETAIL AT"}
    assert [bool(each.all) for each in both.effects] == [True, True, False]


CHAIN = """
WHEN POPULATING LAST FROM NEXT
  POPULATE LAST.XX WITH NEXT.XX
  SELECT ROWS WHERE NEXT.AA = "X" OR NEXT.A3 = "Z"
WHEN POPULATING NEXT FROM FIRST
  POPULATE NEXT.XX WITH FIRST.XX
  POPULATE NEXT.AA WITH FIRST.AA
  POPULATE NEXT.A3 WITH FIRST.A3
  SELECT ROWS WHERE FIRST.AA = "X" OR FIRST.AA = "Y"
""" + "".join(
    f"""
WHEN POPULATING FIRST FROM {one} {three}
  POPULATE FIRST.XX WITH {one} {three}.XX
  POPULATE FIRST.AA WITH "{one}"
  POPULATE FIRST.A3 WITH "{three}"
"""
    for one in ("X", "Y", "Q")
    for three in ("Z", "W")
)


def test_of_two_choices_that_meet_what_both_allow_is_kept(store: LineageStore) -> None:
    assert ends(kept(store, CHAIN, "LAST", "XX")) == {"X Z", "X W", "Y Z"}
