"""Functions over values and rows as jobs have them: parsing, cleaning, scoring, building."""

import base64
import calendar
import difflib
import functools
import hashlib
import hmac
import ipaddress
import itertools
import json
import math
import operator
import re
import string
import textwrap
import unicodedata
import uuid
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import Enum
from typing import NamedTuple
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode, urlparse, urlsplit, urlunsplit

from functions.examples import example
from pyspark.sql import Row

PERSON = Row(
    id=7,
    first="Grace",
    last="Hopper",
    mail="Grace.Hopper@Navy.example",
    phone="+41 79 555 12 34",
    born=date(1986, 12, 9),
    address=Row(street="Main St 5", city="Bern", zip="3011", country="CH"),
    tags=["vip", "eu"],
)
ORDER = Row(
    id="A-100",
    customer=Row(id=9, mail="ada@example.org", tier="gold"),
    lines=[
        Row(sku="tea-1", qty=2, price=4.5, tax="low"),
        Row(sku="pot-7", qty=1, price=60.0, tax="std"),
    ],
    coupon="SAVE10",
    placed="2024-03-05T10:15:00",
)
EVENT = json.dumps(
    {
        "type": "click",
        "user": {"id": 5, "mail": "eve@example.org"},
        "page": {"url": "https://x.org/a?b=1"},
        "ts": 1700000000,
    }
)
PHONE = re.compile(r"^\+(?P<country>\d{1,3})[ -]?(?P<area>\d{2,3})[ -]?(?P<rest>[\d -]+)$")
LOG = re.compile(r'(?P<ip>\S+) - (?P<user>\S+) \[(?P<time>[^\]]+)\] "(?P<verb>\w+) (?P<path>\S+)"')
RATES = {"low": Decimal("0.026"), "std": Decimal("0.081")}
SALT = b"pepper"
WEIGHTS = {"gold": 3, "silver": 2}

Point = namedtuple("Point", "x y label")


class Contact(NamedTuple):
    mail: str
    phone: str = ""


@dataclass
class Profile:
    name: str
    domain: str
    tags: list = field(default_factory=list)
    age: int = 0

    def summary(self):
        return f"{self.name} <{self.domain}>"


class Level(Enum):
    LOW = 1
    HIGH = 2

    @classmethod
    def of(cls, amount):
        return cls.HIGH if amount > 50 else cls.LOW


def _clean(text, *, lower=True):
    text = unicodedata.normalize("NFKC", text or "").strip()
    return text.lower() if lower else text


def _first(items, default=None):
    return next(iter(items), default)


def compose(*functions):
    def composed(value):
        for each in functions:
            value = each(value)
        return value

    return composed


slugged = compose(_clean, lambda t: re.sub(r"[^a-z0-9]+", "-", t), lambda t: t.strip("-"))


@example(PERSON)
def full_name(p):
    return " ".join(filter(None, (p.first, p.last.upper())))


@example(PERSON)
def contact_card(p):
    match p:
        case Row(first=first, mail=mail) if mail:
            return {"who": first, "domain": mail.rsplit("@", 1)[-1]}
        case _:
            return {"who": None, "domain": None}


@example({"kind": "card", "number": "4111111111111111", "holder": "Ada", "iban": ""})
def masked_payment(payment):
    match payment:
        case {"kind": "card", "number": str(number), "holder": holder}:
            return {"label": f"**** {number[-4:]}", "owner": holder}
        case {"kind": "sepa", "iban": iban, **rest}:
            return {"label": iban[:4], "owner": rest.get("holder")}
        case _:
            return {"label": "unknown", "owner": None}


@example(["add", "7", "5"])
def command(parts):
    match parts:
        case ["add" | "plus", left, right]:
            return int(left) + int(right)
        case [verb, *rest]:
            return len(rest)
        case []:
            return -1


@example("+41 79 555 12 34", "CH")
def phone_parts(text, default):
    if (found := PHONE.match(text)) is None:
        return {"country": default, "area": "", "rest": ""}
    groups = found.groupdict()
    return {
        "country": groups["country"],
        "area": groups["area"],
        "rest": re.sub(r"\D", "", groups["rest"]),
    }


