"""Writes functions as jobs have them by chance: ``python -m functions.generated_work --count 10000``.

They clean, parse, hash, score and nest an order, a line of a log and a limit.
"""

from __future__ import annotations

import datetime
import sys
from random import Random
from typing import Any

from pyspark.sql import Row

from functions import generating, oracle
from functions.generating import Generator
from functions.grammar import Grammar, Writer

FEW_STARTS, FEW_OTHERS = 1, 5
"""Other values of each argument that a function is started from, and of each leaf: there are many functions."""
ORDER = Row(
    id="ord-0042",
    created="2024-03-05",
    total="1,234.50",
    currency="eur",
    customer=Row(
        name="Dr. Ada  Long",
        mail="Ada.Long+x@Example.org",
        phone="+41 (44) 555-01 02",
        born=datetime.date(1990, 5, 17),
    ),
    lines=[
        Row(sku="SKU-12/red", amount=2, price=9.95, note="gift wrap"),
        Row(sku="sku-7/blue", amount=1, price=100.0, note="none"),
    ],
    labels={"tier": "gold", "source": "web"},
    payload='{"device": {"os": "linux"}, "tags": ["x", "y"], "n": 3}',
)
ARGUMENTS = (ORDER, "lang=de;ref=mail;score=17", 50)

HELPERS = """
import base64, binascii, collections, dataclasses, datetime, decimal, hashlib, hmac, html, itertools, json, math, re
import statistics, string, textwrap, unicodedata, urllib.parse, uuid, zlib
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from operator import itemgetter
from pyspark.sql import Row

SALT = "pepper"
DIGITS = re.compile(r"[^0-9]")
MAIL = re.compile(r"^(?P<user>[^@+]+)[^@]*@(?P<host>.+)$")
RATES = {"eur": 1.0, "usd": 1.1, "chf": 0.95}
WEIGHTS = [("gold", 3), ("silver", 2), ("new", 1)]
Point = namedtuple("Point", "x y")


@dataclass
class Score:
    value: float = 0.0
    reasons: list = field(default_factory=list)

    def add(self, points, reason):
        self.value += points
        self.reasons.append(reason)
        return self


@dataclass(frozen=True)
class Contact:
    mail: str
    phone: str = ""

    @property
    def host(self):
        return self.mail.split("@")[-1]


def squeezed(text):
    return re.sub(r"\\s+", " ", text or "").strip()


def digits(text):
    return DIGITS.sub("", text)


def pairs(text, between=";", within="="):
    return dict(part.split(within, 1) for part in text.split(between) if within in part)


def pseudonym(value, salt=SALT):
    return hashlib.sha256(f"{salt}:{value}".encode()).hexdigest()[:16]


def signed(value, key=b"secret"):
    return hmac.new(key, str(value).encode(), hashlib.sha256).hexdigest()


def amount(text, default=0.0):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return default


def age(born, today=datetime.date(2024, 6, 1)):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def band(value):
    if value is None:
        return "none"
    for limit, name in ((10, "low"), (100, "middle")):
        if value < limit:
            return name
    return "high"


def masked(mail):
    user, at, host = mail.partition("@")
    return user[0] + "***" + at + host if at else "***"


def colours(lines):
    for line in lines:
        yield line.sku.rsplit("/", 1)[-1]


def flattened(record, prefix=""):
    found = {}
    for name, value in record.items():
        if isinstance(value, dict):
            found.update(flattened(value, f"{prefix}{name}."))
        else:
            found[prefix + name] = value
    return found


def counted(items):
    found = {}
    for item in items:
        found[item] = found.get(item, 0) + 1
    return found


def first(items, default=None):
    for item in items:
        return item
    return default

"""

