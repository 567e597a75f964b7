"""Rows and values of log lines, policies, genomes, meters, games, mail, maps, people and shops."""

import bisect
import heapq
import itertools
import json
import math
import operator
import re
import statistics
import string
import textwrap
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum, IntFlag
from fractions import Fraction
from functools import cmp_to_key, lru_cache, partial, reduce, wraps
from types import SimpleNamespace
from typing import NamedTuple

from functions.examples import example
from pyspark.sql import Row

LINE = '10.0.0.7 - ann [02/Mar/2024:10:15:32 +0000] "GET /shop/tea?ref=mail HTTP/1.1" 200 5120'
ENTRY = {"ip": "10.0.0.7", "user": "ann", "path": "/shop/tea", "status": "200", "size": "5120"}
POLICY = Row(
    number="P-881",
    holder=Row(name="Ida Moss", born="1980-04-09", zip="8004"),
    covers=[Row(kind="fire", sum=5000, rate=0.01), Row(kind="theft", sum=2000, rate=0.03)],
    status="active",
    premium=110.0,
)
READ = {"id": "r1", "seq": "ACGTTGCA", "qual": "IIFF#III", "pos": 17, "cigar": "3M1I4M"}
METER = [
    {"at": "2024-01-01T00:00", "kwh": 1.5, "tariff": "low"},
    {"at": "2024-01-01T12:00", "kwh": 4.0, "tariff": "high"},
    {"at": "2024-01-02T00:00", "kwh": 2.25, "tariff": "low"},
]
PLAYER = Row(name="zed", level=7, hp=40, inventory={"sword": 1, "potion": 3}, position=Row(x=3, y=4))
MAIL = {
    "from": "Ann Lee <ann@corp.example>",
    "to": ["bob@corp.example", "cat@other.example"],
    "subject": "Re: Fwd: budget",
    "body": "Hello Bob,\nnumbers attached.\n-- \nAnn",
    "headers": {"X-Spam": "no", "Date": "2024-03-01"},
}
PLACE = {"lat": 47.37, "lon": 8.54, "alt": 408.0, "name": "Zurich"}
STAFF = [
    {"name": "Ann", "dept": "ops", "salary": 5200, "boss": "Cat"},
    {"name": "Bob", "dept": "ops", "salary": 4100, "boss": "Ann"},
    {"name": "Cat", "dept": "mgmt", "salary": 9900, "boss": ""},
]
ORDER = Row(
    id=71,
    customer=Row(name="Dov", tier="gold", country="CH"),
    lines=[Row(sku="A1", qty=2, price=3.5), Row(sku="B2", qty=1, price=20.0)],
    coupon="TEN",
)

ACCESS = re.compile(
    r'(?P<ip>\S+) - (?P<user>\S+) \[(?P<at>[^\]]+)\] "(?P<verb>\w+) (?P<url>\S+)[^"]*" (?P<status>\d+) (?P<size>\d+)'
)
SEVERITIES = {"2": "ok", "3": "moved", "4": "client", "5": "server"}
BRACKETS = [0, 1000, 5000, 10000]
RATES = [0.0, 0.1, 0.2, 0.35]


@example(LINE)
def access_fields(line):
    found = ACCESS.match(line)
    if not found:
        return None
    parts = found.groupdict()
    return {"ip": parts["ip"], "status": int(parts["status"]), "path": parts["url"].split("?", 1)[0]}


@example(ENTRY)
def severity(entry):
    return SEVERITIES.get(entry["status"][:1], "other")


@example(ENTRY)
def size_bucket(entry):
    size = int(entry["size"])
    return BRACKETS[bisect.bisect_right(BRACKETS, size) - 1]


@example(ENTRY)
def pop_and_update(entry):
    user = entry.pop("user")
    entry.update(user_id=user.upper(), size=int(entry["size"]))
    del entry["path"]
    return entry


@example(ENTRY)
def popitem_last(entry):
    k, v = entry.popitem()
    return {"k": k, "v": v, "rest": len(entry)}