@example('10.0.0.1 - ada [05/Mar/2024] "GET /home"')
def log_fields(line):
    m = LOG.search(line)
    if not m:
        return None
    return m["user"], m["path"], m.group("ip").rpartition(".")[0] + ".0"


@example(EVENT)
def event_user(text):
    event = json.loads(text)
    user = event.get("user") or {}
    return {
        "id": user.get("id"),
        "mail": hashlib.sha256(user.get("mail", "").encode()).hexdigest(),
        "kind": event["type"],
    }


@example(EVENT, "page.url")
def json_path(text, path):
    current = json.loads(text)
    for step in path.split("."):
        if not isinstance(current, dict):
            return None
        current = current.get(step)
    return str(current)


@example(ORDER)
def order_total(order):
    total = sum(
        (Decimal(str(line.price)) * line.qty * (1 + RATES.get(line.tax, 0)) for line in order.lines),
        Decimal(0),
    )
    return float(total.quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN))


@example(ORDER)
def order_summary(order):
    dearest = max(order.lines, key=lambda line: line.price)
    return {
        "order": order.id,
        "best": dearest.sku,
        "count": len(order.lines),
        "customer": {"ref": order.customer.id, "vip": order.customer.tier == "gold"},
        "when": datetime.fromisoformat(order.placed).date().isoformat(),
    }


@example(ORDER)
def lines_by_tax(order):
    grouped = defaultdict(list)
    for line in order.lines:
        grouped[line.tax].append(line.sku)
    return dict(grouped)


@example(ORDER)
def quantities(order):
    counted = Counter()
    for sku, qty, *_ in order.lines:
        counted[sku] += qty
    return counted.most_common(1)[0][0]


@example(PERSON, 3)
def person_key(p, buckets):
    digest = hmac.new(SALT, f"{p.mail}|{p.born:%Y}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:4], "big") % buckets


@example(PERSON)
def profile(p):
    made = Profile(_clean(p.first), p.mail.split("@")[1], [t.upper() for t in p.tags])
    made.age = 2024 - p.born.year
    return asdict(made)


@example(PERSON)
def profile_line(p):
    return Profile(name=p.last, domain=p.address.city).summary()


@example(PERSON)
def nested_copy(p):
    address = p.address.asDict()
    address["city"] = address["city"].upper()
    address.pop("street")
    return {"home": address, "key": p["id"]}


@example(PERSON)
def contact_tuple(p):
    contact = Contact(mail=p.mail.lower())
    return contact._replace(phone=p.phone.replace(" ", ""))


@example(3.0, 4.0, "home")
def point(x, y, label):
    p = Point(x, y, label)
    return {
        "r": math.hypot(p.x, p.y),
        "label": p.label,
        "angle": round(math.degrees(math.atan2(p.y, p.x)), 1),
    }


@example("Zürich HB / Gleis 7")
def slug(text):
    return slugged(text)


@example("https://user@shop.example:8080/p/17?utm=x&ref=ada#top")
def url_parts(url):
    parts = urlsplit(url)
    query = {k: v for k, v in parse_qsl(parts.query) if not k.startswith("utm")}
    return {"host": parts.hostname, "path": parts.path, "ref": query.get("ref"), "port": parts.port}


@example("https://shop.example/p?mail=ada%40example.org&x=1")
def url_without_mail(url):
    parts = urlparse(url)
    kept = [(k, v) for k, v in parse_qsl(parts.query) if k != "mail"]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(kept), ""))


@example("2024-03-05", 14)
def due(text, days):
    start = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=timezone.utc)
    end = start + timedelta(days=days)
    while end.weekday() >= 5:
        end += timedelta(days=1)
    return end.strftime("%d.%m.%Y")


@example(date(2023, 1, 31))
def month_end(day):
    _, last = calendar.monthrange(day.year, day.month)
    return day.replace(day=last)


