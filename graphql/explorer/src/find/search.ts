// What the server knows by a text: names that contain it; else names with all of its words; else similar names.
import { type Answer, ask, type Variables } from "../server/client";
import { editDistance, type Hit, hasAll, lastName, ranked, wordsOf } from "./rank";

export interface Results {
  readonly hits: readonly Hit[];
  /** Whether there are more than these. */
  readonly more: boolean;
}

/** How many hits are shown, and how many are looked through for one with all words or a similar name. */
const SHOWN = 30;
const LOOKED_THROUGH = 500;
/** How many words are looked for, and in how many of the datasets so found their paths. */
const MOST_WORDS = 4;
const OPENED = 5;
/** The number of letters of a mistyped word by whose beginning or end similar steps of paths are looked for. */
const PART = 3;
const MOST_MISTAKES = 2;

export async function find(text: string, signal: AbortSignal): Promise<Results> {
  const whole = await search({ text, first: SHOWN }, signal);
  let hits = hitsOf(whole);
  let more = whole.pageInfo.hasNextPage;
  const words = wordsOf(text);
  if (hits.length < SHOWN && words.length > 1) {
    hits = [...hits, ...(await withAll(words, signal))];
  }
  if (hits.length === 0) {
    hits = await similar(text.trim(), signal);
    more = false;
  }
  const best = ranked(hits, text);
  return { hits: best.slice(0, SHOWN), more: more || best.length > SHOWN };
}

async function search(variables: Variables<"Search">, signal: AbortSignal) {
  return (await ask("Search", variables, signal)).search;
}

function hitsOf(found: Answer<"Search">["search"]): Hit[] {
  return found.edges.map(({ node }) => node);
}

/** Hits that have all words, in any order: those of each word, looked through for the others. */
async function withAll(words: readonly string[], signal: AbortSignal): Promise<Hit[]> {
  const found = await Promise.all(
    words.slice(0, MOST_WORDS).map((text) => search({ text, first: LOOKED_THROUGH }, signal)),
  );
  const any = found.flatMap(hitsOf);
  const all = any.filter((hit) => hasAll(hit, words));
  const datasets = ranked(
    any.filter(({ kind }) => kind === "DATASET"),
    words.join(" "),
  );
  const inside = datasets.slice(0, OPENED).map((dataset) => pathsOf(dataset, signal));
  return [...all, ...(await Promise.all(inside)).flat().filter((hit) => hasAll(hit, words))];
}

/** The paths of a dataset: a word may name it, and another one a path in it. */
async function pathsOf({ namespace, name }: Hit, signal: AbortSignal): Promise<Hit[]> {
  const { dataset } = await ask("Dataset", { namespace, name }, signal);
  return (dataset?.paths ?? []).map(({ path, label }) => {
    return { kind: "PATH", namespace, name, path, label, matches: [] };
  });
}

async function similar(text: string, signal: AbortSignal): Promise<Hit[]> {
  const { nearNames } = await ask("NearNames", { text, kinds: ["DATASET", "JOB", "OWNER", "TAG"] }, signal);
  const found = nearNames.map(async (name) =>
    hitsOf(await search({ text: name, first: 5 }, signal)).map((hit) => ({ ...hit, similar: name })),
  );
  return [...(await Promise.all(found)).flat(), ...(await similarPaths(text, signal))];
}

/** Paths whose last step differs by few letters: those that begin or end like the text, looked through. */
async function similarPaths(text: string, signal: AbortSignal): Promise<Hit[]> {
  if (text.length <= PART) {
    return [];
  }
  const parts = [...new Set([text.slice(0, PART), text.slice(-PART)])];
  const found = await Promise.all(
    parts.map((part) => search({ text: part, kinds: ["PATH"], first: LOOKED_THROUGH }, signal)),
  );
  return found.flatMap(hitsOf).flatMap((hit) => {
    const name = lastName(hit);
    const mistakes = editDistance(text.toLowerCase(), name.toLowerCase());
    return mistakes <= MOST_MISTAKES ? [{ ...hit, similar: name }] : [];
  });
}