@example(ENTRY)
def setdefault_chain(entry):
    tags = {}
    for key, value in entry.items():
        tags.setdefault(len(key), []).append(value)
    return tags.get(4)


@example(ENTRY)
def kv_text(entry):
    return " ".join(f"{k}={v!r}" for k, v in sorted(entry.items()) if k not in {"size", "ip"})


@example(ENTRY)
def masked_ip(entry):
    head, _, _ = entry["ip"].rpartition(".")
    return {**entry, "ip": head + ".0"}


@example([LINE, "garbage", LINE.replace("200", "500")])
def error_lines(lines):
    out = []
    for number, line in enumerate(lines, 1):
        try:
            status = int(line.rsplit(None, 2)[-2])
        except (ValueError, IndexError):
            continue
        else:
            if status >= 400:
                out.append((number, line.split(" ", 1)[0]))
    return out


@example([ENTRY, {**ENTRY, "user": "bob", "size": "7"}])
def bytes_by_user(entries):
    total = defaultdict(int)
    for e in entries:
        total[e["user"]] += int(e["size"])
    return dict(total)


@example([ENTRY, {**ENTRY, "user": "bob", "size": "7"}])
def top_user(entries):
    return Counter(e["user"] for e in entries).most_common(1)[0][0]


@example(POLICY)
def policy_sum(policy):
    return sum(c.sum for c in policy.covers if c.rate > 0.02)


@example(POLICY)
def policy_flat(policy):
    return [{"number": policy.number, "kind": c["kind"], "premium": c.sum * c.rate} for c in policy.covers]


@example(POLICY)
def policy_age(policy):
    born = datetime.strptime(policy.holder.born, "%Y-%m-%d").date()
    return (date(2024, 1, 1) - born).days // 365


@example(POLICY)
def policy_star(policy):
    number, *_, premium = policy
    return f"{number}:{premium:.1f}"


@example(POLICY)
def policy_dict_changed(policy):
    d = policy.asDict(True)
    d["holder"]["zip"] = "XXXX"
    d["covers"][0].pop("rate")
    return d["holder"]


@example(POLICY)
def policy_row_update(policy):
    d = policy.asDict()
    d.update(status=d.pop("status").upper())
    return Row(**{k: d[k] for k in ("number", "status")})


@example(POLICY)
def policy_sort(policy):
    return [c.kind for c in sorted(policy.covers, key=lambda c: (-c.sum, c.kind))]


@example(POLICY)
def policy_best(policy):
    return max(policy.covers, key=operator.attrgetter("rate")).kind


@example(POLICY)
def policy_heap(policy):
    heap = [(c.sum, c.kind) for c in policy.covers]
    heapq.heapify(heap)
    heapq.heappush(heap, (1, policy.status))
    return heapq.heappop(heap)[1]


@example(POLICY)
def policy_match(policy):
    match policy.status, policy.premium:
        case "active", p if p > 100:
            return policy.holder.name
        case ("lapsed" | "closed") as s, _:
            return s
        case _:
            return None


@example(READ)
def gc_content(read):
    seq = read["seq"]
    return (seq.count("G") + seq.count("C")) / max(len(seq), 1)


@example(READ)
def reverse_complement(read):
    return read["seq"].translate(str.maketrans("ACGT", "TGCA"))[::-1]


@example(READ)
def low_quality(read):
    return "".join(b if ord(q) > 50 else "N" for b, q in zip(read["seq"], read["qual"]))


@example(READ)
def cigar_end(read):
    length = 0
    for n, op in re.findall(r"(\d+)([MIDN])", read["cigar"]):
        length += int(n) if op in "MDN" else 0
    return {"start": read["pos"], "end": read["pos"] + length}


@example(READ)
def kmers(read):
    seq = read["seq"]
    return Counter(seq[i : i + 2] for i in range(len(seq) - 1)).most_common(2)


@example(READ)
def codon_iter(read):
    it = iter(read["seq"])
    return ["".join(t) for t in zip(it, it, it)]


@example(READ)
def run_lengths(read):
    return [(k, len(list(g))) for k, g in itertools.groupby(read["seq"])]