@example("12,345.67 EUR")
def money(text):
    amount, _, currency = text.partition(" ")
    try:
        value = Decimal(amount.replace(",", ""))
    except InvalidOperation:
        return None, "XXX"
    return float(value), currency or "EUR"


@example([3, 1, 2], "desc")
def ordered(values, direction):
    return sorted(values, reverse=direction == "desc")[:2]


@example(["a", "b", "a"], ["x", "y", "z"])
def zipped(keys, values):
    out = {}
    for k, v in zip(keys, values):
        out.setdefault(k, []).append(v)
    return out


@example([[1, 2], [3, 4]], 2)
def matrix(rows, factor):
    return [[cell * factor for cell in row if cell > 1] for row in rows]


@example(["Ann Lee", "Bob Ray"], "ann")
def found_names(names, needle):
    return [parts[-1] for name in names if (parts := name.split()) and parts[0].lower() == needle]


@example({"a": 1, "b": 2}, {"b": 5, "c": 9})
def merged(left, right):
    return {**left, **{k: v for k, v in right.items() if k not in left}}


@example("ada@example.org", "secret")
def token(mail, note):
    raw = base64.urlsafe_b64encode(hashlib.blake2b(mail.encode(), digest_size=8).digest())
    return {"t": raw.decode().rstrip("="), "n": note[:3]}


@example("ada@example.org")
def stable_id(mail):
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, mail.strip().lower()))


@example("hello world foo", 2)
def initials(text, most):
    return "".join(word[0] for word in itertools.islice(text.split(), most)).upper()


@example("some long text that is cut", 12)
def shortened(text, width):
    return textwrap.shorten(text, width, placeholder="…")


@example("kitten", "sitting")
def similarity(one, other):
    return round(difflib.SequenceMatcher(None, one, other).ratio(), 3)


@example("10.1.2.3")
def network(ip):
    try:
        return str(ipaddress.ip_network(f"{ip}/24", strict=False))
    except ValueError:
        return None


@example([5, 8, 2, 9], 2)
def moving(values, window):
    recent, out = deque(maxlen=window), []
    for v in values:
        recent.append(v)
        out.append(sum(recent) / len(recent))
    return out


def with_default(default):
    def decorate(function):
        @functools.wraps(function)
        def inner(value, other):
            if value is None:
                return default
            return function(value, other)

        return inner

    return decorate


@example("abc", "x")
@with_default("none")
def joined(value, other):
    return value + other


def counter_from(start):
    count = start

    def bump(by):
        nonlocal count
        count += by
        return count

    return bump


@example(3, 4)
def bumped(a, b):
    bump = counter_from(a)
    bump(1)
    return bump(b)


@example(PERSON)
def dispatch_table(p):
    actions = {"CH": lambda: p.address.zip, "DE": lambda: p.address.city}
    return actions.get(p.address.country, lambda: "n/a")()


@example(PERSON, "last")
def dynamic(p, name):
    return getattr(p, name, None) or p["first"]


@example(ORDER)
def reduced(order):
    return functools.reduce(lambda best, line: line if line.qty > best.qty else best, order.lines).sku


@example(PERSON)
def partially(p):
    pick = functools.partial(_clean, lower=False)
    return pick(p.first), _clean(p.last)


@example(["b", "a", "c"], [2, 1, 3])
def argsorted(names, scores):
    order = sorted(range(len(scores)), key=scores.__getitem__)
    return [names[i] for i in order]


@example("key1=v1;key2=v2;secret=s3")
def settings(text):
    pairs = dict(p.split("=", 1) for p in text.split(";") if "=" in p)
    secret = pairs.pop("secret", None)
    return {"a": pairs.get("key1"), "has": secret is not None}


@example([{"k": "a", "v": 1}, {"k": "b", "v": 2}])
def pivoted(items):
    return {item["k"]: item["v"] for item in items}


