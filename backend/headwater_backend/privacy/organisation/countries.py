"""Countries by their codes of ISO 3166-1 alpha-2, and the groups that a policy may name instead.

Some territories of member states have codes of their own. Those to which the law of the Union applies are in the
groups: the Åland Islands and the outermost regions of France (Art. 355(1) and (4) TFEU). Svalbard is not (Protocol 40
to the EEA Agreement).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from headwater_backend.domain.errors import RulesError
from headwater_backend.questions.resolving import did_you_mean

_ASSIGNED: Final = """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD
GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH
KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW
MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC
SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY
UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""
COUNTRIES: Final = frozenset(_ASSIGNED.split())
"""The codes of ISO 3166-1 alpha-2 that are assigned, as of November 2026."""

_MEMBERS: Final = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"
_TERRITORIES: Final = "AX GF GP MF MQ RE YT"
EU: Final = frozenset((*_MEMBERS.split(), *_TERRITORIES.split()))
"""The member states of the Union, by Art. 52 TEU since 1 February 2020, and territories with codes of their own."""

GROUPS: Final = {"EU": EU, "EEA": EU | {"IS", "LI", "NO"}}
"""The groups of countries: the Union, and with the EFTA states of the EEA Agreement the European Economic Area."""

_OTHER_CODES: Final = {"UK": "GB", "EL": "GR"}
"""Codes that the Union's institutions write, and that are none of ISO 3166-1."""


def expanded(codes: Collection[str]) -> frozenset[str]:
    """The countries that these are, or that are in these groups."""
    return frozenset(country for code in codes for country in GROUPS.get(code, {code}))


def check_country(code: str, file: str, line: int) -> None:
    """Raise ``RulesError`` for a code of no country."""
    _check(code, COUNTRIES, "country", file, line)


def check_country_or_group(code: str, file: str, line: int) -> None:
    """Raise ``RulesError`` for a code of no country and of no group."""
    _check(code, COUNTRIES | GROUPS.keys(), "country or group of countries", file, line)


def _check(code: str, known: Collection[str], what: str, file: str, line: int) -> None:
    if code not in known:
        upper = code.upper()
        meant = _OTHER_CODES.get(upper, upper)
        near = f"did you mean {meant!r}?" if meant in known else did_you_mean(upper, sorted(known))
        hint = near or "codes are those of ISO 3166-1, such as DE"
        raise RulesError(file, line, f"{code!r} is no {what} of ISO 3166-1", hint)
