"""The truths that are planted, and the random jobs around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kit.planted import (
    AMOUNT,
    INFLUENCES,
    MAIL,
    MOVES,
    OPERATIONS,
    Holds,
    Place,
    Planter,
    Planting,
    Step,
    Steps,
)

MAIL_PATH: Final = ("mail",)
_CARRY: Final = {
    "copy": "identity",
    "extract": "identity",
    "nest": "identity",
    "pick": "identity",
    "compute": "transformed",
    "cast": "transformed",
    "opaque": "transformed",
    "listed": "transformed",
    "top": "transformed",
    "part": "transformed",
    "short hash": "transformed",
    "bare mask": "transformed",
    "running sum": "transformed",
    "most": "identity",
    "verbatim mask": "identity",
}
_DECIDED: Final = ("condition", "lookup", "compare")
_MASKED: Final = {"mask": "masked", "blur": "masked", "size": "masked"}
_PSEUDONYMISED: Final = {
    "hash": "pseudonymised",
    "scramble": "pseudonymised",
    "token": "pseudonymised",
    "tokenize": "pseudonymised",
}
_ORDER: Final = (
    "identity",
    "transformed",
    "derived",
    "pseudonymised",
    "aggregated",
    "masked",
    "possible",
    "influenced",
)


def planted(seed: int, jobs: int = 12) -> Planting:
    """Some plantings of each seed, and that many random jobs around them."""
    planter = Planter(seed)
    for planting in planter.chance.sample(_PLANTINGS, k=planter.chance.randint(2, 5)):
        planting(planter)
    _surround(planter, jobs)
    planter.chance.shuffle(planter.found.events)
    return planter.found


def _people(planter: Planter) -> str:
    return planter.table("people", "id", "mail", "town", "amount", mail=MAIL)


def _route(planter: Planter, start: Place, hows: list[str]) -> Place:
    """A chain of jobs, each of which makes one path, flat or nested, of the one before."""
    at = start
    for how in hows:
        path = planter.chance.choice([("x",), ("user", "x"), ("list", "_element", "x")])
        made = planter.table("step", ".".join(path), "other")
        planter.job(made, Step(at, how, path))
        at = (made, path)
    return at


def _leak(planter: Planter) -> None:
    hows = planter.chance.choices(list(_CARRY), k=planter.chance.randint(1, 5))
    start = (_people(planter), MAIL_PATH)
    form = max((_CARRY[how] for how in hows), key=_ORDER.index)
    planter.found.holds.append(Holds(start, _route(planter, start, hows), frozenset({form})))


def _leak_of_a_subtree(planter: Planter) -> None:
    """A struct is copied as a whole, and one of its members is personal."""
    source = planter.table("nested", "user.mail", "user.town", "id", user__mail=MAIL)
    copied = planter.table("copied", "author.mail", "author.town", "id")
    planter.job(copied, Step((source, ("user",)), "copy", ("author",)))
    end = planter.table("end", "mail", "town")
    planter.job(
        end,
        Step((copied, ("author", "mail")), "extract", ("mail",)),
        Step((copied, ("author", "town")), "extract", ("town",)),
    )
    attribute = (source, ("user", "mail"))
    planter.found.holds.append(Holds(attribute, (end, ("mail",)), frozenset({"identity"})))
    planter.found.holds.append(Holds(attribute, (end, ("town",)), frozenset()))


def _leak_by_another_name(planter: Planter) -> None:
    """What reads the dataset knows it by its other name."""
    start = (_people(planter), MAIL_PATH)
    made = planter.table("made", "mail")
    planter.aliases[made] = f"{made}_table"
    planter.job(made, Step(start, "copy", MAIL_PATH))
    end = planter.table("end", "mail")
    planter.job(end, Step((made, MAIL_PATH), "compute", MAIL_PATH))
    planter.found.holds.append(Holds(start, (end, MAIL_PATH), frozenset({"transformed"})))


def _masked(planter: Planter) -> None:
    """Two routes to one path, on each of which something masks or makes a pseudonym."""
    start, end = (_people(planter), MAIL_PATH), planter.table("masked", "x", "y")
    steps, forms = [], set()
    for _ in range(2):
        how, form = planter.chance.choice(list({**_MASKED, **_PSEUDONYMISED}.items()))
        hows = [how, *planter.chance.choices(list(_CARRY), k=planter.chance.randint(0, 2))]
        planter.chance.shuffle(hows)
        steps.append(Step(_route(planter, start, hows), "copy", ("x",)))
        forms.add(form)
    planter.job(end, *steps)
    planter.found.holds.append(Holds(start, (end, ("x",)), frozenset(forms)))


def _derived(planter: Planter) -> None:
    """A decision by the value, or by its pseudonym, writes what the program says of it; one by a mask tells no more."""
    start = (_people(planter), MAIL_PATH)
    first, form = planter.chance.choice([("copy", "derived"), ("hash", "derived"), ("mask", "masked")])
    end = _route(planter, start, [first, planter.chance.choice(_DECIDED), "copy"])
    if first == "hash" and planter.chance.random() < 0.5:
        end, form = _route(planter, end, ["hash"]), "pseudonymised"
    planter.found.holds.append(Holds(start, end, frozenset({form})))


def _tested_for_null(planter: Planter) -> None:
    """Whether the value is null decides, as in ``coalesce``: nothing of it is there."""
    start = (_people(planter), MAIL_PATH)
    planter.found.holds.append(Holds(start, _route(planter, start, ["null test"]), frozenset()))


def _pseudonym_made_readable(planter: Planter) -> None:
    start = (_people(planter), MAIL_PATH)
    how, form = planter.chance.choice([("decrypt", "transformed"), ("detokenize", "identity")])
    end = _route(planter, start, [planter.chance.choice(list(_PSEUDONYMISED)), "copy", how])
    planter.found.holds.append(Holds(start, end, frozenset({form})))


def _crossing(planter: Planter) -> None:
    """Attributes of different persons meet in one path, and in one dataset."""
    one, other = (_people(planter), MAIL_PATH), (_people(planter), MAIL_PATH)
    end = planter.table("crossing", "both", "one", "other")
    planter.job(
        end,
        Step(one, "compute", ("both",)),
        Step(other, "compute", ("both",)),
        Step(one, "copy", ("one",)),
        Step(other, "hash", ("other",)),
    )
    for start, path, form in (
        (one, "both", "transformed"),
        (other, "both", "transformed"),
        (one, "one", "identity"),
        (other, "other", "pseudonymised"),
    ):
        planter.found.holds.append(Holds(start, (end, (path,)), frozenset({form})))
    planter.found.holds.append(Holds(other, (end, ("one",)), frozenset()))


def _aggregate(planter: Planter) -> None:
    """A sum, by a person, by the person's pseudonym, or by a town."""
    people = planter.table("payments", "mail", "town", "amount", mail=MAIL, amount=AMOUNT)
    key, form = planter.chance.choice(
        [("mail", "transformed"), ("hash", "transformed"), ("town", "aggregated")]
    )
    if key == "hash":
        hashed = planter.table("hashed", "mail", "amount")
        planter.job(
            hashed,
            Step((people, ("mail",)), "hash", ("mail",)),
            Step((people, ("amount",)), "copy", ("amount",)),
        )
        rows, by = hashed, ("mail",)
    else:
        rows, by = people, (key,)
    end = planter.table("totals", "total", "name")
    how = planter.chance.choice(["group", "window"])
    over: Steps = ("total",) if how == "window" else ()
    planter.job(end, Step((rows, ("amount",)), "sum", ("total",)), Step((rows, by), how, over), style="paths")
    held = (end, ("total",))
    start = (people, ("amount",))
    planter.found.holds.append(Holds(start, held, frozenset({form})))


