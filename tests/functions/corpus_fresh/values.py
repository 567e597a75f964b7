"""Parsing, formatting, masking, scoring, hashing, dates and money over values and rows."""

import base64
import binascii
import collections
import hashlib
import hmac
import html
import json
import math
import re
import string
import struct
import textwrap
import unicodedata
import urllib.parse
import uuid
import zlib
from datetime import date, datetime, time, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from statistics import mean, median, pstdev

from functions.examples import example
from pyspark.sql import Row

USER = Row(
    id=42,
    name="  Zoë  van DYK ",
    mail="Zoe.vanDyk+news@Mail.example",
    phone="0041 (0)79 555-12-34",
    born=date(1990, 5, 17),
    card="4539148803436467",
    scores=[3.5, 8.0, 4.25],
    address=Row(street="Rue du Lac 12", city="Genève", zip="1201", country="ch"),
    prefs={"lang": "fr", "theme": "dark"},
)
LINE = "2024-03-05T10:15:00Z ERROR [db-3] user=kim.lee latency=154ms msg='disk full'"
URL = "https://kim:pw@shop.example:8443/cat/tea%20pots/7?sort=price&tag=a&tag=b&utm_source=x#top"
PAYLOAD = json.dumps(
    {
        "id": 7,
        "at": "2024-03-05",
        "items": [{"sku": "tea", "n": 2, "price": "4.50"}, {"sku": "pot", "n": 1, "price": "60.00"}],
        "who": {"mail": "eve@corp.example", "__type__": "person"},
    }
)
KEY = b"k3y"
LOG = re.compile(r"(?P<at>\S+) (?P<level>[A-Z]+) \[(?P<host>[^\]]+)\] (?P<rest>.*)")
PAIR = re.compile(r"(\w+)=('[^']*'|\S+)")
DIGITS = str.maketrans("", "", string.punctuation + string.whitespace)
LEET = str.maketrans({"a": "4", "e": "3", "o": None})
UNITS = {"b": 1, "kb": 1 << 10, "mb": 1 << 20}
ZONE = timezone(timedelta(hours=1))
ROMAN = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
]


@example(USER)
def clean_name(u):
    text = unicodedata.normalize("NFD", u.name)
    text = "".join(c for c in text if not unicodedata.combining(c))
    return " ".join(p.capitalize() for p in text.split())


@example(USER)
def canonical_mail(u):
    local, at, domain = u.mail.strip().lower().rpartition("@")
    if not at:
        return None
    local = local.split("+", 1)[0].replace(".", "")
    return f"{local}@{domain}"


@example(USER)
def e164(u):
    digits = re.sub(r"\(0\)|\D", "", u.phone)
    for prefix, plus in (("00", "+"), ("0", "+41")):
        if digits.startswith(prefix):
            return plus + digits[len(prefix) :]
    return "+" + digits


@example(USER)
def masked_card(u):
    n = u.card.translate(DIGITS)
    return n[:4] + "*" * (len(n) - 8) + n[-4:]


@example(USER)
def masked_mail(u):
    return re.sub(r"(?<=.)[^@](?=[^@]*?@)", "*", u.mail)


@example(USER)
def mask_by_callback(u):
    return re.sub(r"\d{3,}", lambda m: m.group()[0] + "x" * (len(m[0]) - 1), u.card)


@example(USER, "s4lt")
def keyed(u, salt):
    mac = hmac.new(salt.encode(), digestmod=hashlib.sha256)
    mac.update(u.mail.lower().encode())
    mac.update(b"|")
    mac.update(str(u.id).encode())
    return mac.hexdigest()[:16]


@example(USER)
def digest_loop(u):
    h = hashlib.sha1()
    for part in (u.name, u.card, u.address.zip):
        h.update(part.encode("utf-8"))
    return {"hash": h.hexdigest(), "short": base64.b32encode(h.digest()[:5]).decode()}


@example(USER)
def digest_copy(u):
    base = hashlib.md5(KEY)
    left, right = base.copy(), base.copy()
    left.update(u.name.encode())
    right.update(u.phone.encode())
    return (left.hexdigest(), right.hexdigest(), base.hexdigest())


@example(USER)
def bucket(u):
    return int(hashlib.md5(u.mail.encode()).hexdigest()[:8], 16) % 16


@example(USER)
def uuid_of(u):
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{u.id}/{u.mail}"))