EXPRESSIONS = {
    "text": [
        *("o.id", "o.currency", "o.customer.name", "o.customer.mail", "o.customer.phone", "raw", "o.total"),
        *("o['created']", "o.labels['tier']", "o.labels.get('source', raw)", "o.lines[0].sku", "o.lines[-1].note"),
        "<text>.strip().lower()",
        "squeezed(<text>)",
        "digits(<text>)",
        "masked(<text>)",
        "pseudonym(<text>)",
        "pseudonym(<text>, salt=<text>)",
        "signed(<text>)",
        "signed(<text>, <text>.encode())",
        "hashlib.md5(<text>.encode('utf-8')).hexdigest()",
        "base64.b64encode(<text>.encode()).decode('ascii')",
        "str(uuid.uuid5(uuid.NAMESPACE_URL, <text>))",
        "pairs(raw).get('lang')",
        "pairs(raw)['ref']",
        "band(<number>)",
        "str(<number>)",
        "f'{<number>:.2f} {o.currency.upper()}'",
        "f'{<text>}/{<text>!r}'",
        "'{}-{}'.format(<text>, <text>)",
        "'%s:%s' % (<text>, <number>)",
        "'-'.join([<text>, <text>])",
        "','.join(sorted(<texts>))",
        "','.join(t for t in <texts> if <test>)",
        "<text>.partition('@')[2]",
        "<text>.split('-')[0]",
        "<text>[:4]",
        "<text>[-3:]",
        "<text>[::-1]",
        "<text> or 'unknown'",
        "(<text> if <test> else <text>)",
        "(None if <test> else <text>)",
        "re.sub(r'[^a-z]', '', <text>.lower())",
        "MAIL.match(o.customer.mail).group('host')",
        "(MAIL.match(o.customer.mail) or {'user': <text>})['user']",
        "re.findall(r'\\w+', <text>)[0]",
        "json.loads(o.payload)['device']['os']",
        "json.loads(o.payload).get('tags')[0]",
        "json.dumps(<record>, sort_keys=True)",
        "<record>.get('a')",
        "<record>['b']",
        "{**<record>, 'a': <text>}['a']",
        "{k: v for k, v in <record>.items() if k != 'a'}['b']",
        "dict(zip(['a', 'b'], [<text>, <text>]))['b']",
        "next((t for t in <texts> if <test>), <text>)",
        "first(<texts>, <text>)",
        "<texts>[0]",
        "max(<texts>, key=len)",
        "min(<texts>)",
        "list(colours(o.lines))[0]",
        "Contact(<text>, <text>).host",
        "Contact(mail=<text>).mail",
        "dataclasses.asdict(Contact(<text>))['mail']",
        "Point(<text>, <number>).x",
        "Point(<text>, <text>)._replace(x=<text>).y",
        "'|'.join(Score(0.0, []).add(<number>, <text>).reasons)",
        "flattened({'p': <record>, 'q': <text>})['p.a']",
        "html.escape(<text>)",
        "urllib.parse.quote(<text>)",
        "unicodedata.normalize('NFKD', <text>)",
        "textwrap.shorten(<text>, 12)",
        "string.Template('$n!').substitute(n=<text>)",
        "o.customer.born.isoformat()",
        "<date>.strftime('%Y/%m')",
        "Counter(<texts>).most_common(1)[0][0]",
        "[<text>, <text>, <text>][<number> % 3 > 1]",
        "{True: <text>, False: <text>}[<test>]",
        "(lambda t, *, upper=False: t.upper() if upper else t)(<text>, upper=<test>)",
        "''.join(map(str.title, <texts>))",
        "''.join(c for c in <text> if c.isalnum())",
        "''.join(reversed(<text>))",
        "<text>.translate(str.maketrans('ae', '43'))",
        "getattr(o.customer, 'mail', <text>)",
        "getattr(o, 'id' if <test> else 'currency')",
        "o.customer.asDict()['name']",
        "[*<texts>, <text>][-1]",
        "itemgetter('a')(<record>)",
        "sorted(o.lines, key=lambda l: l.price)[0].sku",
        "max(o.lines, key=lambda l: (l.amount, l.sku)).note",
        "(<texts> + [<text>])[0]",
        "str({'x': <text>})",
        "repr((<text>, <number>))",
        "(<text>, <text>)[bool(<test>)]",
    ],
    "number": [
        *("limit", "len(o.lines)", "o.lines[0].amount", "amount(o.total)"),
        *("int(pairs(raw)['score'])", "age(o.customer.born)"),
        "len(<text>)",
        "len(<texts>)",
        "len(set(<texts>))",
        "amount(<text>)",
        "amount(<text>, <number>)",
        "<number> + <number>",
        "<number> * RATES.get(o.currency, 1)",
        "round(<number> / 3, 1)",
        "max(<number>, <number>)",
        "min(max(<number>, 0), 100)",
        "abs(<number> - <number>)",
        "math.log1p(abs(<number>))",
        "sum(l.amount * l.price for l in o.lines)",
        "sum(l.amount for l in o.lines if <test>)",
        "sum([<number>, <number>])",
        "statistics.mean(l.price for l in o.lines)",
        "float(Decimal(o.total.replace(',', '')).quantize(Decimal('1')))",
        "zlib.crc32(<text>.encode()) % 8",
        "int(hashlib.sha1(<text>.encode()).hexdigest(), 16) % 100",
        "Score(<number>, []).add(<number>, <text>).value",
        "(<number> if <test> else <number>)",
        "int(<test>)",
        "dict(WEIGHTS).get(<text>, <number>)",
        "sum(w for n, w in WEIGHTS if n in <texts>)",
        "counted(<texts>).get(<text>, 0)",
        "<text>.count('a')",
        "<text>.find('-')",
        "sum(1 for c in <text> if c.isupper())",
        "<date>.year",
        "<date>.toordinal() % 7",
        "(<date> - o.customer.born).days",
        "json.loads(o.payload)['n']",
        "Point(<text>, <number>).y",
        "ord((<text> or 'a')[0])",
        "next(i for i, l in enumerate(o.lines) if l.price >= 0)",
        "any(<test> for l in o.lines) + 0",
        "(<number> or 1) * 2",
        "divmod(int(<number>), 7)[1]",
        "max(itertools.accumulate(l.amount for l in o.lines))",
        "1 / (1 + math.exp(-<number> / 1000))",
    ],
    "test": [
        *("limit > 40", "o.labels.get('tier') == 'gold'", "'+' in o.customer.mail", "bool(o.lines)"),
        "<number> > <number>",
        "<number> > 20",
        "<text> == <text>",
        "<text> in <texts>",
        "<text>.startswith('o')",
        "'a' in <text>",
        "<test> and <test>",
        "<test> or <test>",
        "not <test>",
        "len(<text>) > 6",
        "<text> is not None",
        "isinstance(<text>, str)",
        "bool(re.search('[0-9]', <text>))",
        "all(l.price > 1 for l in o.lines)",
        "any(l.note == 'none' for l in o.lines)",
        "0 < <number> <= 90",
        "<date> > o.customer.born",
        "bool(<texts>)",
        "'a' in <record>",
        "hash(1) == 1",
    ],
    "date": [
        *("o.customer.born", "datetime.date.fromisoformat(o.created)"),
        "datetime.datetime.strptime(o.created, '%Y-%m-%d').date()",
        "<date> + datetime.timedelta(days=len(o.lines))",
        "<date>.replace(day=1)",
        "max(<date>, <date>)",
        "(<date> if <test> else <date>)",
    ],
    "texts": [
        *("[l.sku for l in o.lines]", "[l.note for l in o.lines if l.amount]", "list(o.labels.values())"),
        "[<text>, <text>]",
        "<text>.split('-')",
        "[t.strip().lower() for t in <texts>]",
        "[t for t in <texts> if t]",
        "[t for t in <texts> if <test>]",
        "list(map(squeezed, <texts>))",
        "list(filter(None, <texts>))",
        "sorted(<texts>, key=lambda t: t[::-1])",
        "list(dict.fromkeys(<texts>))",
        "list(colours(o.lines))",
        "<texts> + <texts>",
        "[f'{i}:{t}' for i, t in enumerate(<texts>)]",
        "[a + b for a, b in zip(<texts>, <texts>)]",
        "list(itertools.chain(<texts>, [<text>]))",
        "<texts>[:1] or [<text>]",
        "[t for l in o.lines for t in l.sku.split('/')]",
        "re.split('[;=]', raw)",
        "json.loads(o.payload)['tags']",
        "[k for k, v in sorted(pairs(raw).items())]",
        "list(<record>.values())",
        "[*<texts>, <text>]",
        "[pseudonym(t) for t in <texts>]",
    ],
    "record": [
        "{'a': <text>, 'b': <text>}",
        "dict(a=<text>, b=<text>)",
        "{**<record>, 'b': <text>}",
        "<record> | {'a': <text>}",
        "{k: squeezed(v) for k, v in <record>.items()}",
        "dict(zip('ab', (<text>, <text>)))",
        "Row(a=<text>, b=<text>).asDict()",
        "collections.OrderedDict([('a', <text>), ('b', <text>)])",
        "(<record> if <test> else <record>)",
        "{n: getattr(o, m) for n, m in (('a', 'id'), ('b', 'currency'))}",
    ],
}  # fmt: skip

