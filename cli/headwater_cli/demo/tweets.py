"""Generator of the demo's tweets: nested like real ones, with fictional users.

The same seed gives the same tweets. Names are built from invented syllables, so that they match no real person.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

SEED = 20260611
PEOPLE = 60
TWEETS = 600
BEGIN = datetime(2026, 6, 11, 8, 0, tzinfo=timezone.utc)
QUIET_SHARE = 0.4

_ONSETS = ("Bre", "Cal", "Dor", "Fen", "Gri", "Hal", "Ister", "Jor", "Kel", "Lum", "Mar", "Nev", "Orl", "Pel")
_ENDS = (
    "anda",
    "bert",
    "dine",
    "fara",
    "gund",
    "ia",
    "lan",
    "mira",
    "nor",
    "o",
    "ric",
    "tessa",
    "vin",
    "wyn",
)
_FAMILY = ("Ashgrove", "Brindle", "Coldbrook", "Dunmarsh", "Elmsford", "Farrowdale", "Glimmer", "Hollowell")
_PLACES = ("Nether Quill", "Port Sable", "Upper Tarn", "Vell", "Wyke Hollow", "")
_TOPICS = ("rivers", "rain", "bridges", "mills", "ferries", "springs")
_LINES = (
    "The {topic} are loud this morning",
    "Who else walks to the {topic} before work?",
    "New map of the {topic}, at last",
    "Nothing about {topic} surprises me any more",
    "Photos of the {topic} tonight",
)
_LANGUAGES = ("en", "de", "fr", "ja")


def write_tweets(file: Path) -> int:
    """Write the tweets, one JSON object per line, and return their number."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(tweet, ensure_ascii=False) for tweet in tweets()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def tweets(count: int = TWEETS, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Yield ``count`` tweets, oldest first."""
    chance = random.Random(seed)  # noqa: S311 - reproducible data, not cryptography
    people = [_person(chance, number) for number in range(PEOPLE)]
    for number in range(count):
        yield _tweet(chance, people, number)


def _person(chance: random.Random, number: int) -> dict[str, Any]:
    first = chance.choice(_ONSETS) + chance.choice(_ENDS)
    family = chance.choice(_FAMILY)
    return {
        "id_str": str(7_000_000_000 + number * 7919),
        "name": f"{first} {family}",
        "screen_name": f"{first.lower()}_{family.lower()[:4]}{number}",
        "location": chance.choice(_PLACES),
        "followers_count": chance.randrange(5_000),
        "verified": chance.random() < 0.05,
    }


def _tweet(chance: random.Random, people: list[dict[str, Any]], number: int) -> dict[str, Any]:
    topic = chance.choice(_TOPICS)
    mentioned = chance.sample(people, k=chance.choice((0, 0, 1, 1, 2, 3)))
    greeting = "".join(f"@{person['screen_name']} " for person in mentioned)
    created = BEGIN + timedelta(minutes=3 * number)
    return {
        "created_at": created.strftime("%a %b %d %H:%M:%S +0000 %Y"),
        "id_str": str(505_874_000_000_000_000 + number),
        "text": f"{greeting}{chance.choice(_LINES).format(topic=topic)} #{topic}",
        "lang": chance.choice(_LANGUAGES),
        "retweet_count": 0 if chance.random() < QUIET_SHARE else chance.randrange(1, 90),
        "user": chance.choice(people),
        "entities": {
            "hashtags": [{"text": topic}],
            "user_mentions": [_mention(person) for person in mentioned],
        },
    }


def _mention(person: dict[str, Any]) -> dict[str, str]:
    return {key: person[key] for key in ("id_str", "name", "screen_name")}