@example(READ)
def fasta(read):
    return f">{read['id']}\n" + "\n".join(textwrap.wrap(read["seq"], 3))


@example("ACGT", "AGT")
def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


@example(METER)
def kwh_by_tariff(rows):
    sums = {}
    for r in rows:
        sums[r["tariff"]] = sums.get(r["tariff"], 0) + r["kwh"]
    return sums


@example(METER)
def deltas(rows):
    values = [r["kwh"] for r in rows]
    return [b - a for a, b in itertools.pairwise(values)]


@example(METER)
def cumulative(rows):
    return list(itertools.accumulate(r["kwh"] for r in rows))


@example(METER)
def peak(rows):
    best = None
    for r in rows:
        if best is None or r["kwh"] > best["kwh"]:
            best = r
    return best and best["at"]


@example(METER)
def in_place_scaling(rows):
    for r in rows:
        r["kwh"] *= 2
    return rows[0]


@example(METER)
def alias_trap(rows):
    first = rows[0]
    rows[0] = {"kwh": 0}
    first["kwh"] += rows[1]["kwh"]
    return first["kwh"]


@example(METER)
def swap_ends(rows):
    rows[0], rows[-1] = rows[-1], rows[0]
    return rows[0]["at"]


@example(METER)
def sliced_assignment(rows):
    values = [r["kwh"] for r in rows]
    tariffs = [r["tariff"] for r in rows]
    values[1:2] = tariffs
    return values


@example(METER)
def deleted_slice(rows):
    ats = [r["at"] for r in rows]
    del ats[::2]
    return ats


@example(METER)
def moving_average(rows):
    window = deque(maxlen=2)
    out = []
    for r in rows:
        window.append(r["kwh"])
        out.append(sum(window) / len(window))
    return out


@example(METER)
def teed(rows):
    a, b = itertools.tee(r["kwh"] for r in rows)
    next(b, None)
    return [y - x for x, y in zip(a, b)]


@example(METER)
def starmapped(rows):
    return list(itertools.starmap(lambda k, t: f"{t}:{k}", ((r["kwh"], r["tariff"]) for r in rows)))


@example(METER)
def median_high(rows):
    return statistics.median(r["kwh"] for r in rows if r["tariff"] == "low")


@example(METER)
def largest_two(rows):
    return [r["at"] for r in heapq.nlargest(2, rows, key=lambda r: r["kwh"])]


@example(METER)
def merged_heaps(rows):
    low = sorted(r["kwh"] for r in rows if r["tariff"] == "low")
    high = sorted(r["kwh"] for r in rows if r["tariff"] != "low")
    return list(heapq.merge(low, high))


@example(METER)
def hours(rows):
    return [datetime.fromisoformat(r["at"]).hour for r in rows]


@example(METER)
def stopped_by_exception(rows):
    it = iter(rows)
    seen = []
    while True:
        try:
            seen.append(next(it)["tariff"])
        except StopIteration:
            return seen


@example(PLAYER)
def distance(player):
    return math.hypot(player.position.x, player.position.y)


@example(PLAYER)
def items(player):
    return sorted(player.inventory, key=player.inventory.get, reverse=True)


@example(PLAYER)
def total_items(player):
    return sum(player.inventory.values())


@example(PLAYER)
def potion(player):
    return player.inventory.get("potion", 0) * 10 + player.hp


class Perk(IntFlag):
    NONE = 0
    FAST = 1
    STRONG = 2
    MAGIC = 4


@example(PLAYER)
def perks(player):
    flags = Perk.NONE
    if player.level > 5:
        flags |= Perk.FAST
    if player.hp > 30:
        flags |= Perk.STRONG
    return int(flags)


@example(PLAYER)
def clamp_hp(player):
    lo, hi = 0, player.level * 5
    return min(max(player.hp, lo), hi)


@example(PLAYER)
def chained(player):
    return 0 < player.level < player.hp <= 100


@example(PLAYER)
def rank(player):
    return "novice" if player.level < 3 else "hero" if player.level < 10 else player.name


