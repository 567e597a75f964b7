// The records of an answer, by source, as JSON with the paths marked that contribute or only decided.

import { type PAGES, useNumbers, usePageWords } from "./language";
import { type FoundPath, type Line, lines } from "./marked";

export interface SourceRecord {
  readonly source: string;
  readonly file: string;
  readonly position: number;
  readonly value: unknown;
  readonly unread: string | null;
  readonly paths: readonly FoundPath[];
}

interface Step {
  readonly number: number;
  readonly title: string;
}

export interface RecordsAnswer {
  readonly rows: number;
  readonly total: number;
  readonly steps: readonly Step[];
  readonly stages: readonly { readonly output: string; readonly steps: readonly Step[] }[];
  readonly unknown: readonly { readonly file: string; readonly reason: string }[];
  readonly records: readonly SourceRecord[];
}

export function Answer({ answer }: { readonly answer: RecordsAnswer }) {
  const titles = new Map(answer.steps.map((each) => [each.number, titleOf(each)]));
  const words = usePageWords();
  const numbers = useNumbers();
  const hidden = answer.total - answer.records.length;
  return (
    <section aria-live="polite">
      <p>
        {words.found(numbers(answer.rows), numbers(answer.total))}
        {hidden > 0 && <strong> {words.hidden(numbers(hidden))}</strong>}{" "}
        <mark className="contributes">{words.contributes}</mark>{" "}
        <mark className="influences">{words.influences}</mark>
      </p>
      {answer.unknown.map((each) => (
        <p key={each.file} role="alert">
          {words.notKnown(each.file, each.reason)}
        </p>
      ))}
      {answer.stages.length > 0 && (
        <ol>
          {answer.stages.map((each) => (
            <li key={each.steps[0]?.number ?? each.output}>
              {each.output} <small>{each.steps.map(titleOf).join(", ")}</small>
            </li>
          ))}
        </ol>
      )}
      {answer.records.map((record) => (
        <article key={`${record.source} ${record.file} ${record.position}`}>
          <h2>
            {record.source} <small>{`${record.file}: ${record.position}`}</small>
          </h2>
          {record.unread ? (
            <Paths record={record} titles={titles} />
          ) : (
            <Json record={record} titles={titles} />
          )}
        </article>
      ))}
    </section>
  );
}

function titleOf(step: Step): string {
  return `${step.number} ${step.title}`;
}

interface Props {
  readonly record: SourceRecord;
  readonly titles: ReadonlyMap<number, string>;
}

function Json({ record, titles }: Props) {
  return (
    <pre>
      {lines(record.value, record.paths).map((line, number) => (
        // The lines of a record never change their order.
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Marked key={number} line={line} titles={titles} />
      ))}
    </pre>
  );
}

function Marked({ line, titles }: { readonly line: Line; readonly titles: Props["titles"] }) {
  const words = usePageWords();
  const indent = "  ".repeat(line.depth);
  if (!line.found) {
    return <div>{indent + line.text}</div>;
  }
  return (
    <div>
      {indent}
      <mark className={roleOf(line.found)} title={roleText(line.found, titles, words)}>
        {line.text}
      </mark>
    </div>
  );
}

function Paths({ record, titles }: Props) {
  const words = usePageWords();
  const reason = record.unread ?? "";
  return (
    <>
      <p>{words.unread(words.reasons[reason] ?? reason)}</p>
      <ul>
        {record.paths.map((each) => (
          <li key={each.path}>
            <mark className={roleOf(each)} title={roleText(each, titles, words)}>
              {each.path || words.whole}
            </mark>
          </li>
        ))}
      </ul>
    </>
  );
}

function roleOf(found: FoundPath): string {
  return found.contributes ? "contributes" : "influences";
}

function roleText(found: FoundPath, titles: Props["titles"], words: (typeof PAGES)["en"]): string {
  const named = (numbers: readonly number[]) => numbers.map((each) => titles.get(each) ?? each).join(", ");
  return [
    found.contributes ? words.contributes : words.influences,
    ...(found.accessedBy.length > 0 ? [words.accessed(named(found.accessedBy))] : []),
    ...(found.manipulatedBy.length > 0 ? [words.manipulated(named(found.manipulatedBy))] : []),
  ].join("; ");
}
