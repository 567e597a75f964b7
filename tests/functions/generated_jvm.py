"""Writes functions in Java by chance, runs them on changed inputs, and judges what is read of their instructions:
``python -m functions.generated_jvm --count 2000`` with a JDK and the built jar.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from functions.grammar import Grammar, Writer
from functions.jvm.record import classpath
from headwater_functions.flows import reading_of
from headwater_functions.jvm.function import analyse
from headwater_functions.resolve import Form
from headwater_functions.unreadable import UnreadableError
from headwater_plan.readings import ReadFlow
from headwater_plan.types import AtomicType, StructField, StructType

TEXT = AtomicType("string")
TYPES = (TEXT, TEXT, StructType((StructField("city", TEXT), StructField("zip", TEXT))))
LEAVES = {"a": (0, ()), "b": (1, ()), "city": (2, ("city",)), "zip": (2, ("zip",))}
IN_ONE_FILE = 250

GRAMMAR = Grammar(
    expressions={
        "t": [
            "a",
            "b",
            "r.getString(0)",
            "r.getString(1)",
            '((String) r.getAs("city"))',
            '((String) r.getAs("zip"))',
            "String.valueOf(r.get(<i> & 1))",
            '"k"',
            "<t>.trim()",
            "<t>.toUpperCase()",
            "<t>.concat(<t>)",
            "(<t> + <t>)",
            "<t>.substring(<t>.length() / 2)",
            "<t>.replace('e', 'i')",
            "(<b> ? <t> : <t>)",
            "String.valueOf(<i>)",
            "String.valueOf(<l>)",
            'String.join("-", <t>, <t>)',
            'String.format("%s/%s", <t>, <i>)',
            "helped(<t>, <t>)",
            "looped(<t>, <i>)",
            "filled(new StringBuilder(<t>), <t>)",
            "placed(new String[] {<t>, <t>}, <i>)",
            "switched(<t>, <t>)",
            "wide(<l>, <t>, <d>)",
            "<s>.toString()",
            "<s>.append(<t>).toString()",
            "<s>.reverse().toString()",
            "<x>[0]",
            "<x>[<i> & 1]",
            "Objects.toString(<t>)",
            "new String(<t>.toCharArray())",
            "new BigDecimal(<i>).add(BigDecimal.ONE).toString()",
            "Base64.getEncoder().encodeToString(<t>.getBytes())",
            "LocalDate.of(2020, 1, 1).plusDays(<i>).toString()",
            "recursed(<t>, <i> & 3)",
            "first(<t>, <t>)",
        ],
        "i": [
            "3",
            "<t>.length()",
            "<t>.indexOf('o')",
            "<t>.hashCode()",
            "(<i> + <i>)",
            "(<i> % 7)",
            "((int) <l>)",
            "(<t>.isEmpty() ? 1 : 0)",
            "(<t>.charAt(0) - 'a')",
            "Math.max(<i>, <i>)",
            "Integer.valueOf(<i>)",
            "counted(<t>)",
            "(<b> ? <i> : <i>)",
        ],
        "l": [
            "7L",
            "((long) <i>)",
            "(<l> * 3L)",
            "(<l> << 2)",
            "(<b> ? <l> : 1L)",
            "Long.valueOf((long) <i>).longValue()",
        ],
        "d": ["1.5", "((double) <i>)", "(<d> / 3.0)", "Math.sqrt(Math.abs(<d>))"],
        "b": [
            "<t>.startsWith(<t>)",
            "<t>.equals(<t>)",
            "(<i> > <i>)",
            "(<l> < <l>)",
            "(<d> <= <d>)",
            "(<b> && <b>)",
            "(<b> || !<b>)",
            "<t>.isEmpty()",
            "(<t> == null)",
            "Objects.equals(<t>, <t>)",
            "r.isNullAt(0)",
        ],
        "s": ["new StringBuilder(<t>)", "new StringBuilder().append(<i>).append(<t>)"],
        "x": ["new String[] {<t>, <t>}"],
    },
    statements=[
        ("t", "String @ = <t>;"),
        ("t", "String @ = <t>; if (<b>) { @ = <t>; }"),
        ("t", "String @ = <t>; if (<b>) { @ = <t>; } else { @ += <t>; }"),
        ("t", 'String @ = ""; for (int n@ = 0; n@ < (<i> & 3); n@++) { @ += <t>; }'),
        ("t", "String @ = <t>; for (char c@ : <t>.toCharArray()) { if (c@ == 'o') { @ = <t>; break; } }"),
        (
            "t",
            'String @ = <t>; switch (<t>) { case "k": @ = <t>; break; case "one": @ += "x"; default: @ += <t>; }',
        ),
        ("t", "String @ = <t>; do { @ = @ + <t> + 'x'; } while (@.length() < 9);"),
        ("i", "int @ = <i>;"),
        ("i", "int @ = <i>; @ += <i>; @++;"),
        ("l", "long @ = <l>;"),
        ("l", "long @ = 0L; for (int n@ = 0; n@ < <t>.length(); n@++) { @ = @ * 31L + <t>.length(); }"),
        ("d", "double @ = <d>;"),
        ("s", "StringBuilder @ = new StringBuilder(<t>);"),
        ("s", "StringBuilder @ = new StringBuilder(); StringBuilder o@ = @; o@.append(<t>);"),
        ("s", "StringBuilder @ = new StringBuilder(<t>); if (<b>) { @.append(<t>); }"),
        ("s", "StringBuilder @ = <b> ? new StringBuilder(<t>) : new StringBuilder(<t>); @.insert(0, <t>);"),
        ("s", "StringBuilder @ = new StringBuilder(); for (String e@ : <x>) { @.append(e@); }"),
        ("x", "String[] @ = new String[2]; @[0] = <t>; @[1] = <t>;"),
        ("x", "String[] @ = {<t>, <t>}; String[] o@ = @; o@[<i> & 1] = <t>;"),
        ("x", "String[][] m@ = {{<t>, <t>}, {<t>, <t>}}; String[] @ = m@[<i> & 1];"),
        (
            "x",
            "String[] @ = <t>.length() > 4 ? new String[] {<t>, <t>} : new String[] {<t>, <t>}; @[1] = <t>;",
        ),
    ],
    results=["<t>", "<t>", "<t>", "<i>", "<l>", "<b>", "<d>"],
)
HEAD = """
import io.headwater.spark.code.Functions;
import io.headwater.spark.document.Json;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.*;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF3;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.types.*;

