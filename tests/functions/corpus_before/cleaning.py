import re
import string
import unicodedata

from functions.examples import example

WHITESPACE = re.compile(r"\s+")
NOT_DIGITS = re.compile(r"[^0-9+]")
TITLES = {"mr": "Mr.", "mrs": "Mrs.", "dr": "Dr."}
COUNTRY_CODES = {"germany": "DE", "france": "FR", "italy": "IT"}
NULLS = {"", "n/a", "null", "none", "-"}
TABLE = str.maketrans("", "", string.punctuation)


@example("  Ada   Lovelace ")
def squeeze(text):
    return WHITESPACE.sub(" ", text).strip()


@example("+49 (30) 1234-567")
def phone_digits(number):
    if number is None:
        return None
    digits = NOT_DIGITS.sub("", number)
    if digits.startswith("00"):
        digits = "+" + digits[2:]
    return digits


@example("Ada.Lovelace@Example.ORG ")
def normalize_mail(mail):
    if not mail or "@" not in mail:
        return None
    local, _, domain = mail.strip().lower().partition("@")
    return f"{local.split('+')[0]}@{domain}"


@example("mr", "ada lovelace")
def with_title(title, name):
    return f"{TITLES.get(title.lower(), '')} {name.title()}".strip()


@example(" N/A ")
def null_if_placeholder(value):
    if value is None or value.strip().lower() in NULLS:
        return None
    return value


@example("Crème brûlée")
def strip_accents(text):
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@example("hello, world!")
def without_punctuation(text):
    return text.translate(TABLE)


@example("Germany", "unknown")
def country_code(country, default):
    return COUNTRY_CODES.get(country.lower(), default)


@example("12,5 kg")
def to_number(text):
    try:
        return float(text.replace(",", ".").split()[0])
    except (ValueError, IndexError):
        return None


@example("yes")
def to_bool(flag):
    return flag.strip().lower() in ("yes", "y", "true", "1")


@example("10115", "Berlin")
def zip_and_city(zip_code, city):
    return "%s %s" % (zip_code.zfill(5), city.capitalize())


@example("ABC-123-xyz")
def snake(text):
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


@example(None, "fallback", "last")
def first_not_null(a, b, c):
    for v in (a, b, c):
        if v is not None:
            return v
    return None


@example("Ada", "King", "Lovelace")
def full_name(first, middle, last):
    parts = [first]
    if middle:
        parts.append(middle[0] + ".")
    parts.append(last)
    return " ".join(p for p in parts if p)


@example("a very long description of an item")
def truncate(text):
    limit = 12
    return text if len(text) <= limit else text[: limit - 1] + "…"


@example("4111 1111 1111 1111")
def mask_card(number):
    digits = "".join(ch for ch in number if ch.isdigit())
    return "*" * (len(digits) - 4) + digits[-4:]


@example("ada@example.org")
def mask_mail(mail):
    local, domain = mail.split("@")
    return local[0] + "***@" + domain


@example(["a", "", None, "b "])
def clean_list(items):
    return [i.strip() for i in items if i]


@example(["x", "y", "x"])
def dedupe(items):
    seen = set()
    result = []
    for item in items:
        if item not in seen:
            seen.add(item)
            result.append(item)
    return result


@example({"Name": "Ada", "City": "Paris"})
def lower_keys(props):
    return {k.lower(): v for k, v in props.items()}


@example("  x ")
def trimmed_or_default(text):
    return (text or "").strip() or "unknown"


@example("0031", 4)
def pad(code, width):
    return code.lstrip("0").rjust(width, "0")


@example("M", "f")
def gender_word(gender, other):
    g = gender.upper()
    if g == "M":
        return "male"
    elif g == "F":
        return "female"
    return other


@example("line one\nline two\n")
def first_line(text):
    return text.splitlines()[0] if text else ""


@example("Smith, John")
def flip_name(name):
    if "," in name:
        last, first = [p.strip() for p in name.split(",", 1)]
        return first + " " + last
    return name


@example(" Foo ", " Bar ")
def both(a, b):
    def tidy(x):
        return x.strip().lower()

    return tidy(a), tidy(b)


@example("DE89 3704 0044 0532 0130 00")
def iban_country(iban):
    compact = iban.replace(" ", "").upper()
    return compact[:2]


@example("12:30")
def minutes(clock):
    hours, mins = clock.split(":")
    return int(hours) * 60 + int(mins)


@example("<b>bold</b> text")
def strip_tags(html):
    return re.sub("<[^>]+>", "", html)


@example(3.14159, 2)
def rounded(value, digits):
    return round(value, digits)


@example("ada", "ADA")
def same(a, b):
    return a.casefold() == b.casefold()


@example("a;b;c", ";")
def tokens(text, separator):
    return [t for t in text.split(separator)]


@example("a=1&b=2")
def pairs(text):
    result = {}
    for part in text.split("&"):
        key, value = part.split("=")
        result[key] = value
    return result


@example(-3)
def clamp(value):
    return max(0, min(value, 100))
