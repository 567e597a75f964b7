// What is found by a text, best first: whole names before their beginnings, and these before what is within them.
import { readableSteps, shortName } from "../lineage/names";
import type { Answer } from "../server/client";

type Found = Answer<"Search">["search"]["edges"][number]["node"];

/** A dataset, path or job that a text found; `similar` is the name that resembles the text where none contains it. */
export type Hit = Found & { readonly similar?: string };

const WHOLE = 0;
const START = 1;
const WORD = 2;
const WITHIN = 3;
const ELSEWHERE = 4;

/** The words of a text, in lower case. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether each of the words is somewhere in the names of the hit, or in what it matched by. */
export function hasAll(hit: Hit, words: readonly string[]): boolean {
  const known = [hit.namespace, hit.name, hit.label, ...hit.matches.map((match) => match.text)];
  const all = known.join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
}

/** The name by which people know the hit: the last step of a path, the last part of a name. */
export function lastName(hit: Pick<Hit, "path" | "name">): string {
  return readableSteps(hit.path).at(-1) ?? shortName(hit.name);
}

/** The hits, each once, best first. */
export function ranked(hits: Iterable<Hit>, text: string): Hit[] {
  const each = new Map<string, Hit>();
  for (const hit of hits) {
    const key = JSON.stringify([hit.kind, hit.namespace, hit.name, hit.path]);
    each.set(key, each.get(key) ?? hit);
  }
  const scored = [...each.values()].map((hit) => ({ hit, score: score(hit, text) }));
  return scored.sort((one, other) => compare(one.score, other.score)).map(({ hit }) => hit);
}

function score(hit: Hit, text: string): readonly number[] {
  const wanted = wordsOf(hit.similar ?? text);
  const name = lastName(hit).toLowerCase();
  const places = wanted.map((word) => placeOf(word, name));
  return [hit.similar ? 1 : 0, Math.min(...places, ELSEWHERE), hit.path.length, hit.name.length];
}

function placeOf(word: string, name: string): number {
  if (name === word || name === `${word}[]`) {
    return WHOLE;
  }
  const at = name.indexOf(word);
  if (at < 0) {
    return ELSEWHERE;
  }
  return at === 0 ? START : /[^a-z0-9]/.test(name.charAt(at - 1)) ? WORD : WITHIN;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] as number) - (other[at] as number);
}

/** How many letters must be put in, left out or changed to make one text of the other. */
export function editDistance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (before[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      row.push(Math.min(change, (before[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    before = row;
  }
  return before[other.length] as number;
}