def _aggregate_of_an_unknown_function(planter: Planter) -> None:
    """A producer that names no functions reports ``max`` as it reports a sum."""
    start, end = (_people(planter), MAIL_PATH), planter.table("greatest", "x")
    planter.job(end, Step(start, "sum", ("x",)), style="columns")
    planter.found.holds.append(Holds(start, (end, ("x",)), frozenset({"transformed"})))


def _key_that_is_an_aggregate(planter: Planter) -> None:
    """A list of a person's mails is made by person, and is a key itself."""
    people = planter.table("mails", "id", "mail", "amount", id=MAIL, mail=MAIL, amount=AMOUNT)
    listed = planter.table("listed", "mails", "amount")
    planter.job(
        listed,
        Step((people, ("mail",)), "sum", ("mails",)),
        Step((people, ("amount",)), "nest", ("amount",)),
        Step((people, ("id",)), "group", ()),
        style="paths",
    )
    end = planter.table("totals", "total")
    planter.job(
        end,
        Step((listed, ("amount",)), "sum", ("total",)),
        Step((listed, ("mails",)), "group", ()),
        style="paths",
    )
    planter.found.holds.append(Holds((people, ("amount",)), (end, ("total",)), frozenset({"transformed"})))


def _reidentified(planter: Planter) -> None:
    """A pseudonym meets the attribute of which it is made."""
    people = _people(planter)
    end = planter.table("joined", "token", "mail")
    token = _route(planter, (people, MAIL_PATH), [planter.chance.choice(list(_PSEUDONYMISED)), "copy"])
    planter.job(end, Step(token, "copy", ("token",)), Step((people, MAIL_PATH), "copy", MAIL_PATH))
    planter.found.reidentified.append((end, (people, MAIL_PATH)))


