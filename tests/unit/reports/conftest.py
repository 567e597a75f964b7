"""Documents of a moment when much is overdue, and a review was signed."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.domain.roles import everything
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.decided import PathClass
from headwater_backend.privacy.classification.deciding import Wanted, decide
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.questions.traversal import Bounds
from headwater_backend.reports.document.canonical import as_json, digest
from headwater_backend.reports.document.model import Document
from headwater_backend.reports.kinds.build import build
from headwater_backend.reports.kinds.question import Kind
from headwater_backend.reports.languages.catalogue import Language
from headwater_backend.reports.signing import sign
from kit.reports import AS_OF, parcels, question

LATER = Bounds(as_of=datetime(2099, 1, 1, tzinfo=timezone.utc))
TEN_YEARS = """processing: [{activity: Orders, outputs: "* shop.customers", retention: 10 Jahre}]"""


@pytest.fixture(scope="module")
def later_documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    """A record with data that are kept for too long, and a review after a signed one, in German."""
    stated = parse_organisation(TEN_YEARS)
    record = question(Kind.ART30, bounds=LATER, language=Language.DE, organisation=stated)
    with closing(parcels(tmp_path_factory.mktemp("later"))) as store:
        return [build(store, record), _after_a_signed_review(store)]


def _after_a_signed_review(store: LineageStore) -> Document:
    """A review since another one that was signed, with a decision between them."""
    first, soon = question(Kind.REVIEW), AS_OF + timedelta(minutes=1)
    ada, bea = everything("Ada"), everything("Bea")
    sign(store, first, digest(as_json(build(store, first))), Steward(ada, "read with the council", now=soon))
    node = NodeKey(DatasetKey("parcels", "shop.vouchers"), ("customer_email",))
    decided = Wanted(classes=(PathClass(node, ("user.contact.email", "user.unique_id")),))
    decide(store, decided, Steward(bea, "the address is the key of the voucher", now=soon))
    return build(store, question(Kind.REVIEW, since=AS_OF, bounds=LATER, language=Language.DE))