public final class Generated {
  static final StructType TYPE =
      new StructType().add("city", DataTypes.StringType).add("zip", DataTypes.StringType);
  static final String[] VALUES = {"one", "Two words", "zed", "k", "  oo ", "a longer text", "9"};
  static final String[] LEAVES = {"a", "b", "city", "zip"};

  private static String helped(String one, String other) {
    return one.length() > other.length() ? other.toLowerCase() : one;
  }

  private static String looped(String text, int times) {
    StringBuilder made = new StringBuilder();
    for (int i = 0; i < (times & 3); i++) {
      made.append(text);
    }
    return made.toString();
  }

  private static String filled(StringBuilder held, String text) {
    held.append(text);
    return held.toString();
  }

  private static String placed(String[] held, int place) {
    held[0] = held[1];
    return held[place & 1];
  }

  private static String switched(String text, String other) {
    switch (text.length() % 4) {
      case 0:
        return other;
      case 1:
        return text;
      case 2:
        text = other + "!";
      default:
        return text + "?";
    }
  }

  private static String wide(long number, String text, double other) {
    long sum = number + (long) other;
    return sum % 2 == 0 ? text : String.valueOf(sum);
  }

  private static int counted(String text) {
    int found = 0;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == 'o') {
        found++;
      }
    }
    return found;
  }

  private static String recursed(String text, int deep) {
    return deep <= 0 ? text : recursed(text + deep, deep - 1);
  }

  private static <T> T first(T one, T other) {
    return one != null ? one : other;
  }

  static Object of(UDF3<String, String, Row, Object> function, String[] given) throws Exception {
    return function.call(given[0], given[1], new GenericRowWithSchema(new Object[] {given[2], given[3]}, TYPE));
  }

  static void judge(String name, UDF3<String, String, Row, Object> function) {
    Set<String> changed = new TreeSet<>();
    Set<String> shown = new TreeSet<>();
    Random chance = new Random(7);
    int ended = 0;
    for (int start = 0; start < 12; start++) {
      String[] given = new String[4];
      for (int i = 0; i < 4; i++) {
        given[i] = VALUES[chance.nextInt(VALUES.length)];
      }
      try {
        Object before = of(function, given);
        ended++;
        for (int i = 0; i < 4; i++) {
          for (String value : VALUES) {
            String[] other = given.clone();
            other[i] = value;
            try {
              Object after = of(function, other);
              if (!Objects.equals(before, after)) {
                changed.add(LEAVES[i]);
                if (value.length() > 6 && String.valueOf(after).contains(value)) {
                  shown.add(LEAVES[i]);
                }
              }
            } catch (Exception e) {
              continue;
            }
          }
        }
      } catch (Exception e) {
        continue;
      }
    }
    Json out = new Json(1 << 10);
    out.raw("{").field("name", name).field("ended", ended).field("changed", String.join(" ", changed));
    out.field("shown", String.join(" ", shown)).key("function").raw("{");
    Functions.write(function, out);
    System.out.println(out.raw("}}"));
  }