@example(USER)
def age_band(u):
    today = date(2024, 3, 5)
    age = today.year - u.born.year - ((today.month, today.day) < (u.born.month, u.born.day))
    for limit, name in ((18, "minor"), (30, "young"), (65, "adult")):
        if age < limit:
            return name
    return "senior"


@example(USER)
def year_only(u):
    return u.born.replace(month=1, day=1).isoformat()


@example(USER)
def score(u):
    z = 0.3 * len(u.scores) + sum(w * s for w, s in zip((0.5, 0.2, 0.1), u.scores)) - 2
    p = 1 / (1 + math.exp(-max(-20, min(20, z))))
    return round(p, 4)


@example(USER)
def stats(u):
    s = u.scores
    return {
        "mean": mean(s),
        "median": median(s),
        "spread": max(s) - min(s),
        "dev": pstdev(s) if len(s) > 1 else None,
    }


@example(USER)
def best_place(u):
    return u.scores.index(max(u.scores))


@example(USER)
def zscores(u):
    m = sum(u.scores) / len(u.scores)
    d = math.sqrt(sum((s - m) ** 2 for s in u.scores)) or 1
    return [round((s - m) / d, 3) for s in u.scores]


@example(USER)
def address_line(u):
    a = u.address
    return "{0.street}, {0.country!s:>4}-{0.zip} {city:.3}".format(a, city=a.city.upper())


@example(USER)
def percent(u):
    return "%s has %05.1f (%-6s|%d%%)" % (u.mail, u.scores[0], u.address.zip, u.id)


@example(USER)
def percent_map(u):
    return "%(zip)s %(city)s" % {"zip": u.address.zip, "city": u.address.city, "street": u.address.street}


@example(USER, 12)
def nested_format(u, width):
    return f"{u.address.city:*^{width}}|{u.scores[1]:{width}.{2}f}|{u.id:#06x}|{u.born:%d.%m.%y}|{u.phone!r}"


@example(USER)
def debug_format(u):
    return f"{u.id=} {len(u.name)=}"


@example(USER)
def format_mapped(u):
    return "{lang}/{theme}".format_map(u.prefs)


@example(USER)
def templated(u):
    return string.Template("Dear $name from ${city}").safe_substitute(
        name=u.name.strip(), city=u.address.city
    )


@example(USER)
def wrapped(u):
    return textwrap.shorten(u.address.street + " " + u.address.city, width=14, placeholder="~")


@example(USER)
def prefs_text(u):
    return ";".join(f"{k}={v}" for k, v in sorted(u.prefs.items()) if v)


@example(USER, "theme")
def pref_given(u, key):
    return u.prefs.get(key, u.prefs["lang"])


@example(USER)
def prefs_inverted(u):
    return {v: k for k, v in u.prefs.items()}.get("dark", "none")


@example(USER)
def initials_set(u):
    return {w[0].lower() for w in u.name.split()} | set(u.address.country)


@example(USER)
def complete(u):
    required = {"name": u.name, "mail": u.mail, "zip": u.address.zip}
    missing = [k for k, v in required.items() if not v]
    return {"ok": not missing, "missing": missing, "share": 1 - len(missing) / len(required)}


@example(USER)
def validated(u):
    errors = {}
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.\w+", u.mail or ""):
        errors["mail"] = f"bad: {u.mail}"
    if not u.address.zip.isdigit():
        errors["zip"] = u.address.zip
    elif not 1000 <= int(u.address.zip) <= 9999:
        errors["zip"] = "range"
    return errors or None


@example(USER)
def soundex(u):
    codes = {
        c: d
        for d, cs in {"1": "bfpv", "2": "cgjkqsxz", "3": "dt", "4": "l", "5": "mn", "6": "r"}.items()
        for c in cs
    }
    word = u.name.strip().lower()
    out, last = word[:1].upper(), codes.get(word[:1], "")
    for c in word[1:]:
        code = codes.get(c, "")
        if code and code != last:
            out += code
        if c not in "hw":
            last = code
    return (out + "000")[:4]


@example("kitten", "sitting")
def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


@example("night", "nacht")
def jaccard(a, b):
    x, y = ({s[i : i + 2] for i in range(len(s) - 1)} for s in (a, b))
    return len(x & y) / len(x | y) if x | y else 0.0


@example("aaabccd")
def run_lengths(text):
    out = []
    for c in text:
        if out and out[-1][0] == c:
            out[-1][1] += 1
        else:
            out.append([c, 1])
    return "".join(f"{n}{c}" if n > 1 else c for c, n in out)