@example(PLAYER)
def moved(player):
    dx, dy = {"z": (1, 0), "a": (0, 1)}.get(player.name[0], (0, 0))
    return Row(x=player.position.x + dx, y=player.position.y + dy)


@example(PLAYER)
def getattr_by_loop(player):
    return [getattr(player, n) for n in ("name", "level")]


@example(PLAYER)
def zipped_fields(player):
    return dict(zip(("n", "l"), player))


@example(MAIL)
def sender(mail):
    if m := re.search(r"<([^>]+)>", mail["from"]):
        return m.group(1).lower()
    return mail["from"]


@example(MAIL)
def plain_subject(mail):
    s = mail["subject"]
    while (t := re.sub(r"^(re|fwd?):\s*", "", s, flags=re.I)) != s:
        s = t
    return s


@example(MAIL)
def domains(mail):
    return sorted({addr.partition("@")[2] for addr in mail["to"]})


@example(MAIL)
def without_signature(mail):
    lines = []
    for line in mail["body"].splitlines():
        if line.strip() == "--":
            break
        lines.append(line)
    return "\n".join(lines)


@example(MAIL)
def is_spam(mail):
    headers = {k.lower(): v for k, v in mail["headers"].items()}
    return headers.get("x-spam", "no") == "yes" or "win" in mail["subject"].lower()


@example(MAIL)
def chain_map(mail):
    defaults = {"Date": "1970-01-01", "Reply-To": mail["from"]}
    merged = ChainMap(mail["headers"], defaults)
    return merged["Date"] + merged["Reply-To"]


@example(MAIL)
def redacted(mail):
    return re.sub(r"[\w.]+@", lambda m: m.group(0)[0] + "***@", ",".join(mail["to"]))


@example(MAIL)
def templated(mail):
    return string.Template("To $to: ${subject}").safe_substitute(to=mail["to"][0], subject=mail["subject"])


@example(MAIL)
def formatted_map(mail):
    return "{from} -> {subject:.5}".format_map(mail)


@example(MAIL)
def percent_map(mail):
    return "%(subject)s (%(from)s)" % mail


@example(MAIL)
def formatted_nested(mail):
    return "{0[headers][Date]} {0[to][1]}".format(mail)


@example(MAIL)
def walked(mail):
    def leaves(node):
        if isinstance(node, dict):
            for value in node.values():
                yield from leaves(value)
        elif isinstance(node, list):
            for value in node:
                yield from leaves(value)
        else:
            yield node

    return list(leaves({"a": mail["to"], "b": mail["headers"]}))


@example(PLACE)
def radians(place):
    return math.radians(place["lat"]), math.radians(place["lon"])


@example(PLACE, PLACE)
def haversine(a, b):
    p, q = math.radians(a["lat"]), math.radians(b["lat"])
    h = (
        math.sin((q - p) / 2) ** 2
        + math.cos(p) * math.cos(q) * math.sin(math.radians(b["lon"] - a["lon"]) / 2) ** 2
    )
    return round(2 * 6371 * math.asin(math.sqrt(min(1.0, h))), 3)


@example(PLACE)
def geohash(place):
    lat, lon = [-90.0, 90.0], [-180.0, 180.0]
    bits = []
    for i in range(10):
        box, v = (lon, place["lon"]) if i % 2 == 0 else (lat, place["lat"])
        mid = sum(box) / 2
        bits.append("1" if v >= mid else "0")
        box[0 if v >= mid else 1] = mid
    return "".join(bits)


@example(PLACE)
def dms(place):
    d, rest = divmod(abs(place["lat"]) * 3600, 3600)
    m, s = divmod(rest, 60)
    return f"{int(d)}°{int(m)}'{s:.0f}\"{'N' if place['lat'] >= 0 else 'S'}"


@example(PLACE)
def tile(place):
    n = 2**5
    return int((place["lon"] + 180) / 360 * n), place["name"]


@example(STAFF)
def chain_of_command(staff):
    bosses = {s["name"]: s["boss"] for s in staff}
    out, who = [], "Bob"
    while who and who not in out:
        out.append(who)
        who = bosses.get(who, "")
    return out


