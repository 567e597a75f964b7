// What became of records in all outputs: which are to be deleted, and which to be made again, as they are of others too.

import { useNumbers, usePageWords } from "./language";
import { NotKnown } from "./NotKnown";
import type { RecordPlace } from "./places";

interface DescendantRecord extends RecordPlace {
  readonly output: string;
  readonly alone: boolean;
  readonly there: boolean;
}

export interface DescendantsAnswer {
  readonly asked: number;
  readonly total: number;
  readonly records: readonly DescendantRecord[];
  readonly unknown: readonly { readonly output: string; readonly reason: string }[];
}

export function Descendants({ answer }: { readonly answer: DescendantsAnswer }) {
  const words = usePageWords();
  const numbers = useNumbers();
  const hidden = answer.total - answer.records.length;
  return (
    <>
      <p>
        {words.descendants(numbers(answer.asked), numbers(answer.total))}
        {hidden > 0 && <strong> {words.hidden(numbers(hidden))}</strong>}
      </p>
      <NotKnown texts={answer.unknown.map((each) => words.outputNotKnown(each.output, each.reason))} />
      {answer.records.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{words.output}</th>
              <th scope="col">{words.record}</th>
              <th scope="col">{words.todo}</th>
            </tr>
          </thead>
          <tbody>
            {answer.records.map((each) => (
              <tr key={`${each.file} ${each.position}`}>
                <td>{each.output}</td>
                <td>{`${each.file}: ${each.position}`}</td>
                <td>{each.there ? (each.alone ? words.remove : words.again) : words.replaced}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