@example("3a2bc")
def run_expanded(text):
    return "".join(c * int(n or 1) for n, c in re.findall(r"(\d*)(\D)", text))


@example(1994)
def roman(n):
    out = ""
    for value, mark in ROMAN:
        count, n = divmod(n, value)
        out += mark * count
    return out


@example("MCMXCIV")
def from_roman(text):
    values = dict((m, v) for v, m in ROMAN if len(m) == 1)
    numbers = [values[c] for c in text]
    return sum(-a if a < b else a for a, b in zip(numbers, numbers[1:] + [0]))


@example("attack at dawn", 3)
def caesar(text, shift):
    def turn(c):
        if not c.islower():
            return c
        return chr((ord(c) - 97 + shift) % 26 + 97)

    return "".join(map(turn, text))


@example("attack", "key")
def xored(text, key):
    data = bytes(a ^ b for a, b in zip(text.encode(), (key * 9).encode()))
    return data.hex()


@example(LINE)
def log_parsed(line):
    m = LOG.match(line)
    if m is None:
        return {"level": "?", "host": "", "ms": 0, "user": line}
    found = dict(PAIR.findall(m["rest"]))
    return {
        "level": m.group("level").lower(),
        "host": m["host"],
        "ms": int(found.get("latency", "0ms")[:-2]),
        "user": found.get("user"),
    }


@example(LINE)
def log_groups(line):
    if (m := re.search(r"user=(\w+)\.(\w+)", line)) and m.lastindex == 2:
        first, last = m.groups()
        return f"{last}, {first}: {line[m.end() :][:8]}"
    return None


@example(LINE)
def log_tokens(line):
    out = {}
    for m in PAIR.finditer(line):
        k, v = m.group(1, 2)
        out[k] = (m.start() > 30, v.strip("'"))
    return [out[k] for k in ("user", "msg") if k in out]


@example(LINE)
def scrubbed(line):
    text, n = re.subn(r"user=\S+", "user=?", line)
    return {"text": text, "n": n}


@example(LINE)
def back_reference(line):
    return re.sub(r"(\w+)=(\S+)", r"\2:\1", line)


@example(LINE)
def split_kept(line):
    return [p for p in re.split(r"(\[|\])", line, maxsplit=2) if p.strip()][-1]


@example("dev: 3.5kb, prod:12 MB")
def sizes(text):
    out = {}
    for name, number, unit in re.findall(r"(\w+):\s*([\d.]+)\s*([kKmM]?[bB])", text):
        out[name] = int(float(number) * UNITS[unit.lower()])
    return sum(out.values())


@example(URL)
def url_cleaned(url):
    p = urllib.parse.urlsplit(url)
    query = [(k, v) for k, v in urllib.parse.parse_qsl(p.query) if not k.startswith("utm_")]
    query.sort()
    return urllib.parse.urlunsplit(
        p._replace(netloc=p.hostname, query=urllib.parse.urlencode(query), fragment="")
    )


@example(URL)
def url_parts(url):
    p = urllib.parse.urlparse(url)
    *folders, last = [urllib.parse.unquote(s) for s in p.path.split("/") if s]
    q = urllib.parse.parse_qs(p.query)
    return {
        "host": p.hostname,
        "port": p.port or 443,
        "folders": folders,
        "last": last,
        "tags": q.get("tag", []),
        "user": p.username,
    }


@example(URL, "../dog?x=1")
def url_joined(url, more):
    joined = urllib.parse.urljoin(url, more)
    base, frag = urllib.parse.urldefrag(joined)
    return [base, frag]


@example("shop.example", {"q": "tea pot", "n": "5"})
def url_built(host, params):
    return f"https://{host}/s?" + "&".join(
        f"{urllib.parse.quote_plus(k)}={urllib.parse.quote(v, safe='')}" for k, v in params.items()
    )


@example(PAYLOAD)
def total_of(payload):
    data = json.loads(payload, parse_float=Decimal)
    total = sum((Decimal(i["price"]) * i["n"] for i in data["items"]), Decimal(0))
    return str(total.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))


@example(PAYLOAD)
def hooked(payload):
    def hook(d):
        if d.get("__type__") == "person":
            return d["mail"].upper()
        return d

    return json.loads(payload, object_hook=hook)["who"]


@example(PAYLOAD)
def paired_hook(payload):
    data = json.loads(payload, object_pairs_hook=lambda pairs: {k.upper(): v for k, v in pairs})
    return [data["ID"], data["WHO"]["MAIL"]]