STATEMENTS = [
    *(("text", "@ = <text>"),) * 4,
    *(("number", "@ = <number>"),) * 3,
    ("texts", "@ = <texts>"),
    ("record", "@ = <record>"),
    ("date", "@ = <date>"),
    ("text", "@ = <text>\nif <test>:\n    @ = <text>"),
    ("text", "if <test>:\n    @ = <text>\nelif <test>:\n    @ = <text>\nelse:\n    @ = 'other'"),
    ("text", "try:\n    @ = <texts>[3]\nexcept IndexError:\n    @ = <text>"),
    ("text", "try:\n    @ = <record>['gone']\nexcept KeyError as e:\n    @ = <text>\nfinally:\n    pass"),
    ("number", "@ = 0\nfor l in o.lines:\n    if <test>:\n        continue\n    @ += l.amount * l.price"),
    ("number", "@ = 0\nfor t in <texts>:\n    @ += len(t)\nelse:\n    @ += <number>"),
    ("number", "@ = int(<number>)\nwhile @ > 9:\n    @ //= 10"),
    ("text", "@ = ''\nfor c in <text>:\n    if c.isdigit():\n        break\n    @ += c"),
    ("texts", "@ = []\nfor l in o.lines:\n    if <test>:\n        @.append(<text>)\n    @.append(l.sku)"),
    ("texts", "@ = set()\nfor t in <texts>:\n    @.add(t)\n@ = sorted(@)"),
    ("texts", "@ = <texts>\n@ = @[:]\n@.sort()\n@.insert(0, <text>)"),
    ("record", "@ = <record>\n@['a'] = <text>"),
    ("record", "@ = {}\n@['a'], @['b'] = <text>, <text>"),
    ("record", "@ = {'b': <text>}\n@.setdefault('a', <text>)"),
    ("record", "@ = dict.fromkeys('ab', <text>)\nif <test>:\n    @.update(a=<text>)"),
    ("record", "@ = defaultdict(str)\nfor l in o.lines:\n    @['a'] += l.sku\n@['b'] = <text>\n@ = dict(@)"),
    (
        "text",
        "@ = []\ndef keep(value, to=@):\n    to.append(value)\n"
        "    return value\nkeep(<text>)\n@ = keep(<text>)",
    ),
    ("text", "held = <text>\ndef joined(more=''):\n    return held + more\n@ = joined(<text>)\nheld = <text>"),
    (
        "number",
        "count = 0\ndef bump(by):\n    nonlocal count\n"
        "    count += by\n    return count\nbump(<number>)\n@ = bump(1)",
    ),
    ("text", "match <texts>:\n    case [first_, *_]:\n        @ = first_\n    case _:\n        @ = <text>"),
    (
        "text",
        "match <record>:\n    case {'a': got, **rest}:\n"
        "        @ = got\n    case _:\n        @ = <text>",
    ),
    (
        "text",
        "match (<text>, <number>):\n    case (str() as t, n) if n > 3:\n"
        "        @ = t\n    case (_, n):\n        @ = str(n)",
    ),
    ("text", "match Contact(<text>):\n    case Contact(mail=m):\n        @ = m"),
    ("text", "@, *rest = <texts> or ['']"),
    ("text", "(@, other), third = (<text>, <text>), <text>\n@, other = other, @"),
    ("number", "if (@ := <number>) > 10:\n    @ = 10"),
    (
        "number",
        "score = Score(0.0, [])\nif <test>:\n"
        "    score.add(<number>, <text>)\nscore.add(1, 'base')\n@ = score.value",
    ),
    (
        "text",
        "score = Score(0.0, [])\nfor l in o.lines:\n"
        "    score.add(l.price, l.sku)\n@ = ';'.join(score.reasons)",
    ),
    (
        "text",
        "def walk(items):\n    for item in items:\n"
        "        yield from (item.sku, <text>)\n@ = ','.join(walk(o.lines))",
    ),
    ("text", "h = hashlib.sha256()\nfor t in <texts>:\n    h.update(t.encode())\n@ = h.hexdigest()"),
    ("text", "assert <text> is not ...\n@ = <text>"),
    ("record", "@ = {'a': '', 'b': <text>}\nfor k in @:\n    if k == 'a':\n        @[k] = <text>"),
    ("texts", "@ = [None, None]\n@[0] = <text>\n@[-1] = <text>\n@ = [t or '' for t in @]"),
    ("text", "stack = [<text>, <text>]\n@ = stack.pop()\nstack.clear()"),
    ("text", "if <test>:\n    return <text>\n@ = <text>"),
    (
        "number",
        "try:\n    if <test>:\n        raise ValueError(<text>)\n"
        "    @ = 1\nexcept ValueError as e:\n    @ = len(str(e))",
    ),
]  # fmt: skip

