"""Reports in the vocabularies of the W3C: DPV and PROV."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from headwater_backend.reports.document.model import Document
from headwater_backend.reports.formats.render import Format, render
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind
from kit.reports import IMPRINT, over, parcels, question

rdflib = pytest.importorskip("rdflib")
prov = pytest.importorskip("prov.model")

DPV = rdflib.Namespace("https://w3id.org/dpv#")
PD = rdflib.Namespace("https://w3id.org/dpv/pd#")
GDPR = rdflib.Namespace("https://w3id.org/dpv/legal/eu/gdpr#")
EVIL = 'j "b":c#d\\e <x> %20'
EDGES = f"t:user.mail -IDENTITY-> m:mail @{EVIL}\nm:mail -HASH-> o:token @hash"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Document]:
    with closing(parcels(tmp_path_factory.mktemp("vocabularies"))) as store:
        yield build(store, question(Kind.ART30))


def text(document: Document, of: Format) -> str:
    return render(document, IMPRINT, of).decode()


def triples(document: Document) -> Any:
    return rdflib.Graph().parse(data=text(document, Format.DPV), format="json-ld")


def test_an_activity_is_a_process_in_the_terms_of_dpv(record: Document) -> None:
    graph = triples(record)
    (process,) = graph.subjects(rdflib.RDF.type, DPV.PersonalDataProcess)
    assert graph.value(process, DPV.hasPurpose) == DPV.RequestedServiceProvision
    assert graph.value(process, DPV.hasLegalBasis) == GDPR["A6-1-b"]
    assert graph.value(process, DPV.hasDataSubject) == DPV.Customer
    assert set(graph.objects(process, DPV.hasPersonalData)) == {PD.EmailAddress, PD.Name}
    (recipient,) = graph.objects(process, DPV.hasRecipient)
    assert graph.value(recipient, DPV.hasCountry) == rdflib.URIRef("https://w3id.org/dpv/loc#US")


def test_the_parties_and_the_datasets_are_in_dpv(record: Document) -> None:
    graph = triples(record)
    (controller,) = graph.subjects(rdflib.RDF.type, DPV.DataController)
    assert str(graph.value(controller, rdflib.DCTERMS.title)) == "Example GmbH"
    held = {str(each) for each in graph.subjects(rdflib.RDF.type, DPV.PersonalData)}
    assert "urn:headwater:dataset:parcels:shop.vouchers" in held


def test_its_context_is_in_the_file(record: Document) -> None:
    assert all(isinstance(value, str) for value in json.loads(text(record, Format.DPV))["@context"].values())


@pytest.mark.parametrize("kind", [Kind.ART30, Kind.EXPOSURE])
def test_prov_is_read_back_the_same_from_both_forms(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    document = over(EDGES, kind)
    with caplog.at_level(logging.WARNING):
        from_json = prov.ProvDocument.deserialize(content=text(document, Format.PROV_JSON), format="json")
        from_rdf = prov.ProvDocument.deserialize(
            content=text(document, Format.PROV_O), format="rdf", rdf_format="turtle"
        )
    assert from_json == from_rdf
    assert caplog.records == []


def test_several_ways_into_a_path_are_written_the_same_each_time() -> None:
    edges = "\n".join(
        f"t:user.mail -IDENTITY-> m{n}:mail @a\nm{n}:mail -COMPUTE-> o:mail @b{n}" for n in range(6)
    )
    document = over(f"{edges}\nm0:mail -FILTER-> o @b0", Kind.ART30)
    assert len({text(document, Format.PROV_O) for _ in range(10)}) == 1


def test_paths_are_entities_and_jobs_activities() -> None:
    found = prov.ProvDocument.deserialize(content=text(over(EDGES), Format.PROV_JSON), format="json")
    derived = [
        tuple(str(value.localpart) for _, value in relation.formal_attributes if value is not None)[:3]
        for relation in found.get_records(prov.ProvDerivation)
    ]
    assert ("path:ns:o:token", "path:ns:m:mail", "job:ns:hash") in derived
    assert len(derived) == 2
    labels = {
        str(each) for job in found.get_records(prov.ProvActivity) for each in job.get_attribute("prov:label")
    }
    assert labels == {EVIL, "hash"}


def test_a_report_without_findings_is_still_prov() -> None:
    found = prov.ProvDocument.deserialize(
        content=text(over("t:user.mail -HASH-> t:x"), Format.PROV_JSON), format="json"
    )
    assert len(list(found.get_records(prov.ProvEntity))) >= 1