"""


class Found(NamedTuple):
    """What a function did, what was read of it, and why nothing was."""

    source: str
    changed: list[str]
    shown: list[str]
    flows: tuple[ReadFlow, ...]
    opaque: str

    def missed(self) -> list[str]:
        """The leaves that changed the result, or can be read in it, and are not listed so."""
        if self.opaque:
            return []
        ways = {
            leaf: [f for f in self.flows if f.argument == place and _related(f.source, path)]
            for leaf, (place, path) in LEAVES.items()
        }
        weak = (
            leaf
            for leaf in self.shown
            if not any(f.decides or f.retains.readable or f.retains.value == "PART" for f in ways[leaf])
        )
        return [*(leaf for leaf in self.changed if not ways[leaf]), *weak]


def _related(listed: tuple[str, ...], changed: tuple[str, ...]) -> bool:
    return listed[: len(changed)] == changed[: len(listed)]


def _written(chance: Random, count: int) -> Iterator[tuple[str, str]]:
    for number in range(count):
        text = Writer(GRAMMAR, chance).function("", 5).strip()
        lines = [line.strip() for line in text.split("\n")]
        yield f"f{number}", "\n".join([*lines[:-1], f"{lines[-1]};"])


def found(seed: int, count: int) -> Iterator[Found]:
    """Functions that end on some of their inputs."""
    chance = Random(seed)
    left = count
    while left > 0:
        few = dict(_written(chance, min(left, IN_ONE_FILE)))
        left -= len(few)
        with tempfile.TemporaryDirectory() as folder:
            printed = _run(few, Path(folder))
        for line in printed:
            each = json.loads(line)
            if each["ended"]:
                yield _read(few[each["name"]], each)


def _read(source: str, each: dict[str, Any]) -> Found:
    changed, shown = each["changed"].split(), each["shown"].split()
    try:
        analysis = analyse(each["function"], len(TYPES))
    except UnreadableError as e:
        return Found(source, changed, shown, (), f"{e.code}: {e.reason}")
    return Found(source, changed, shown, reading_of(analysis, TYPES, TEXT, Form.VALUES).flows, "")


def _run(functions: dict[str, str], folder: Path) -> list[str]:
    """The lines that the program prints with those functions that a compiler takes, each in a method of its own."""
    calls = "\n".join(f'    judge("{name}", Generated::{name});' for name in functions)
    methods = "\n".join(
        f"  private static Object {name}(String a, String b, Row r) {{\n{body}\n  }}"
        for name, body in functions.items()
    )
    main = f"  public static void main(String[] given) {{\n{calls}\n  }}"
    (folder / "Generated.java").write_text(f"{HEAD}\n{methods}\n{main}\n}}\n", "utf-8")
    home = Path(os.environ["JAVA_HOME"]) / "bin"
    options = ["--release", "17", "-nowarn", "-cp", classpath(), "-d", str(folder)]
    subprocess.run([str(home / "javac"), *options, str(folder / "Generated.java")], check=True)
    command = [str(home / "java"), "-Xmx512m", "-cp", f"{folder}{os.pathsep}{classpath()}", "Generated"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().split("\n")


def main() -> int:
    """The command; 1 if a change was missed."""
    parser = argparse.ArgumentParser(description="Write functions in Java by chance, and judge what is read.")
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opaque", action="store_true", help="print what is not read, too")
    given = parser.parse_args()
    judged = missed = read = 0
    for each in found(given.seed, given.count):
        judged, read = judged + 1, read + (not each.opaque)
        if each.missed():
            missed += 1
            print(f"MISSED {each.missed()}\n{each.source}", flush=True)
        elif given.opaque and each.opaque:
            print(f"opaque {each.opaque}")
    print(f"{judged} functions of seed {given.seed}: {missed} missed, {read} read")
    return min(1, missed)


if __name__ == "__main__":
    raise SystemExit(main())