@example(PERSON)
def early(p):
    if not p.mail or "@" not in p.mail:
        return None
    local, domain = p.mail.split("@")
    if domain.endswith(".example"):
        return f"{local[0]}***@{domain}"
    return "***"


@example("4111 1111 1111 1111")
def luhn(number):
    digits = [int(c) for c in number if c.isdigit()]
    odd, even = digits[-1::-2], digits[-2::-2]
    total = sum(odd) + sum(sum(divmod(2 * d, 10)) for d in even)
    return total % 10 == 0


@example(62.5, "kg", 1.7)
def bmi(weight, unit, height):
    kilos = weight * 0.4536 if unit == "lb" else weight
    value = kilos / height**2
    for limit, label in ((18.5, "low"), (25, "ok"), (30, "high")):
        if value < limit:
            return {"bmi": round(value, 1), "label": label}
    return {"bmi": round(value, 1), "label": "very high"}


@example(PERSON)
def chosen_contact(p):
    return p.mail if "vip" in p.tags else p.phone if p.phone else p.address.street


@example(ORDER)
def flat_lines(order):
    for n, line in enumerate(order.lines, 1):
        yield {"order": order.id, "n": n, "sku": line.sku, "net": line.qty * line.price}


def _walk(node, prefix=""):
    if isinstance(node, dict):
        for k, v in node.items():
            yield from _walk(v, f"{prefix}.{k}" if prefix else k)
    else:
        yield prefix, node


@example({"a": {"b": 1, "c": "x"}, "d": 2})
def flattened(node):
    return {name: str(value) for name, value in _walk(node)}


@example("a,b;c", [",", ";"])
def multi_split(text, separators):
    parts = [text]
    for s in separators:
        parts = [piece for part in parts for piece in part.split(s)]
    return parts


@example("hello {name}, from {city}", "Ada", "Bern")
def templated(template, name, city):
    return template.format(name=name, city=city)


@example("Dear $who", "Ada", "x")
def string_template(text, who, unused):
    return string.Template(text).safe_substitute(who=who, other=unused[:0])


@example(5, 60.0)
def level(count, amount):
    reached = Level.of(amount * count)
    return reached.name, reached.value


@example([1, 5, 2], [3, 4, 9])
def dot(left, right):
    return sum(map(operator.mul, left, right))


@example("ada", ["bob", "ada"], {"ada": "A1", "bob": "B1"})
def looked_up(name, allowed, codes):
    try:
        return codes[name] if name in set(allowed) else "denied"
    except KeyError as problem:
        return f"missing {problem.args[0]}"
    finally:
        del codes


@example(PERSON)
def swapped_parts(p):
    a, b = p.first, p.last
    a, b = b, a
    result = {"a": a}
    result |= {"b": b}
    return result


@example("x", "y", 1)
def nested_closures(a, b, n):
    def outer(k):
        prefix = a * k

        def inner(t):
            nonlocal prefix
            prefix += t
            return prefix

        return inner

    f = outer(n)
    f(b)
    return {"w": f("!"), "n": n}


@example({"user": {"name": "Ada", "ids": [{"kind": "x", "v": "1"}, {"kind": "ssn", "v": "900"}]}})
def identity(doc):
    user = doc.get("user", {})
    ssn = next((i["v"] for i in user.get("ids", []) if i["kind"] == "ssn"), None)
    return {"name": user.get("name"), "ssn": ssn and f"***{ssn[-2:]}"}


@example("3 1 2", " ")
def stack_machine(text, separator):
    stack = []
    for part in text.split(separator):
        if part == "+" and len(stack) > 1:
            stack.append(stack.pop() + stack.pop())
        else:
            stack.append(int(part))
    return stack.pop() if stack else None


@example(OrderedDict(a="1", b="2"), "b")
def moved(items, key):
    copy = OrderedDict(items)
    copy.move_to_end(key, last=False)
    return list(copy.items())[0][1]


@example("q=ada&q=bob&z=1")
def query_values(text):
    values = parse_qs(text)
    return [unquote(v) for v in values.get("q", [])], quote(values["z"][0])
