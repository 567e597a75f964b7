import base64
import hashlib
import hmac
import json
import re
import unicodedata
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache, partial, reduce, wraps
from itertools import chain, groupby, zip_longest
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from functions.examples import example
from pyspark.sql import Row

PERSON = Row(
    name="Dr. Grace Hopper",
    mail="Grace.Hopper+navy@Example.com",
    phone="+49 (0)170 / 123-45 67",
    born=date(1976, 12, 9),
    address=Row(street="Main St. 12a", zip="10115", city="berlin", country="DE"),
    tags=["vip", "Navy ", "vip"],
    balance=120.5,
)
ORDER = Row(
    id="A-1009",
    lines=[
        Row(sku="RED-1", amount=2, price=9.99, discount=0.1),
        Row(sku="BLU-7", amount=1, price=100.0, discount=0.0),
        Row(sku="RED-2", amount=4, price=2.5, discount=0.5),
    ],
    customer="c-88",
    coupon="SPRING-20",
    payload='{"device": {"os": "ios", "id": "f3a9-11"}, "geo": "52.52,13.4", "ip": "10.2.3.4"}',
)
LEVELS = {"gold": 3, "silver": 2, "bronze": 1}
PII = re.compile(r"(?P<user>[\w.+-]+)@(?P<host>[\w-]+\.[\w.]+)")
COUNTRIES = {"DE": ("+49", "Germany"), "FR": ("+33", "France")}
KEY = b"not-a-secret"


class Risk(Enum):
    LOW = 1
    MEDIUM = 2
    HIGH = 3


class Coordinates(NamedTuple):
    latitude: float
    longitude: float

    def rounded(self, places=1):
        return Coordinates(round(self.latitude, places), round(self.longitude, places))


@dataclass(frozen=True)
class Money:
    amount: Decimal
    currency: str = "EUR"

    def __post_init__(self):
        if self.amount < 0:
            raise ValueError("negative")

    @classmethod
    def of(cls, text, currency="EUR"):
        return cls(Decimal(text).quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN), currency)

    def shown(self):
        return f"{self.amount} {self.currency}"


@dataclass
class Cart:
    owner: str
    skus: list = field(default_factory=list)
    total: float = 0.0

    def add(self, sku, amount, price):
        self.skus.append(sku.lower())
        self.total += amount * price
        return self


def none_if_empty(function):
    @wraps(function)
    def inner(value, *rest):
        if value is None or value == "":
            return None
        return function(value, *rest)

    return inner


def retrying(times, default=None):
    def decorate(function):
        @wraps(function)
        def inner(*args, **kwargs):
            for _ in range(times):
                try:
                    return function(*args, **kwargs)
                except (ValueError, TypeError):
                    continue
            return default

        return inner

    return decorate


@lru_cache(maxsize=1024)
def normal(text):
    return unicodedata.normalize("NFKD", text).casefold()


def pipeline(*steps):
    return lambda value: reduce(lambda held, step: step(held), steps, value)


clean = pipeline(str.strip, str.lower, partial(re.sub, r"\s+", " "))


@example("  Grace   HOPPER ")
def cleaned_by_a_pipeline(name):
    return clean(name)


@example("Grace.Hopper@Example.com", "salt-17")
@none_if_empty
def pseudonym_after_a_guard(mail, salt):
    return hashlib.sha256(f"{salt}:{mail.strip().lower()}".encode()).hexdigest()


@example("12,50", "EUR")
@retrying(2, default={"amount": None, "currency": "?"})
def parsed_with_retries(text, currency):
    money = Money.of(text.replace(",", "."), currency)
    return {"amount": float(money.amount), "currency": money.currency}


@example("Grâce Hopper", "Berlin")
def compared_by_cached_form(name, city):
    return {"key": normal(name), "same": normal(name) == normal(city)}


