import base64
import datetime
import json
import re
import urllib.parse
from datetime import date, timedelta
from decimal import Decimal
from urllib.parse import parse_qs, urlparse

from functions.examples import example
from pyspark.sql import Row

LOG = re.compile(r"(?P<ip>\S+) - (?P<user>\S+) \[(?P<time>[^\]]+)\]")
VERSION = re.compile(r"(\d+)\.(\d+)")


@example('{"name": "Ada", "city": {"zip": "10115"}}')
def json_name(text):
    return json.loads(text)["name"]


@example('{"a": 1}')
def json_or_none(text):
    try:
        return json.loads(text).get("a")
    except ValueError:
        return None


@example("127.0.0.1 - ada [12:00]")
def log_line(line):
    m = LOG.match(line)
    if not m:
        return None
    return {"ip": m.group("ip"), "user": m.group("user"), "time": m.group("time")}


@example("app 3.11")
def version(text):
    m = VERSION.search(text)
    return (int(m.group(1)), int(m.group(2))) if m else (0, 0)


@example("https://user@example.org:8080/path?q=1&r=2")
def host(url):
    return urlparse(url).hostname


@example("https://example.org/path?utm=x")
def query_param(url):
    q = parse_qs(urlparse(url).query)
    return q.get("utm", [None])[0]


@example("a b&c")
def quoted(text):
    return urllib.parse.quote(text)


@example("2024-03-01")
def parse_date(text):
    return datetime.datetime.strptime(text, "%Y-%m-%d").date()


@example("2024-03-01")
def year_of(text):
    return int(text[:4])


@example(date(1990, 5, 17))
def age_group(born):
    age = 2024 - born.year
    if age < 18:
        return "minor"
    if age < 65:
        return "adult"
    return "senior"


@example(date(2024, 1, 31), 5)
def add_days(day, n):
    return day + timedelta(days=n)


@example(date(2024, 1, 31), date(2024, 2, 5))
def days_between(a, b):
    return (b - a).days


@example(date(2024, 1, 31))
def iso_week(day):
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


@example("YWRh")
def decode(text):
    return base64.b64decode(text).decode("utf-8")


@example("ada")
def encode(text):
    return base64.b64encode(text.encode("utf-8")).decode("ascii")


@example("12.50")
def cents(price):
    return int(Decimal(price) * 100)


@example("1,2,3")
def total(text):
    return sum(int(x) for x in text.split(","))


@example("Ada Lovelace <ada@example.org>")
def address_parts(text):
    m = re.match(r"(.*?)\s*<(.*)>", text)
    if m is None:
        return Row(name=None, mail=text)
    return Row(name=m.group(1), mail=m.group(2))


@example("k1=v1;k2=v2")
def kv(text):
    return dict(item.split("=", 1) for item in text.split(";"))


@example("1;Ada;Paris")
def csv_line(line):
    number, name, city = line.split(";")
    return {"number": int(number), "name": name, "city": city}


@example(1709251200)
def from_epoch(seconds):
    return datetime.datetime.fromtimestamp(seconds, tz=datetime.timezone.utc).isoformat()


@example("0x1f")
def hex_number(text):
    return int(text, 16)


@example("/data/in/2024/file.csv.gz")
def file_name(path):
    return path.rsplit("/", 1)[-1].split(".")[0]


@example('[{"sku": "a", "n": 2}, {"sku": "b", "n": 3}]')
def skus(text):
    return [item["sku"] for item in json.loads(text)]


@example("lat:52.5,lon:13.4")
def coordinates(text):
    lat, lon = (float(p.split(":")[1]) for p in text.split(","))
    return {"lat": lat, "lon": lon}


@example("Mozilla/5.0 (Windows NT 10.0) Chrome/120.0")
def browser(agent):
    for name in ("Edge", "Chrome", "Firefox", "Safari"):
        if name + "/" in agent:
            return name
    return "other"


@example("P3D")
def duration_days(text):
    match = re.fullmatch(r"P(\d+)D", text)
    return int(match[1]) if match else 0


@example("2024-03-01T10:20:30")
def hour_bucket(stamp):
    t = datetime.datetime.fromisoformat(stamp)
    return t.replace(minute=0, second=0)


@example("a|b||c")
def not_empty(text):
    return list(filter(None, text.split("|")))


@example("#spark and #python")
def hashtags(text):
    return re.findall(r"#(\w+)", text)


@example("SKU-0042-XL")
def sku(code):
    match code.split("-"):
        case [kind, number, size]:
            return {"kind": kind, "number": int(number), "size": size}
        case [kind, number]:
            return {"kind": kind, "number": int(number), "size": None}
        case _:
            return {"kind": None, "number": None, "size": None}


@example("3d")
def seconds(text):
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    return int(text[:-1]) * units[text[-1]]


@example('{"items": [{"p": 2.5, "q": 2}]}')
def basket_value(text):
    doc = json.loads(text)
    value = 0.0
    for item in doc.get("items", []):
        value += item["p"] * item["q"]
    return value