@example(USER)
def dumped_default(u):
    def default(o):
        if isinstance(o, date):
            return o.isoformat()
        raise TypeError(o)

    return json.dumps({"born": u.born, "zip": u.address.zip}, default=default, sort_keys=True)


@example(USER)
def dumped_row(u):
    return json.dumps(u.address.asDict() | {"id": u.id}, separators=(",", ":"), ensure_ascii=False)


@example(PAYLOAD)
def redacted(payload):
    def go(v):
        if isinstance(v, dict):
            return {k: "***" if k in ("mail", "price") else go(x) for k, x in v.items()}
        if isinstance(v, list):
            return [go(x) for x in v]
        return v

    return json.dumps(go(json.loads(payload)))


@example(PAYLOAD)
def patched(payload):
    data = json.loads(payload)
    who = data["who"]
    who["mail"] = who["mail"].split("@")[-1]
    for item in data["items"]:
        item["total"] = item["n"] * float(item["price"])
        del item["price"]
    data["count"] = len(data["items"])
    return data


@example('{"a": 1}\n{"a": 2}\nbad\n')
def json_lines(text):
    out, bad = [], 0
    for line in filter(None, text.splitlines()):
        try:
            out.append(json.loads(line)["a"])
        except ValueError:
            bad += 1
            continue
    return {"values": out, "bad": bad}


@example("eyJhbGciOiJub25lIn0.eyJzdWIiOiJraW0iLCJuIjo1fQ.c2ln")
def token_claims(token):
    head, body, sig = token.split(".")
    pad = "=" * (-len(body) % 4)
    claims = json.loads(base64.urlsafe_b64decode(body + pad))
    return {"sub": claims["sub"], "n": claims.get("n", 0), "sig": len(sig)}


@example(b"\x01\x00\x05hello\x00\x2a")
def unpacked(data):
    version, size = struct.unpack_from(">BH", data)
    name = data[3 : 3 + size].decode("ascii", "replace")
    (number,) = struct.unpack(">H", data[3 + size : 5 + size])
    return {"version": version, "name": name, "number": number}


@example(7, 513, "ab")
def packed(a, b, text):
    out = struct.pack("<BI", a & 0xFF, b) + text.encode()
    return {"bytes": out, "crc": zlib.crc32(out), "hex": binascii.hexlify(out[::-1]).decode()}


@example(b"\x03abc\x02de")
def prefixed(data):
    out, at = [], 0
    while at < len(data):
        n = data[at]
        at += 1
        out.append(data[at : at + n].decode())
        at += n
    return out


@example(b"some bytes", 4)
def bytearray_used(data, n):
    buffer = bytearray(data)
    buffer[0:2] = b"XY"
    buffer.append(n & 0x7F)
    view = memoryview(bytes(buffer))[1:n]
    return view.tobytes()


@example(0b10110, 3)
def bits(flags, n):
    on = [i for i in range(8) if flags >> i & 1]
    flipped = (flags ^ (1 << n)) & ~0b1
    return {"on": on, "flipped": flipped, "count": bin(flags).count("1"), "length": flags.bit_length()}


@example("192.168.4.17", 22)
def network(ip, bits_):
    value = 0
    for part in ip.split("."):
        value = value << 8 | int(part)
    value &= (0xFFFFFFFF << (32 - bits_)) & 0xFFFFFFFF
    return ".".join(str(value >> s & 255) for s in (24, 16, 8, 0))


@example("100.50", "3", "EUR")
def shared_amount(total, n, unit):
    with localcontext() as ctx:
        ctx.prec = 12
        each = (Decimal(total) / int(n)).quantize(Decimal("0.01"))
    rest = Decimal(total) - each * int(n)
    return f"{each} {unit} (+{rest})"


@example("1/3", "0.25")
def fraction(a, b):
    f = Fraction(a) + Fraction(b)
    return (f.numerator, f.denominator)


@example(1000.0, 0.05, 3)
def compound(amount, rate, years):
    out = [amount]
    for _ in range(years):
        out.append(round(out[-1] * (1 + rate), 2))
    return {"end": out[-1], "n": len(out)}