@example(PERSON)
def contact_card(p):
    digits = re.sub(r"\D", "", p.phone)
    prefix, country = COUNTRIES.get(p.address.country, ("", "elsewhere"))
    return {
        "name": " ".join(part for part in p.name.split() if not part.endswith(".")),
        "phone": f"{prefix}{digits[-10:]}",
        "where": {"city": p.address.city.title(), "country": country},
        "tags": sorted({t.strip().lower() for t in p.tags}),
    }


@example(PERSON, date(2024, 5, 1))
def age_group(p, today):
    years = today.year - p.born.year - ((today.month, today.day) < (p.born.month, p.born.day))
    match years:
        case n if n < 18:
            return "minor"
        case n if n < 65:
            return f"{n // 10 * 10}s"
        case _:
            return "senior"


@example("Write to Grace.Hopper@example.com or ada@other.org today", "x")
def masked_text(text, mark):
    return PII.sub(lambda m: f"{m['user'][:1]}{mark * 3}@{m['host']}", text)


@example(ORDER)
def parsed_payload(order):
    try:
        payload = json.loads(order.payload)
    except json.JSONDecodeError:
        return {"os": None, "latitude": None, "id": order.id}
    latitude, _, longitude = payload.get("geo", "0,0").partition(",")
    where = Coordinates(float(latitude), float(longitude)).rounded()
    return {"os": payload["device"]["os"], "latitude": where.latitude, "id": order.id}


@example(ORDER)
def order_total(order):
    total = sum(line.amount * line.price * (1 - line.discount) for line in order.lines)
    if order.coupon and order.coupon.startswith("SPRING"):
        with suppress(ValueError):
            total *= 1 - int(order.coupon.rsplit("-", 1)[-1]) / 100
    return {"id": order.id, "customer": order.customer, "total": round(total, 2), "lines": len(order.lines)}


@example(ORDER)
def by_family(order):
    family = lambda line: line.sku.split("-")[0]
    found = []
    for name, lines in groupby(sorted(order.lines, key=family), key=family):
        lines = list(lines)
        found.append(Row(family=name, amount=sum(x.amount for x in lines), best=max(x.price for x in lines)))
    return found


@example(ORDER)
def as_a_cart(order):
    cart = Cart(order.customer)
    for line in order.lines:
        cart.add(line.sku, line.amount, line.price)
    return asdict(cart)


@example("https://shop.example.com/item/17?utm_source=news&ref=ada#top", "direct")
def url_parts(url, fallback):
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    return {
        "host": parts.hostname,
        "item": parts.path.rstrip("/").rpartition("/")[2],
        "source": query.get("utm_source", [fallback])[0],
    }


@example({"type": "login", "user": "ada", "ip": "10.0.0.1", "amount": 5}, "unknown")
def matched_event(event, other):
    match event:
        case {"type": "login", "user": user, "ip": ip}:
            return {"who": user, "what": f"from {ip.rsplit('.', 1)[0]}"}
        case {"type": "payment", "user": user, "amount": amount} if amount > 100:
            return {"who": user, "what": "large"}
        case {"user": user}:
            return {"who": user, "what": other}
        case _:
            return {"who": None, "what": other}


@example("K-17;Ada;Long;1990-05-17;;x")
def fixed_record(line):
    key, first, last, born, *rest = line.split(";")
    return Row(key=key, name=f"{last}, {first}", born=date.fromisoformat(born), more=len(rest))


@example(["a", "b", "a"], [1.0, 2.5, 3.0], 2)
def weighted(names, weights, least):
    totals = defaultdict(float)
    for name, weight in zip_longest(names, weights, fillvalue=0.0):
        totals[name] += weight
    return {"best": max(totals.values()), "names": [n for n, w in totals.items() if w >= least]}


@example("gold", 1200.0, 3)
def risk_level(level, balance, complaints):
    score = LEVELS.get(level, 0) * 10 + min(balance / 100, 20) - 5 * complaints
    for risk, limit in ((Risk.LOW, 30), (Risk.MEDIUM, 15)):
        if score >= limit:
            return risk.name
    return Risk.HIGH.name