@example(STAFF)
def payroll(staff):
    return sum(map(operator.itemgetter("salary"), filter(lambda s: s["dept"] == "ops", staff)))


@example(STAFF)
def by_dept(staff):
    out = {}
    for dept, group in itertools.groupby(sorted(staff, key=lambda s: s["dept"]), key=lambda s: s["dept"]):
        out[dept] = [g["name"] for g in group]
    return out


@example(STAFF)
def raises(staff):
    return [{**s, "salary": round(s["salary"] * 1.02)} for s in staff if s["boss"]]


@example(STAFF)
def reports(staff):
    index = defaultdict(list)
    for s in staff:
        index[s["boss"]].append(s["name"])
    return index["Ann"]


@example(STAFF)
def income_tax(staff):
    income = staff[0]["salary"]
    tax = 0.0
    for low, high, rate in zip(BRACKETS, BRACKETS[1:] + [math.inf], RATES):
        if income <= low:
            break
        tax += (min(income, high) - low) * rate
    return tax


@example(STAFF)
def compared(staff):
    def compare(a, b):
        return (a["salary"] > b["salary"]) - (a["salary"] < b["salary"])

    return [s["name"] for s in sorted(staff, key=cmp_to_key(compare))]


@example(STAFF)
def columns(staff):
    names, depts = zip(*[(s["name"], s["dept"]) for s in staff])
    return {"names": names, "depts": set(depts) == {"ops"}}


@example(STAFF)
def inverted(staff):
    table = {k: [s[k] for s in staff] for k in staff[0]}
    return table["name"]


@example(STAFF)
def reduced(staff):
    return reduce(lambda acc, s: acc | {s["name"]: s["dept"]}, staff, {})


@example(STAFF)
def any_over(staff):
    return any(s["salary"] > 9000 for s in staff) and not all(s["boss"] for s in staff)


@example(STAFF)
def first_match(staff):
    return next((s["name"] for s in staff if s["salary"] < 5000), None)


@example(STAFF)
def for_else(staff):
    for s in staff:
        if s["dept"] == "law":
            found = s["name"]
            break
    else:
        found = staff[-1]["boss"] or "none"
    return found


@example(ORDER)
def total(order):
    amount = sum((Decimal(str(line.price)) * line.qty for line in order.lines), Decimal(0))
    return str(amount.quantize(Decimal("0.01"), ROUND_HALF_UP))


@example(ORDER)
def discounted(order):
    rate = {"TEN": 10, "HALF": 50}.get(order.coupon, 0)
    return [line.price * (100 - rate) / 100 for line in order.lines]


@example(ORDER)
def fraction(order):
    return str(Fraction(order.lines[0].qty, order.lines[1].qty or 1))


@example(ORDER)
def to_json(order):
    return json.dumps({"id": order.id, "c": order.customer.asDict()}, sort_keys=True)


@example(ORDER)
def shipping(order):
    match order.customer.asDict():
        case {"country": "CH", **rest}:
            return rest["tier"]
        case {"country": country}:
            return country


@dataclass
class Line:
    sku: str
    qty: int = 1
    price: float = 0.0
    tags: list = field(default_factory=list)

    def __post_init__(self):
        self.sku = self.sku.strip().upper()

    @property
    def amount(self):
        return self.qty * self.price


@example(ORDER)
def as_lines(order):
    return [asdict(Line(line.sku, line.qty)) for line in order.lines]


@example(ORDER)
def amounts(order):
    return [Line(*line).amount for line in order.lines]


@example(ORDER)
def replaced(order):
    line = Line(order.lines[0].sku, order.lines[0].qty, order.lines[0].price)
    other = replace(line, qty=order.id)
    return other.amount, line.sku


@example(ORDER)
def shared_list(order):
    a = Line("x", tags=[order.coupon])
    b = replace(a, sku="y")
    b.tags.append(order.customer.name)
    return a.tags