def _joined_with_a_key_table(planter: Planter) -> None:
    """A job joins pseudonyms with a key table, and takes what tells the person from there; another one does not."""
    people = _people(planter)
    hows = planter.chance.choices(list(_PSEUDONYMISED), k=2)
    tokens, keys = planter.table("tokens", "user.token", "amount"), planter.table("keys", "token", "mail")
    token = ("user", "token")
    planter.job(
        tokens,
        Step((people, MAIL_PATH), hows[0], token),
        Step((people, ("amount",)), "copy", ("amount",)),
    )
    planter.job(
        keys,
        Step((people, MAIL_PATH), hows[1], ("token",)),
        Step((people, MAIL_PATH), planter.chance.choice(["copy", "compute"]), MAIL_PATH),
    )
    joins = [
        Step((tokens, planter.chance.choice([token, ("user",)])), "join", ()),
        Step((keys, ("token",)), "join", ()),
    ]
    amount = Step((tokens, ("amount",)), "copy", ("amount",))
    named, masked = planter.table("named", "who", "amount"), planter.table("unnamed", "who", "amount")
    planter.job(named, amount, Step((keys, MAIL_PATH), "copy", ("who",)), *joins)
    planter.job(masked, amount, Step((keys, MAIL_PATH), "mask", ("who",)), *joins, style="paths")
    planter.found.joined.append((named, (people, MAIL_PATH)))


def _nowhere(planter: Planter) -> None:
    """An attribute of which nothing is copied, beside one that is."""
    people = planter.table("people", "mail", "town", mail=MAIL)
    end = planter.table("towns", "town")
    planter.job(end, Step((people, ("town",)), "copy", ("town",)))
    planter.found.nowhere.append((people, MAIL_PATH))


def _no_lineage(planter: Planter) -> None:
    """A job without lineage, or with a facet that lists nothing, reads what holds the attribute."""
    start = (_people(planter), MAIL_PATH)
    at, _ = _route(planter, start, planter.chance.choices(list(_CARRY), k=planter.chance.randint(0, 2)))
    planter.job(planter.table("copy", "town"), Step((start[0], ("town",)), "copy", ("town",)))
    end = planter.table("untraced", "x")
    planter.job(end, reads=[at], style=planter.chance.choice(["none", "columns"]))
    planter.found.incomplete.append(start)