@example("4111111111111111", "Ada Long")
def checked_card(number, holder):
    digits = [int(d) for d in number if d.isdigit()]
    odd, even = digits[-1::-2], digits[-2::-2]
    valid = (sum(odd) + sum(sum(divmod(2 * d, 10)) for d in even)) % 10 == 0
    return {"holder": holder.upper(), "last": number[-4:], "valid": valid}


@example(PERSON, "k1")
def signed(p, version):
    body = json.dumps({"m": p.mail, "v": version}, sort_keys=True)
    mark = hmac.new(KEY, body.encode(), hashlib.sha256).digest()
    return {"version": version, "mark": base64.urlsafe_b64encode(mark).decode().rstrip("=")}


def numbered(lines):
    count = 0
    for line in lines:
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        count += 1
        yield count, line


@example("# head\nfirst=1\n\nsecond = two\n", "=")
def settings(text, separator):
    found = {}
    for number, line in numbered(text.splitlines()):
        name, _, value = line.partition(separator)
        found[name.strip()] = f"{number}:{value.strip()}"
    return [found[name] for name in sorted(found)]


def rows_of(value, path=()):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from rows_of(inner, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from rows_of(inner, (*path, str(place)))
    else:
        yield ".".join(path), value


@example('{"a": {"b": [1, 2]}, "c": "x"}')
def flattened(text):
    return [f"{path}={value}" for path, value in rows_of(json.loads(text))]


@example("Ada Long", ["admin", "user"], True)
def assembled(name, roles, active):
    first, *_, last = name.split()
    user = {"initials": "".join(p[0] for p in (first, last))}
    user |= {"roles": [r.upper() for r in roles]} if active else {"roles": []}
    user["login"] = f"{first[0]}{last}".lower()
    return user


def make_rule(name, low, high):
    def rule(value):
        return name if low <= value < high else None

    return rule


RULES = [make_rule("low", 0, 10), make_rule("mid", 10, 100), make_rule("high", 100, 1000)]


@example(42.0, "none")
def first_rule(value, default):
    return next((found for rule in RULES if (found := rule(value))), default)


@example("the cat and the hat and the bat", 2)
def top_words(text, count):
    return [{"word": w, "times": n} for w, n in Counter(text.split()).most_common(count)]


@example(date(2024, 2, 28), 5, ["2024-03-01"])
def working_day(start, days, holidays):
    closed = {date.fromisoformat(h) for h in holidays}
    day = start
    while days > 0:
        day += timedelta(days=1)
        if day.weekday() < 5 and day not in closed:
            days -= 1
    return day.isoformat()


@example("12.5", "n/a", "7")
def best_number(one, two, three):
    found = []
    for text in (one, two, three):
        try:
            found.append(Decimal(text))
        except (InvalidOperation, TypeError):
            pass
    return float(max(found, default=Decimal(0)))


@example(PERSON, ORDER)
def joined_rows(p, order):
    mine = {"mail": p.mail.lower(), "city": p.address.city}
    theirs = {"order": order.id, "city": order.customer}
    merged = {**theirs, **mine}
    merged.pop("mail")
    return merged


@example([[3, 1], [2], []], 10)
def flattened_scores(rows, cap):
    return [min(score, cap) for score in chain.from_iterable(map(sorted, rows))]


class Scorer:
    weights = {"mail": 0.5, "phone": 0.3}

    def __init__(self, base):
        self.base = base
        self.seen = []

    def score(self, name, value):
        if value:
            self.seen.append(name)
            self.base += self.weights.get(name, 0.1)
        return self

    @property
    def result(self):
        return round(self.base, 2)


@example(PERSON, 0.1)
def completeness(p, base):
    scorer = Scorer(base).score("mail", p.mail).score("phone", p.phone)
    return {"score": scorer.result, "seen": ",".join(scorer.seen)}