RESULTS = [
    "<text>",
    "<number>",
    "<texts>",
    "<record>",
    "<test>",
    "(<text>, <number>)",
    "Row(r=<text>, n=<number>, t=<texts>)",
    "{'r': <text>, 'n': <number>, 'inner': <record>}",
    "{'lines': [{'sku': l.sku, 'more': <text>} for l in o.lines], 'n': <number>}",
    "[(l.sku, l.amount * <number>) for l in o.lines]",
    "Contact(<text>, <text>)",
    "Score(<number>, <texts>)",
    "[Row(id=o.id, sku=l.sku, k=<text>) for l in o.lines if l.price > 0]",
]

GRAMMAR = Grammar(EXPRESSIONS, STATEMENTS, RESULTS)


def written(chance: Random, name: str) -> tuple[str, tuple[Any, ...]]:
    """The source of one function, and its arguments."""
    return Writer(GRAMMAR, chance).function(f"def {name}(o, raw, limit):"), ARGUMENTS


GENERATOR = Generator("generated_work_of_test", HELPERS, written)

if __name__ == "__main__":
    oracle.FEW_STARTS, oracle.FEW_OTHERS = FEW_STARTS, FEW_OTHERS
    raise SystemExit(generating.main(GENERATOR, sys.argv[1:]))
