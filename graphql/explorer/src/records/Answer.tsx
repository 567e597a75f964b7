// The records that values were made of, by source, as JSON with the paths marked that contribute or only decided.

import { useNumbers, usePageWords } from "./language";
import { Legend, MarkedRecord, roleOf, roleText, type Titles } from "./MarkedRecord";
import type { FoundPath } from "./marked";
import { NotKnown } from "./NotKnown";
import type { RecordPlace } from "./places";

export interface SourceRecord extends RecordPlace {
  readonly source: string;
  readonly value: unknown;
  readonly unread: string | null;
  readonly paths: readonly FoundPath[];
}

export interface Step {
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

interface Props {
  readonly answer: RecordsAnswer;
  /** Asks what became of a record. */
  readonly follow: (place: RecordPlace) => void;
}

export function Answer({ answer, follow }: Props) {
  const titles = new Map(answer.steps.map((each) => [each.number, titleOf(each)]));
  const words = usePageWords();
  const numbers = useNumbers();
  const hidden = answer.total - answer.records.length;
  return (
    <>
      <p>
        {words.found(numbers(answer.rows), numbers(answer.total))}
        {hidden > 0 && <strong> {words.hidden(numbers(hidden))}</strong>} <Legend />
      </p>
      <NotKnown texts={answer.unknown.map((each) => words.notKnown(each.file, each.reason))} />
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
            {record.source} <small>{`${record.file}: ${record.position}`}</small>{" "}
            <button type="button" onClick={() => follow(record)}>
              {words.follow}
            </button>
          </h2>
          {record.unread ? (
            <Paths record={record} titles={titles} />
          ) : (
            <MarkedRecord value={record.value} paths={record.paths} titles={titles} />
          )}
        </article>
      ))}
    </>
  );
}

export function titleOf(step: Step): string {
  return `${step.number} ${step.title}`;
}

function Paths({ record, titles }: { readonly record: SourceRecord; readonly titles: Titles }) {
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
