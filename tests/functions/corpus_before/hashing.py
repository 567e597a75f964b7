import base64
import hashlib
import hmac
import random
import secrets
import uuid
import zlib
from hashlib import md5, sha256

from functions.examples import example

SALT = "pepper"
KEY = b"secret-key"


@example("ada@example.org")
def sha(mail):
    return hashlib.sha256(mail.encode()).hexdigest()


@example("salt", "ada@example.org")
def salted(salt, mail):
    return hashlib.sha256((salt + mail).encode("utf-8")).hexdigest()


@example("ada")
def constant_salt(name):
    return sha256((SALT + name.lower().strip()).encode()).hexdigest()


@example("ada")
def short_hash(name):
    return md5(name.encode()).hexdigest()[:8]


@example("ada", b"key")
def keyed(name, key):
    return hmac.new(key, name.encode(), hashlib.sha256).hexdigest()


@example("ada")
def keyed_by_module(name):
    return hmac.new(KEY, name.encode(), "sha256").hexdigest()


@example("ada", 16)
def bucket(name, n):
    return int(hashlib.md5(name.encode()).hexdigest(), 16) % n


@example("ada")
def checksum(name):
    return zlib.crc32(name.encode()) & 0xFFFFFFFF


@example("ada")
def name_uuid(name):
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, name))


@example("ada")
def updated(name):
    h = hashlib.sha1()
    h.update(b"prefix")
    h.update(name.encode("utf-8"))
    return h.hexdigest()


@example("ada", "paris", 3)
def row_key(a, b, c):
    digest = hashlib.new("sha256")
    for part in (a, b, c):
        digest.update(str(part).encode())
        digest.update(b"|")
    return digest.hexdigest()


@example("ada")
def random_token(name):
    return secrets.token_hex(8)


@example("ada")
def noise(name):
    return random.random()


@example({"id": "7", "name": "Ada", "city": "Paris"})
def pseudonymize(person):
    return {
        "id": hashlib.sha256(person["id"].encode()).hexdigest(),
        "name": "***",
        "city": person["city"],
    }


@example("ada")
def as_base64(name):
    return base64.urlsafe_b64encode(hashlib.sha256(name.encode()).digest()).decode()


@example("ada")
def xor(name):
    return "".join(chr(ord(c) ^ 42) for c in name)


@example("ada")
def caesar(name):
    out = ""
    for c in name:
        if c.isalpha():
            out += chr((ord(c) - 97 + 3) % 26 + 97)
        else:
            out += c
    return out


@example("192.168.1.77")
def truncate_ip(ip):
    return ".".join(ip.split(".")[:3]) + ".0"


@example("1990-05-17")
def birth_year_only(born):
    return born[:4] + "-01-01"


@example("Ada")
def initial(name):
    return name[0] if name else ""


@example(5321.77)
def salary_band(salary):
    low = int(salary // 1000) * 1000
    return f"{low}-{low + 999}"


@example("ada", True)
def hash_if(name, wanted):
    if wanted:
        return hashlib.sha256(name.encode()).hexdigest()
    return name


@example("ada", None)
def hash_or_default(name, other):
    value = name if name else other
    return hashlib.md5(value.encode()).hexdigest() if value else None


@example(["a", "b"])
def hash_all(names):
    return [hashlib.sha256(n.encode()).hexdigest() for n in names]


@example("ada", "example.org")
def hash_local_part(local, domain):
    return f"{hashlib.sha256(local.encode()).hexdigest()[:10]}@{domain}"


@example(("x", "y"))
def combined(pair):
    a, b = pair
    return hashlib.sha256(f"{a}|{b}".encode()).hexdigest()


@example("ada")
def python_hash(name):
    return hash(name) % 2


@example("ada", 4)
def last_characters(text, n):
    return text[-n:]


@example("ada")
def length_only(text):
    return len(text)


@example("Ada")
def redact(text):
    return "X" * len(text)
