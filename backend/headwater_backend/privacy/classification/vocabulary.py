"""What the law and the W3C's Data Privacy Vocabulary (DPV) call the keys of fideslang's default taxonomy.

Data categories, data uses and data subjects each have a term of DPV 2. Where DPV has no term of the same meaning, it is
the nearest broader one, which ``exact`` is false for. A key that no table lists, as a newer taxonomy may have, has the
term of the key above it, as a broader one.

Some data categories are special by law, and so are the kinds of them: Art. 9 GDPR (health, biometric and genetic data,
origin, opinion, belief, sexual orientation) and Art. 10 (criminal convictions and offences). A category that merely
*may* contain such data, as ``user.demographic`` does, is not special. Of trade union membership, fideslang has no key.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from headwater_backend.privacy.classification.categories import includes

DPV: Final = "https://w3id.org/dpv#"
PD: Final = "https://w3id.org/dpv/pd#"
_NAMESPACES: Final = {"dpv": DPV, "pd": PD}


class Article(Enum):
    """The article of the GDPR that applies to a special category of data."""

    ART_9 = "Art. 9"
    ART_10 = "Art. 10"


@dataclass(frozen=True, slots=True)
class DpvTerm:
    """A term of DPV for a key of fideslang; ``exact`` is False if it only is the nearest broader one."""

    iri: str
    exact: bool


def special_category(key: str) -> Article | None:
    """The article of the GDPR that makes the data category special, or None."""
    return next((article for special, article in SPECIAL.items() if includes(special, key)), None)


def may_be_special(key: str) -> bool:
    """Whether the data category is special, or so broad that special ones are kinds of it."""
    return any(includes(special, key) or includes(key, special) for special in SPECIAL)


def dpv_iri(key: str) -> str:
    """The IRI of the DPV term for a data category, data use or data subject; raises ``KeyError``."""
    return dpv_term(key).iri


def dpv_term(key: str) -> DpvTerm:
    """The DPV term for a data category, data use or data subject; raises ``KeyError``."""
    above = key
    while above not in EXACT and above not in BROADER:
        above, dot, _ = above.rpartition(".")
        if not dot:
            raise KeyError(key)
    prefix, _, name = (EXACT.get(above) or BROADER[above]).partition(":")
    return DpvTerm(_NAMESPACES[prefix] + name, exact=key in EXACT)


SPECIAL: Final = {
    "user.authorization.biometric": Article.ART_9,
    "user.biometric": Article.ART_9,
    "user.criminal_history": Article.ART_10,
    "user.demographic.political_opinion": Article.ART_9,
    "user.demographic.race_ethnicity": Article.ART_9,
    "user.demographic.religious_belief": Article.ART_9,
    "user.demographic.sexual_orientation": Article.ART_9,
    "user.health_and_medical": Article.ART_9,
}

EXACT: Final = {
    # data categories
    "user": "dpv:PersonalData",
    "user.account.username": "pd:Username",
    "user.authorization.credentials": "pd:Authenticating",
    "user.authorization.password": "pd:Password",
    "user.behavior": "pd:Behavioral",
    "user.behavior.browsing_history": "pd:BrowserHistory",
    "user.behavior.media_consumption": "pd:ServiceConsumptionBehavior",
    "user.behavior.purchase_history": "pd:Purchase",
    "user.biometric": "pd:Biometric",
    "user.biometric.fingerprint": "pd:Fingerprint",
    "user.biometric.retinal": "pd:Retina",
    "user.contact": "pd:Contact",
    "user.contact.address": "pd:PhysicalAddress",
    "user.contact.address.city": "pd:City",
    "user.contact.address.country": "pd:Country",
    "user.contact.address.postal_code": "pd:PostalCode",
    "user.contact.address.street": "pd:Street",
    "user.contact.email": "pd:EmailAddress",
    "user.contact.phone_number": "pd:TelephoneNumber",
    "user.content.self_image": "pd:Picture",
    "user.criminal_history": "pd:Criminal",
    "user.demographic": "pd:Demographic",
    "user.demographic.age_range": "pd:AgeRange",
    "user.demographic.date_of_birth": "pd:BirthDate",
    "user.demographic.gender": "pd:Gender",
    "user.demographic.language": "pd:Language",
    "user.demographic.marital_status": "pd:MaritalStatus",
    "user.demographic.political_opinion": "pd:PoliticalOpinion",
    "user.demographic.profile": "pd:Profile",
    "user.demographic.religious_belief": "pd:ReligiousBelief",
    "user.demographic.sexual_orientation": "pd:SexualPreference",
    "user.device": "pd:DeviceBased",
    "user.device.ip_address": "pd:IPAddress",
    "user.financial": "pd:Financial",
    "user.financial.bank_account": "pd:BankAccount",
    "user.government_id": "pd:OfficialID",
    "user.health_and_medical": "pd:MedicalHealth",
    "user.health_and_medical.genetic": "pd:Genetic",
    "user.location": "pd:Location",
    "user.name": "pd:Name",
    "user.privacy_preferences": "pd:PrivacyPreference",
    "user.unique_id": "pd:UID",
    # data uses
    "employment": "dpv:HumanResourceManagement",
    "employment.recruitment": "dpv:PersonnelHiring",
    "essential.fraud_detection": "dpv:FraudPreventionAndDetection",
    "essential.legal_obligation": "dpv:LegalCompliance",
    "essential.service": "dpv:RequestedServiceProvision",
    "essential.service.authentication": "dpv:IdentityAuthentication",
    "essential.service.operations": "dpv:TechnicalServiceProvision",
    "essential.service.payment_processing": "dpv:PaymentManagement",
    "essential.service.security": "dpv:EnforceSecurity",
    "functional.service": "dpv:ServiceProvision",
    "functional.service.improve": "dpv:ImproveExistingProductsAndServices",
    "marketing": "dpv:Marketing",
    "marketing.advertising": "dpv:Advertising",
    "marketing.communications": "dpv:DirectMarketing",
    "personalize": "dpv:Personalisation",
    "personalize.system": "dpv:UserInterfacePersonalisation",
    # data subjects
    "customer": "dpv:Customer",
    "employee": "dpv:Employee",
    "job_applicant": "dpv:JobApplicant",
    "patient": "dpv:Patient",
    "visitor": "dpv:Visitor",
}
"""The DPV term of the same meaning, by key."""

BROADER: Final = {
    # data categories
    "system": "dpv:Data",
    "system.authentication": "dpv:Data",
    "system.operations": "dpv:Data",
    "user.account": "dpv:PersonalData",
    "user.account.settings": "pd:Preference",
    "user.authorization": "pd:Internal",
    "user.authorization.biometric": "pd:Biometric",
    "user.behavior.search_history": "pd:BrowsingBehavior",
    "user.biometric.health": "pd:Biometric",
    "user.biometric.voice": "pd:Biometric",
    "user.childrens": "dpv:PersonalData",
    "user.contact.address.state": "pd:Region",
    "user.contact.fax_number": "pd:Contact",
    "user.contact.organization": "pd:Contact",
    "user.contact.url": "pd:Contact",
    "user.content": "dpv:PersonalData",
    "user.content.private": "dpv:PersonalData",
    "user.content.public": "dpv:PersonalData",
    "user.demographic.race_ethnicity": "pd:Ethnicity",
    "user.device.cookie": "pd:DeviceBased",
    "user.device.cookie_id": "pd:DeviceBased",
    "user.device.device_id": "pd:DeviceBased",
    "user.financial.credit_card": "pd:PaymentCard",
    "user.government_id.birth_certificate": "pd:OfficialID",
    "user.government_id.drivers_license_number": "pd:OfficialID",
    "user.government_id.immigration": "pd:OfficialID",
    "user.government_id.national_identification_number": "pd:OfficialID",
    "user.government_id.passport_number": "pd:Passport",
    "user.government_id.vehicle_registration": "pd:VehicleLicense",
    "user.health_and_medical.insurance_beneficiary_id": "pd:MedicalHealth",
    "user.health_and_medical.record_id": "pd:HealthRecord",
    "user.job_title": "pd:Job",
    "user.location.imprecise": "pd:Location",
    "user.location.precise": "pd:Location",
    "user.name.first": "pd:Name",
    "user.name.last": "pd:Name",
    "user.payment": "pd:Financial",
    "user.sensor": "dpv:PersonalData",
    "user.social": "pd:Social",
    "user.telemetry": "dpv:PersonalData",
    "user.unique_id.pseudonymous": "pd:UID",
    "user.user_sensor": "dpv:PersonalData",
    "user.workplace": "pd:Professional",
    # data uses
    "analytics": "dpv:Purpose",
    "analytics.reporting": "dpv:Purpose",
    "analytics.reporting.ad_performance": "dpv:Advertising",
    "analytics.reporting.campaign_insights": "dpv:Marketing",
    "analytics.reporting.content_performance": "dpv:ServiceUsageAnalytics",
    "analytics.reporting.system": "dpv:ServiceUsageAnalytics",
    "analytics.reporting.system.performance": "dpv:ServiceUsageAnalytics",
    "collect": "dpv:Purpose",
    "essential": "dpv:Purpose",
    "essential.service.notifications": "dpv:CommunicationManagement",
    "essential.service.notifications.email": "dpv:CommunicationManagement",
    "essential.service.notifications.sms": "dpv:CommunicationManagement",
    "essential.service.operations.improve": "dpv:ServiceOptimisation",
    "essential.service.operations.support": "dpv:ServiceProvision",
    "essential.service.upgrades": "dpv:ServiceProvision",
    "finance": "dpv:Purpose",
    "functional": "dpv:Purpose",
    "functional.storage": "dpv:ServiceProvision",
    "functional.storage.privacy_preferences": "dpv:RecordManagement",
    "marketing.advertising.first_party": "dpv:Advertising",
    "marketing.advertising.first_party.contextual": "dpv:Advertising",
    "marketing.advertising.first_party.targeted": "dpv:TargetedAdvertising",
    "marketing.advertising.frequency_capping": "dpv:Advertising",
    "marketing.advertising.negative_targeting": "dpv:Advertising",
    "marketing.advertising.profiling": "dpv:PersonalisedAdvertising",
    "marketing.advertising.serving": "dpv:Advertising",
    "marketing.advertising.third_party": "dpv:Advertising",
    "marketing.advertising.third_party.targeted": "dpv:TargetedAdvertising",
    "marketing.communications.email": "dpv:DirectMarketing",
    "marketing.communications.sms": "dpv:DirectMarketing",
    "operations": "dpv:Purpose",
    "personalize.content": "dpv:ServicePersonalisation",
    "personalize.content.limited": "dpv:ServicePersonalisation",
    "personalize.content.profiled": "dpv:ServicePersonalisation",
    "personalize.content.profiling": "dpv:ServicePersonalisation",
    "personalize.profiling": "dpv:Personalisation",
    "sales": "dpv:Marketing",
    "third_party_sharing": "dpv:Purpose",
    "third_party_sharing.legal_obligation": "dpv:LegalCompliance",
    "train_ai_system": "dpv:ResearchAndDevelopment",
    # data subjects
    "anonymous_user": "dpv:User",
    "citizen_voter": "dpv:Citizen",
    "commuter": "dpv:DataSubject",
    "consultant": "dpv:DataSubject",
    "next_of_kin": "dpv:DataSubject",
    "passenger": "dpv:DataSubject",
    "prospect": "dpv:DataSubject",
    "shareholder": "dpv:DataSubject",
    "supplier_vendor": "dpv:DataSubject",
    "trainee": "dpv:DataSubject",
}
"""The nearest broader DPV term, by key, where DPV has none of the same meaning."""