class Money(NamedTuple):
    amount: float
    currency: str = "EUR"

    def __add__(self, other):
        return Money(self.amount + other.amount, self.currency)

    def __str__(self):
        return f"{self.amount} {self.currency}"


@example(ORDER)
def money(order):
    return str(Money(order.lines[0].price) + Money(order.lines[1].price, order.customer.country))


@example(ORDER)
def money_replaced(order):
    return Money(order.id)._replace(currency=order.coupon)._asdict()


@example(ORDER)
def money_summed(order):
    return sum((Money(line.price) for line in order.lines), start=Money(0.0, order.coupon)).currency


Pt = namedtuple("Pt", "x y", defaults=[0])


@example(ORDER)
def made_points(order):
    return [Pt._make((line.qty, line.price)).y for line in order.lines] + [Pt(order.id).y]


class Tier(Enum):
    GOLD = "gold"
    SILVER = "silver"

    @property
    def rate(self):
        return {"GOLD": 0.2}.get(self.name, 0.1)

    @classmethod
    def _missing_(cls, value):
        return cls.SILVER


@example(ORDER)
def tier_rate(order):
    return Tier(order.customer.tier).rate * order.lines[0].price


@example(ORDER)
def ordered_dict(order):
    d = OrderedDict((line.sku, line.price) for line in order.lines)
    d.move_to_end("A1")
    return next(iter(d.values()), None)


@example(ORDER)
def namespace(order):
    ns = SimpleNamespace(**order.customer.asDict())
    ns.name = ns.name + "!"
    return vars(ns)["name"], ns.tier


@example(ORDER)
def namespace_setattr(order):
    ns = SimpleNamespace()
    for key in ("id", "coupon"):
        setattr(ns, key, getattr(order, key))
    return ns.id


def _log(fn):
    calls = []

    @wraps(fn)
    def inner(*args, **kwargs):
        calls.append(len(args))
        return fn(*args, **kwargs)

    return inner


@example(ORDER)
@_log
def decorated(order):
    return order.customer.tier


def _default(value):
    def outer(fn):
        def inner(order):
            result = fn(order)
            return value if result is None else result

        return inner

    return outer


@example(ORDER)
@_default("n/a")
def defaulted(order):
    return order.coupon if order.id > 100 else None


@example(ORDER)
def partials(order):
    scale = partial(operator.mul, order.lines[0].qty)
    text = partial("{}-{}".format, order.coupon)
    return {"s": scale(order.id), "t": text("x")}


@lru_cache(maxsize=None)
def _fib(n):
    return n if n < 2 else _fib(n - 1) + _fib(n - 2)


@example(PLAYER)
def fibonacci(player):
    return _fib(abs(player.level) % 20)


@contextmanager
def _section(out, name):
    out.append(f"<{name}>")
    try:
        yield out
    finally:
        out.append(f"</{name}>")


@example(PLAYER)
def sections(player):
    out = []
    with _section(out, player.name) as body:
        body.append(str(player.hp))
    return "".join(out)


@example(PLAYER)
def suppressed(player):
    result = player.level
    with suppress(KeyError):
        result = player.inventory["shield"]
        result = player.hp
    return result


@example(PLAYER)
def finally_overrides(player):
    try:
        return player.hp
    finally:
        if player.level > 100:
            return player.name  # noqa: B012 - what finally returns wins


@example(PLAYER)
def finally_mutates(player):
    out = {"hp": player.hp}
    try:
        return out
    finally:
        out["hp"] += player.level


def _counter():
    count = 0

    def add(n):
        nonlocal count
        count += n
        return count

    return add


@example(ORDER)
def counted(order):
    add = _counter()
    for line in order.lines:
        add(line.qty)
    return add(0)


def _averager():
    total = n = 0
    value = None
    while True:
        x = yield value
        total += x
        n += 1
        value = total / n


@example(METER)
def averaged(rows):
    gen = _averager()
    next(gen)
    return [gen.send(r["kwh"]) for r in rows]


def _collect(item, into=[]):  # noqa: B006 - the default is shared by all calls
    into.append(item)
    return len(into)


