import math
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass
from functools import reduce
from statistics import mean

from functions.examples import example
from pyspark.sql import Row

WEIGHTS = {"age": 0.3, "income": 0.5, "visits": 0.2}
THRESHOLDS = [(0, "low"), (50, "mid"), (80, "high")]
Point = namedtuple("Point", "x y")


@dataclass
class Score:
    value: float
    label: str


@example(40, 50000.0, 12)
def weighted(age, income, visits):
    return WEIGHTS["age"] * age + WEIGHTS["income"] * income / 1000 + WEIGHTS["visits"] * visits


@example(72)
def label(score):
    result = "none"
    for limit, name in THRESHOLDS:
        if score >= limit:
            result = name
    return result


@example(52.5, 13.4, 48.1, 11.6)
def distance(lat1, lon1, lat2, lon2):
    p = math.pi / 180
    a = (
        0.5
        - math.cos((lat2 - lat1) * p) / 2
        + math.cos(lat1 * p) * math.cos(lat2 * p) * (1 - math.cos((lon2 - lon1) * p)) / 2
    )
    return 12742 * math.asin(math.sqrt(a))


@example(0.7)
def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


@example([1.0, 2.0, 4.0])
def average(values):
    return sum(values) / len(values) if values else None


@example([1.0, 2.0, 4.0])
def summary(values):
    return {"n": len(values), "min": min(values), "max": max(values), "mean": mean(values)}


@example(10.0, 0)
def safe_divide(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return 0.0


@example(Row(age=40, income=100.0, name="Ada"))
def score_row(person):
    score = 0
    if person.age > 30:
        score += 10
    if person["income"] > 50:
        score += 20
    return Score(score, person.name)


@example("the cat and the dog")
def most_common_word(text):
    return Counter(text.split()).most_common(1)[0][0]


@example(["a", "b", "a"])
def counts(items):
    result = defaultdict(int)
    for item in items:
        result[item] += 1
    return dict(result)


@example(3, 4)
def point(x, y):
    p = Point(x, y)
    return math.hypot(p.x, p.y)


@example([1, 2, 3])
def product(values):
    return reduce(lambda a, b: a * b, values, 1)


@example(100.0, 0.05, 10)
def compound(principal, rate, years):
    amount = principal
    for _ in range(years):
        amount *= 1 + rate
    return round(amount, 2)


@example(100.0, "gold", True)
def price(amount, tier, member):
    discount = {"gold": 0.2, "silver": 0.1}.get(tier, 0.0)
    if not member:
        discount = 0.0
    return amount * (1 - discount)


@example(17)
def is_prime(n):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


@example(180.0, 80.0)
def bmi(height, weight):
    value = weight / (height / 100) ** 2
    category = "normal" if value < 25 else "over"
    return Row(value=value, category=category)


@example(5)
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@example("kitten", "sitting")
def levenshtein(a, b):
    previous = list(range(len(b) + 1))
    for i, ca in enumerate(a):
        current = [i + 1]
        for j, cb in enumerate(b):
            current.append(min(previous[j + 1] + 1, current[j] + 1, previous[j] + (ca != cb)))
        previous = current
    return previous[-1]


@example({"a", "b"}, {"b", "c"})
def jaccard(a, b):
    union = a | b
    return len(a & b) / len(union) if union else 0.0


@example(3.0, None)
def coalesce_sum(a, b):
    return (a or 0) + (b or 0)


@example(10, 20, 30)
def largest(a, b, c):
    return max(a, b, c)


@example(10, 20)
def ordered(a, b):
    return sorted([a, b])


@example(5, 3)
def operators(a, b):
    return {"sum": a + b, "difference": a - b, "product": a * b, "greater": a > b, "left": a}


@example(12)
def bits(n):
    return bin(n).count("1")


@example([3, 1, 2], 2)
def top(values, n):
    return sorted(values, reverse=True)[:n]


@example([Row(name="a", score=3), Row(name="b", score=5)])
def best(rows):
    return max(rows, key=lambda r: r.score).name


@example([Row(x=1.0, y=2.0), Row(x=2.0, y=3.0)])
def centre(points):
    n = len(points)
    return {"x": sum(p.x for p in points) / n, "y": sum(p.y for p in points) / n}


@example(5, "x", 2.0)
def unused(a, b, c):
    return a * 2


@example(5, "x")
def constant_result(a, b):
    return 42


@example(7)
def walrus(n):
    if (double := n * 2) > 10:
        return double
    return 0


@example(1, 2)
def swap(a, b):
    a, b = b, a
    return {"a": a, "b": b}


@example(4, 5)
def overwritten(a, b):
    x = a
    x = b
    return x
