// The questions of the page: what each takes, and how it is asked.

import type { RecordsAnswer, Step } from "./Answer";
import { ask, type Problem } from "./ask";
import type { BecameAnswer } from "./Became";
import type { DescendantsAnswer } from "./Descendants";
import type { BreachAnswer } from "./Persons";
import { placesOf } from "./places";
import type { SourceUsage } from "./Usage";

/** What was filled in; a question takes some of it. */
export interface Values {
  readonly output: string;
  readonly text: string;
  readonly through: boolean;
  readonly records: string;
  readonly people: string;
  readonly key: string;
  readonly person: string;
}

export type Name = keyof Values;

export type Answered =
  | { readonly kind: "why"; readonly answer: RecordsAnswer }
  | { readonly kind: "became"; readonly answer: BecameAnswer; readonly dropped: readonly Step[] }
  | { readonly kind: "everywhere" | "subject"; readonly answer: DescendantsAnswer }
  | { readonly kind: "breach"; readonly answer: BreachAnswer }
  | { readonly kind: "usage"; readonly answer: readonly SourceUsage[] };

export type Kind = Answered["kind"];

/** What each question takes; a pattern may be left out. */
export const QUESTIONS: Readonly<Record<Kind, readonly Name[]>> = {
  why: ["output", "text", "through"],
  became: ["output", "records"],
  everywhere: ["records"],
  breach: ["output", "text", "people", "key"],
  subject: ["people", "key", "person"],
  usage: [],
};

const FOUND = "{ asked total unknown { output reason } records { output file position alone there } }";
const QUERIES: Readonly<Record<Kind | "whyNot", string>> = {
  why: `query Why($output: String!, $text: String, $through: Boolean!) {
    why(output: $output, text: $text, through: $through) { rows total steps { number title }
    stages { output steps { number title } } unknown { file reason }
    records { source file position value unread paths { path contributes accessedBy manipulatedBy } } } }`,
  became: `query Became($output: String!, $records: [RecordPlace!]!) {
    became(output: $output, records: $records) { more records { file position value paths { path contributes } } } }`,
  whyNot: `query WhyNot($output: String!, $records: [RecordPlace!]!) {
    whyNot(output: $output, records: $records) { number title } }`,
  everywhere: `query Everywhere($records: [RecordPlace!]!) { descendants(records: $records) ${FOUND} }`,
  breach: `query Breach($output: String!, $text: String, $people: String!, $key: String!) {
    breach(output: $output, text: $text, people: $people, key: $key) { rows unknown { source records }
    persons { person rows among leaked { source path } inferred { source path } } } }`,
  subject: `query Subject($people: String!, $key: String!, $person: String!) {
    subject(people: $people, key: $key, person: $person) ${FOUND} }`,
  usage: `query Usage { usage { source runs never paths { path contributes accessedBy { title runs } }
    together { paths runs } heat { file parts } proposals { change path runs } unknown { output reason } withoutRecords } }`,
};

/** The answer to a question, or what kept it from being one. */
export async function answered(
  kind: Kind,
  values: Values,
  key: string,
): Promise<{ found: Answered | null; problem: Problem | null }> {
  const variables = variablesOf(kind, values);
  const { data, problem } = await ask<Record<string, unknown>>(QUERIES[kind], variables, key);
  const answer = data && Object.values(data)[0];
  if (!answer) {
    return { found: null, problem };
  }
  if (kind === "became" && (answer as BecameAnswer).records.length === 0) {
    const dropped = await ask<{ whyNot: readonly Step[] }>(QUERIES.whyNot, variables, key);
    return {
      found: { kind, answer: answer as BecameAnswer, dropped: dropped.data?.whyNot ?? [] },
      problem: dropped.problem,
    };
  }
  return { found: { kind, answer, dropped: [] } as unknown as Answered, problem: null };
}

function variablesOf(kind: Kind, values: Values): Record<string, unknown> {
  const given = { ...values, text: values.text.trim() || null, records: placesOf(values.records) };
  return Object.fromEntries(QUESTIONS[kind].map((name) => [name, given[name]]));
}