@example(ORDER)
def fresh_default(order):
    def note(item, into=None):
        into = [] if into is None else into
        into.append(item)
        return into

    note(order.id)
    return note(order.coupon)


@example(ORDER)
def shared_default(order):
    def note(item, into=[]):  # noqa: B006 - the default is shared by all calls
        into.append(item)
        return into

    note(order.id)
    return note(order.coupon)


@example(ORDER)
def keyword_only(order):
    def line(*, sku, qty=1, **more):
        return (sku, qty, sorted(more))

    return [line(**x.asDict()) for x in order.lines]


@example(ORDER)
def star_calls(order):
    def pick(first, *rest, last="z", **named):
        return (first, rest[:1], last, named.get("coupon"))

    return pick(*[order.id, order.customer.name, order.customer.tier], coupon=order.coupon)


@example(ORDER)
def late_binding(order):
    fns = [lambda: line.sku for line in order.lines]  # noqa: B023 - all of them see the last line
    return [f() for f in fns]


@example(ORDER)
def early_binding(order):
    fns = {line.sku: (lambda q=line.qty: q * 2) for line in order.lines}
    return sorted(f() for f in fns.values())


class Basket:
    __slots__ = ("lines", "notes")

    def __init__(self, lines=()):
        self.lines = list(lines)
        self.notes = []

    def __len__(self):
        return len(self.lines)

    def __iter__(self):
        return iter(self.lines)

    def __contains__(self, sku):
        return any(line.sku == sku for line in self.lines)

    def __getitem__(self, key):
        return self.lines[key].sku

    def __iadd__(self, line):
        self.lines.append(line)
        return self

    def __bool__(self):
        return bool(self.notes)


@example(ORDER)
def basket_size(order):
    basket = Basket(order.lines)
    basket += order.lines[0]
    return len(basket)


@example(ORDER)
def basket_in(order):
    return "A1" in Basket(order.lines), Basket(order.lines)[0]


@example(ORDER)
def basket_truth(order):
    basket = Basket(order.lines)
    basket.notes.append(order.coupon) if order.id > 50 else None
    return "noted" if basket else "plain"


@example(ORDER)
def basket_unpacked(order):
    first, *_ = Basket(order.lines)
    return first.price


class Temperature:
    def __init__(self, celsius):
        self._c = celsius

    @property
    def f(self):
        return self._c * 9 / 5 + 32

    @f.setter
    def f(self, value):
        self._c = (value - 32) * 5 / 9


@example(PLAYER)
def setter_used(player):
    t = Temperature(player.level)
    t.f = player.hp
    return round(t._c, 3)


@example(METER)
def timedeltas(rows):
    times = [datetime.fromisoformat(r["at"]) for r in rows]
    return [(b - a) / timedelta(hours=1) for a, b in zip(times, times[1:])]


@example(METER)
def ranked(rows):
    order = sorted(range(len(rows)), key=lambda i: rows[i]["kwh"])
    return [rows[i]["at"] for i in order]


@example(METER)
def dictionary_order(rows):
    seen = {}
    for r in rows:
        seen.pop(r["tariff"], None)
        seen[r["tariff"]] = r["kwh"]
    return list(seen)


@example(METER)
def set_size(rows):
    return len({r["tariff"] for r in rows}) + len({r["kwh"] for r in rows} - {1.5})


@example(METER)
def insert_sorted(rows):
    out = []
    for r in rows:
        bisect.insort(out, (r["kwh"], r["tariff"]))
    return out[0][1]


@example(METER)
def counter_subtract(rows):
    c = Counter({"low": 5, "high": 5})
    c.subtract(r["tariff"] for r in rows)
    return dict(+c)


@example(METER)
def counter_arithmetic(rows):
    a = Counter(r["tariff"] for r in rows)
    b = Counter(low=1)
    b.update([rows[1]["tariff"]])
    return sorted((a - b).elements())


@example(METER)
def batches(rows):
    it = iter(rows)
    out = []
    while chunk := list(itertools.islice(it, 2)):
        out.append(max(c["at"] for c in chunk))
    return out
