// Whose records leaked records were made of: which attributes leaked, and which can be inferred.

import { useNumbers, usePageWords } from "./language";
import { NotKnown } from "./NotKnown";

interface Attribute {
  readonly source: string;
  readonly path: string;
}

interface Person {
  readonly person: unknown;
  readonly rows: number;
  readonly among: number;
  readonly leaked: readonly Attribute[];
  readonly inferred: readonly Attribute[];
}

export interface BreachAnswer {
  readonly rows: number;
  readonly persons: readonly Person[];
  readonly unknown: readonly { readonly source: string; readonly records: number }[];
}

export function Persons({ answer }: { readonly answer: BreachAnswer }) {
  const words = usePageWords();
  const numbers = useNumbers();
  return (
    <>
      <p>{words.breach(numbers(answer.rows), numbers(answer.persons.length))}</p>
      <NotKnown texts={answer.unknown.map((each) => words.nobodyKnown(each.source, numbers(each.records)))} />
      {answer.persons.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{words.person}</th>
              <th scope="col">{words.rows}</th>
              <th scope="col">{words.among}</th>
              <th scope="col">{words.leaked}</th>
              <th scope="col">{words.inferred}</th>
            </tr>
          </thead>
          <tbody>
            {answer.persons.map((each) => (
              <tr key={JSON.stringify(each.person)}>
                <td>{String(each.person)}</td>
                <td>{numbers(each.rows)}</td>
                <td>{numbers(each.among)}</td>
                <td>
                  <Attributes found={each.leaked} mark="contributes" />
                </td>
                <td>
                  <Attributes found={each.inferred} mark="influences" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Attributes({ found, mark }: { readonly found: readonly Attribute[]; readonly mark: string }) {
  return found.map((each) => (
    <div key={`${each.source}#${each.path}`}>
      <mark className={mark} title={each.source}>
        {each.path}
      </mark>
    </div>
  ));
}