def _unknown_expression(planter: Planter) -> None:
    """A path of an output is made of nobody knows what."""
    start = (_people(planter), MAIL_PATH)
    other = planter.table("other", "y")
    end = planter.table("partly", "x", "y")
    reason = planter.chance.choice(["UNKNOWN_EXPRESSION", "TRUNCATED", "RDD"])
    gap = {"reason": reason, "paths": planter.chance.choice([[["x"]], []])}
    planter.job(
        end,
        Step((other, ("y",)), "copy", ("y",)),
        reads=[start[0]],
        style="paths",
        complete=False,
        incomplete=[gap],
    )
    planter.found.incomplete.append(start)


def _unknown_expression_of_what_only_lineage_names(planter: Planter) -> None:
    """The run lists no inputs; that it reads the dataset is known from its lineage alone."""
    people = _people(planter)
    planter.job(planter.table("copy", "town"), Step((people, ("town",)), "copy", ("town",)))
    end = planter.table("partly", "x", "town")
    gap = {"reason": "UNKNOWN_EXPRESSION", "paths": [["x"]]}
    planter.job(
        end,
        Step((people, ("town",)), "copy", ("town",)),
        style="paths",
        lists_inputs=False,
        complete=False,
        incomplete=[gap],
    )
    planter.found.incomplete.append((people, MAIL_PATH))


_PLANTINGS: Final[list[Callable[[Planter], None]]] = [
    _leak,
    _leak,
    _leak_of_a_subtree,
    _leak_by_another_name,
    _masked,
    _derived,
    _tested_for_null,
    _pseudonym_made_readable,
    _crossing,
    _aggregate,
    _aggregate_of_an_unknown_function,
    _key_that_is_an_aggregate,
    _reidentified,
    _joined_with_a_key_table,
    _nowhere,
    _no_lineage,
    _unknown_expression,
    _unknown_expression_of_what_only_lineage_names,
]


def _surround(planter: Planter, jobs: int) -> None:
    """Jobs that read anything, and write tables of their own."""
    chance = planter.chance
    shapes = (("a", "b"), ("s.p", "s.q", "a"), ("list._element.p", "list._element.q", "b"))
    own = [planter.table("mesh", *chance.choice(shapes)) for _ in range(max(jobs // 2, 1))]
    untouched = {name for name, _ in planter.found.nowhere}
    readable = [name for name in planter.tables() if name not in untouched]
    for _ in range(jobs):
        sources = chance.sample(readable, k=min(len(readable), chance.randint(1, 3)))
        target = chance.choice(own)
        steps = [_random_step(planter, sources, target) for _ in range(chance.randint(1, 4))]
        # A plain facet cannot specify one input of one field twice.
        steps = list({(step.source, step.target): step for step in steps}.values())
        planter.job(target, *steps, reads=sources[:1])


def _random_step(planter: Planter, sources: list[str], target: str) -> Step:
    chance = planter.chance
    source = chance.choice(sources)
    path = chance.choice(planter.leaves(source))
    if chance.random() < 0.15:
        path = path[:-1] or path
    if chance.random() < 0.2:
        return Step((source, path), chance.choice(list(INFLUENCES)), ())
    into = chance.choice(planter.leaves(target))
    if chance.random() < 0.15:
        into = into[:-1] or into
    shape, other = planter.below((source, path)), planter.below((target, into))
    how = chance.choice(list(OPERATIONS))
    if shape and other and shape != other and how in MOVES:
        how = "compute"  # what only moves a struct keeps its members
    if how == "unspecified" and (shape or other):
        how = "opaque"  # search takes an unspecified flow of a struct for a copy of its members
    return Step((source, path), how, into)