@example("2024-03-05 10:15", "2024-03-07 09:00")
def hours_between(a, b):
    fmt = "%Y-%m-%d %H:%M"
    start, end = sorted(datetime.strptime(x, fmt) for x in (a, b))
    days, seconds = divmod(int((end - start).total_seconds()), 86400)
    return {"days": days, "hours": seconds // 3600, "night": start.time() < time(6)}


@example("2024-01-31", 1)
def add_months(day, n):
    d = date.fromisoformat(day)
    month = d.month - 1 + n
    year, month = d.year + month // 12, month % 12 + 1
    last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)).day
    return d.replace(year=year, month=month, day=min(d.day, last))


@example(1709633700)
def local_time(seconds):
    at = datetime.fromtimestamp(seconds, tz=timezone.utc).astimezone(ZONE)
    return {
        "day": at.date().isoformat(),
        "slot": at.hour // 6,
        "week": at.isocalendar()[1],
        "weekend": at.weekday() >= 5,
    }


@example(date(2024, 3, 1), date(2024, 3, 11))
def working_days(a, b):
    count, day = 0, a
    while day < b:
        count += day.weekday() < 5
        day += timedelta(days=1)
    return count


@example("05.03.2024")
def guessed_date(text):
    for fmt in ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"):
        try:
            return datetime.strptime(text, fmt).date().isoformat()
        except ValueError:
            pass
    return text[:4]


@example("1h30m5s")
def duration(text):
    parts = {u: int(n) for n, u in re.findall(r"(\d+)([hms])", text)}
    return timedelta(
        hours=parts.get("h", 0), minutes=parts.get("m", 0), seconds=parts.get("s", 0)
    ).total_seconds()


@example("name,age\nada,36\nbob,x")
def csv_parsed(text):
    head, *rows = [line.split(",") for line in text.strip().split("\n")]
    return [dict(zip(head, row)) for row in rows if row[-1].isdigit()]


@example("someCamelCaseName")
def snake(text):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", text).lower()


@example("some_snake_name")
def camel(text):
    first, *rest = text.split("_")
    return first + "".join(w.title() for w in rest)


@example("the cat and the hat and the bat")
def top_words(text):
    words = collections.Counter(w for w in text.split() if len(w) > 2)
    return [w for w, n in words.most_common(2) if n > 1]


@example("Leet code")
def leet(text):
    return text.translate(LEET)[::-1].swapcase()


@example("a < b & c")
def escaped(text):
    return html.escape(text).encode("ascii", "xmlcharrefreplace").decode()


@example("(a[b]{c})")
def balanced(text):
    pairs, stack = {")": "(", "]": "[", "}": "{"}, []
    for c in text:
        if c in pairs.values():
            stack.append(c)
        elif c in pairs:
            if not stack or stack.pop() != pairs[c]:
                return False
    return not stack


@example("756.1234.5678.97")
def ean_check(text):
    digits = [int(c) for c in text if c in string.digits]
    *body, check = digits
    total = sum(d * (3 if i % 2 else 1) for i, d in enumerate(body))
    return {"ok": (10 - total % 10) % 10 == check, "country": "".join(map(str, body[:3]))}


