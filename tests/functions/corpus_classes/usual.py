"""Abstract and generic classes, patterns and loggers in classes, exceptions, and decorators that change nothing."""

from abc import ABC, abstractmethod
import abc
from typing import final, Protocol, Generic, TypeVar, ClassVar, Optional
from dataclasses import dataclass, field
from functools import total_ordering
from enum import Enum
import re, logging

T = TypeVar("T")
log = logging.getLogger(__name__)


class Kind(Enum):
    A = "a"
    B = "b"


class Base(ABC):
    PATTERN = re.compile("x+")
    KINDS = ("a", "b")
    LIMITS = {"a": 1}
    default: ClassVar[str] = "d"

    def __init__(self, text: str, other: Optional[str] = None):
        self.text = text
        self.other = other

    @abstractmethod
    def get(self): ...
    @property
    @abc.abstractmethod
    def prop(self): ...
    def run(self):
        log.info("x")
        return self.get()


class Impl(Base):
    def get(self):
        return self.text

    @property
    def prop(self):
        return self.other


@final
class Fin(Impl):
    def get(self):
        return self.PATTERN.sub("", self.text) + self.KINDS[0]


class Gen(Generic[T]):
    def __init__(self, x):
        self.x = x

    def get(self):
        return self.x


class Proto(Protocol):
    def get(self): ...


class UsesProto(Proto):
    def __init__(self, x):
        self.x = x

    def get(self):
        return self.x


@total_ordering
class Ord:
    def __init__(self, x):
        self.x = x

    def __lt__(self, o):
        return self.x < o.x

    def __eq__(self, o):
        return self.x == o.x

    def get(self):
        return self.x


@dataclass
class Conf:
    name: str
    kinds: list = field(default_factory=list)
    kind: Kind = Kind.A

    def label(self):
        return self.name + self.kind.value


class Err(Exception):
    def __init__(self, t):
        super().__init__(t)
        self.t = t


class Ctx:
    def __init__(self, t):
        self.t = t

    def __enter__(self):
        return self

    def __exit__(self, *a):
        return False


def do_impl(s, t):
    return Impl(s, t).run()


def do_prop(s, t):
    return Impl(s, t).prop


def do_fin(s, t):
    return Fin(s, t).run()


def do_gen(s, t):
    return Gen(s).get()


def do_proto(s, t):
    return UsesProto(s).get()


def do_ord(s, t):
    return max(Ord(s), Ord(t)).get()


def do_conf(s, t):
    return Conf(s).label() + t


def do_conf2(s, t):
    c = Conf(s, [t])
    return c.kinds


def do_err(s, t):
    try:
        raise Err(s)
    except Err as e:
        return e.t


def do_ctx(s, t):
    with Ctx(s) as c:
        return c.t


def do_kind(s, t):
    return Kind(s[0].lower()).value if s[0].lower() in ("a", "b") else t
