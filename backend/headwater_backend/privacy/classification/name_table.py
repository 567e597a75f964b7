"""Names of fields that suggest personal data, in English and German.

``NAMES`` lists phrases of whole words; in ``customerEmail``, ``CUSTOMER_EMAIL`` and ``customer.e-mail`` the words are
the same. A phrase suggests its category wherever it is in a name; of several, the longest does. ``ALONE`` lists phrases
that only do so if they are the whole name, or if all other words name a person (``PERSONS``): ``first`` means nothing
in ``first_of_month``, and ``name`` is that of a person in ``driver_name``, or in a table ``drivers``.

To extend the tables, add phrases, in lower case, with a blank between words, umlauts written out (``strasse``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


NAMES: Final[Mapping[str, str]] = {
    "user.account.username": "username, user name, login name, nickname, nick name, screen name, benutzername, "
    "anmeldename, spitzname",
    "user.authorization.password": "password, passwd, passwort, kennwort, password hash",
    "user.authorization.credentials": "api key, access token, refresh token, session token",
    "user.biometric": "biometric, biometrics, face encoding, biometrie",
    "user.biometric.fingerprint": "fingerprint, fingerabdruck",
    "user.contact.address": "postal address, home address, street address, mailing address, delivery address, "
    "billing address, shipping address, anschrift, adresse, wohnort, lieferadresse, rechnungsadresse",
    "user.contact.address.city": "city, ort, stadt",
    "user.contact.address.postal_code": "postal code, postcode, zip code, zip, zipcode, plz, postleitzahl",
    "user.contact.address.street": "street, street name, house number, strasse, hausnummer",
    "user.contact.email": "email, e mail, mail address, email address, emailadresse, e mail adresse, mailadresse",
    "user.contact.fax_number": "fax, fax number, faxnummer",
    "user.contact.phone_number": "phone, phone number, telephone, telephone number, mobile number, cell phone, msisdn, "
    "telefon, telefonnummer, handy, handynummer, mobilnummer, rufnummer",
    "user.criminal_history": "criminal record, conviction, convictions, vorstrafen, strafregister, fuehrungszeugnis",
    "user.demographic.age_range": "age range, age group, altersgruppe",
    "user.demographic.date_of_birth": "birth date, birthdate, birthday, date of birth, dob, birth year, year of birth, "
    "geburtsdatum, geburtstag, geburtsjahr",
    "user.demographic.gender": "gender, sex, geschlecht",
    "user.demographic.marital_status": "marital status, familienstand",
    "user.demographic.political_opinion": "political party, political opinion, parteimitgliedschaft",
    "user.demographic.race_ethnicity": "ethnicity, ethnic origin, race, ethnie, herkunft",
    "user.demographic.religious_belief": "religion, religious belief, denomination, konfession, glaube",
    "user.demographic.sexual_orientation": "sexual orientation, sexuelle orientierung",
    "user.device.cookie_id": "cookie id, ga client id",
    "user.device.device_id": "device id, imei, imsi, idfa, gaid, mac address, advertising id, android id, geraete id",
    "user.device.ip_address": "ip, ip address, ip addr, ipaddr, ipv4, ipv6, remote addr, client ip, ip adresse",
    "user.financial": "salary, income, credit score, gehalt, einkommen, lohn",
    "user.financial.bank_account": "iban, bic, bank account, account number, sort code, kontonummer, bankverbindung",
    "user.financial.credit_card": "credit card, credit card number, card number, cc number, cvv, kreditkarte, "
    "kreditkartennummer, kartennummer",
    "user.government_id": "tax id, tax number, vat number, steuernummer, steuer id",
    "user.government_id.drivers_license_number": "drivers license, driving licence, driver license number, "
    "fuehrerschein, fuehrerscheinnummer",
    "user.government_id.national_identification_number": "ssn, social security number, national id, national insurance "
    "number, personalausweis, personalausweisnummer, ausweisnummer, sozialversicherungsnummer, svnr",
    "user.government_id.passport_number": "passport, passport number, reisepass, reisepassnummer, passnummer",
    "user.government_id.vehicle_registration": "license plate, licence plate, number plate, kennzeichen",
    "user.health_and_medical": "diagnosis, icd10, blood type, medication, allergies, diagnose, blutgruppe, krankheit, "
    "krankenkasse, medikation",
    "user.health_and_medical.genetic": "genome, dna sequence, genotype, genom",
    "user.health_and_medical.insurance_beneficiary_id": "health insurance number, versichertennummer",
    "user.health_and_medical.record_id": "patient id, medical record number, patienten id, patientennummer",
    "user.location.precise": "latitude, longitude, geo location, geolocation, gps, gps position, coordinates, "
    "breitengrad, laengengrad, koordinaten, standort",
    "user.name": "full name, fullname, person name, contact name, vollstaendiger name",
    "user.name.first": "first name, firstname, given name, forename, middle name, vorname",
    "user.name.last": "last name, lastname, surname, family name, maiden name, nachname, familienname, geburtsname",
    "user.unique_id": "user id, userid, customer id, customer number, client id, member id, person id, subscriber id, "
    "kunden id, kundennummer, kunden nr, benutzer id, nutzer id, mitgliedsnummer, personen id, custid",
    "user.workplace": "employer, arbeitgeber",
    "user.job_title": "job title, berufsbezeichnung, beruf",
}
"""From each category to the phrases that suggest it."""

ALONE: Final[Mapping[str, str]] = {
    "user.contact.address": "address, addr",
    "user.contact.email": "mail",
    "user.contact.phone_number": "tel, mobile, cell",
    "user.demographic.age_range": "age, alter",
    "user.demographic.date_of_birth": "birth, born",
    "user.demographic.language": "language, sprache",
    "user.location.precise": "lat, lon, lng, long",
    "user.name": "name",
    "user.name.first": "first, given",
    "user.name.last": "last, family",
    "user.unique_id": "id, uid",
}
"""From each category to the phrases that suggest it only as a whole name, or beside words for persons."""

PERSONS: Final = _set(
    "user, customer, client, person, people, member, employee, driver, courier, patient, passenger, "
    "guest, contact, subscriber, author, owner, recipient, sender, student, teacher, visitor, applicant, "
    "candidate, buyer, seller, tenant, kunde, kunden, nutzer, benutzer, mitarbeiter, mitglied, fahrer, "
    "patienten, empfaenger, absender, autor, besucher, bewerber, kaeufer, mieter"
)
"""Words for persons."""

NOT_OF_PERSONS: Final = _set("id, name, language, first, last")
"""Phrases of ``ALONE`` that suggest nothing as the whole name, except of a person: many things have a name."""

ABOUT_VALUES: Final = _set(
    "count, counts, num, is, has, flag, valid, verified, enabled, sent, status, type, template, domain, "
    "version, anzahl, ist, hat, gueltig, verifiziert, aktiv, typ, vorlage"
)
"""Words by which a name is about a value, and not the value: ``email_verified``, ``has_phone``."""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


class Suggestion(NamedTuple):
    """A category that a name suggests, and by which phrase; ``whole`` means that all other words are for persons."""

    category: str
    phrase: str
    whole: bool


@lru_cache(maxsize=65_536)
def suggestion(name: str, holder: str = "") -> Suggestion | None:
    """The category that the name of a field suggests, or None; ``holder`` is the name of the struct or table around."""
    words = tuple(words_of(name))
    known = _phrases()
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            phrase = " ".join(words[start : start + length])
            phrase = phrase if phrase in known else phrase.removesuffix("s")
            rest = (*words[:start], *words[start + length :])
            if phrase in known and _counts(phrase, rest, holder):
                return Suggestion(known[phrase], phrase, whole=PERSONS.issuperset(rest))
    return None


def words_of(name: str) -> Iterator[str]:
    """The words of a name in snake, kebab or camel case, in lower case, umlauts written out."""
    return (word.lower() for word in _WORD.findall(name.translate(_UMLAUTS)))


def _counts(phrase: str, rest: tuple[str, ...], holder: str) -> bool:
    if phrase not in _alone():
        return ABOUT_VALUES.isdisjoint(rest)
    if rest:
        return PERSONS.issuperset(rest)
    return phrase not in NOT_OF_PERSONS or _is_person(holder)


def _is_person(holder: str) -> bool:
    *_, last = ("", *words_of(holder))
    return last in PERSONS or last.removesuffix("s") in PERSONS


@cache
def _phrases() -> Mapping[str, str]:
    tables = [*NAMES.items(), *ALONE.items()]
    return {phrase: category for category, phrases in tables for phrase in _listed(phrases)}


@cache
def _alone() -> frozenset[str]:
    return frozenset(phrase for phrases in ALONE.values() for phrase in _listed(phrases))


def _listed(phrases: str) -> list[str]:
    return [" ".join(words_of(phrase)) for phrase in phrases.split(", ")]
