// What records became in an output: its records as JSON, with the paths marked that they made; or what dropped them.

import { type Step, titleOf } from "./Answer";
import { usePageWords } from "./language";
import { Legend, MarkedRecord } from "./MarkedRecord";
import { placeText, type RecordPlace } from "./places";

interface BecameRecord extends RecordPlace {
  readonly value: unknown;
  readonly paths: readonly { readonly path: string; readonly contributes: boolean }[];
}

export interface BecameAnswer {
  readonly records: readonly BecameRecord[];
  readonly more: boolean;
}

const NO_TITLES = new Map<number, string>();
const NO_OPERATORS = { accessedBy: [], manipulatedBy: [] };

export function Became({
  answer,
  dropped,
}: {
  readonly answer: BecameAnswer;
  readonly dropped: readonly Step[];
}) {
  const words = usePageWords();
  if (answer.records.length === 0) {
    return (
      <p>
        {words.becameNothing}
        {dropped.length > 0 && ` ${words.droppedBy(dropped.map(titleOf).join(", "))}`}
      </p>
    );
  }
  return (
    <>
      <p>
        {words.became(String(answer.records.length))}
        {answer.more && <strong> {words.more}</strong>} <Legend />
      </p>
      {answer.records.map((record) => (
        <article key={placeText(record)}>
          <h2>
            <small>{`${record.file}: ${record.position}`}</small>
          </h2>
          <MarkedRecord
            value={record.value}
            paths={record.paths.map((each) => ({ ...each, ...NO_OPERATORS }))}
            titles={NO_TITLES}
          />
        </article>
      ))}
    </>
  );
}