@example(46.2, 6.15, 47.37, 8.54)
def distance(lat1, lon1, lat2, lon2):
    p1, p2 = map(math.radians, (lat1, lat2))
    dp, dl = p2 - p1, math.radians(lon2 - lon1)
    a = math.sin(dp / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(dl / 2) ** 2
    return round(6371 * 2 * math.atan2(math.sqrt(a), math.sqrt(1 - a)), 1)


@example(46.2043907, 6.1431577, 5)
def geohash(lat, lon, length):
    lats, lons, out, even, bit, ch = [-90.0, 90.0], [-180.0, 180.0], "", True, 0, 0
    while len(out) < length:
        held, value = (lons, lon) if even else (lats, lat)
        mid = sum(held) / 2
        if value > mid:
            ch |= 16 >> bit
            held[0] = mid
        else:
            held[1] = mid
        even = not even
        if bit < 4:
            bit += 1
        else:
            out += "0123456789bcdefghjkmnpqrstuvwxyz"[ch]
            bit = ch = 0
    return out


@example("2", 5, None, 1.5)
def coalesced(a, b, c, d):
    return next((x for x in (c, a, b) if x is not None), d)


@example("2", 5, [1, 2])
def as_number(a, b, c):
    def number(v):
        if isinstance(v, (list, tuple)):
            return sum(map(number, v))
        if isinstance(v, str):
            return float(v) if v.replace(".", "", 1).isdigit() else 0
        return v or 0

    return [number(x) for x in (a, b, c)]


@example("yes")
def truthy(text):
    return {"yes": True, "no": False, "": None}.get(text.strip().lower(), bool(text))


@example("b", 3)
def lookup(name, n):
    table = {"a": lambda x: x + 1, "b": lambda x: x * 2}
    return table.get(name, lambda x: 0)(n)


@example(100, "gold", True)
def price(amount, tier, member):
    rates = {"gold": 0.2, "silver": 0.1}
    rate = rates.get(tier, 0) + (0.05 if member else 0)
    cut = min(amount * rate, 50)
    return {"net": amount - cut, "cut": cut, "why": tier if rate else "none"}


@example(17)
def fizz(n):
    return "Fizz" * (n % 3 == 0) + "Buzz" * (n % 5 == 0) or str(n)


@example(84)
def factors(n):
    out, d = [], 2
    n = abs(n) % 500
    while d * d <= n:
        while n % d == 0:
            out.append(d)
            n //= d
        d += 1
    return out + [n] if n > 1 else out


@example(255, 7)
def in_base(n, base):
    digits = ""
    n = abs(n)
    while n:
        n, r = divmod(n, base)
        digits = string.hexdigits[r] + digits
    return digits or "0"


@example("1-3,7,9-10")
def ranges(text):
    out = set()
    for part in text.split(","):
        lo, _, hi = part.partition("-")
        out.update(range(int(lo), int(hi or lo) + 1))
    return sorted(out)


@example([1, 2, 3, 7, 9, 10])
def range_text(values):
    out = []
    for v in sorted(set(values)):
        if out and v == out[-1][1] + 1:
            out[-1] = (out[-1][0], v)
        else:
            out.append((v, v))
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in out)


@example([[1, 4], [3, 6], [8, 9]])
def intervals(spans):
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return [b - a for a, b in merged]


@example([3, 1, 2], [10, 20, 30])
def by_other(a, b):
    return [y for _, y in sorted(zip(a, b))]


@example(["b", "a", "c"], {"a": "1", "b": "2"})
def mapped(names, table):
    return list(map(table.get, names))


@example([1, 2, 3, 4], [True, False, True, True])
def masked(values, keep):
    return [v if k else None for v, k in zip(values, keep)]


@example([5, 1, 4])
def smallest(values):
    low = values[0]
    for v in values[1:]:
        low = v if v < low else low
    return low


@example([1.0, 2.0], [3.0, 4.0])
def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b))
    norm = math.hypot(*a) * math.hypot(*b)
    return round(dot / norm, 5) if norm else 0.0


@example([[1, 2], [3, 4]], [[0, 1], [1, 0]])
def matrix(a, b):
    return [[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a]


@example([1, 2, 3], 2)
def padded(values, n):
    return values + [values[-1]] * (n - len(values) % n)


@example(["x", "y", "z"], "y")
def neighbours(values, wanted):
    at = values.index(wanted) if wanted in values else -1
    return [values[at - 1], values[(at + 1) % len(values)]]


@example("a", "b", "c")
def kwargs_passed(a, b, c):
    def inner(*args, sep="-", **more):
        return sep.join([*args, *more.values()])

    return inner(a, sep=b, last=c)


@example("a", "b")
def options(a, b):
    settings = dict(x=a)
    settings.update({"y": b}, z=len(a))
    x, z = settings.pop("x"), settings["z"]
    return [x, z, *settings]


@example([3, 4], 1)
def in_place_total(values, n):
    total = values
    total += [n]
    return sum(values)


@example("a b", "c")
def list_times(a, c):
    words = a.split()
    words.extend(c)
    words[len(words) :] = ["!"]
    words.insert(1, words.pop())
    return " ".join(words)


@example(["x", "y"], "k")
def clear_and_fill(values, k):
    copy = values[:]
    values.clear()
    values.append(k)
    return {"copy": copy, "values": values}


@example([3, 1, 2])
def reverse_alias(values):
    out = values
    values = list(reversed(values))
    out.append(values[0])
    return out


@example([1, 2, 3])
def removed(values):
    if 2 in values:
        values.remove(2)
    return [values.count(1), len(values)]


@example({"a": 1, "b": 5, "c": 3})
def dict_top(d):
    return max(d, key=d.get)


@example({"a": 1, "b": 5})
def dict_changed(d):
    for k in d:
        d[k] += len(d)
    return d


@example({"a": "1", "b": "5"}, "a")
def dict_lookup_twice(d, k):
    return d.get(d.get(k), "none") if k in d else d["b"]
