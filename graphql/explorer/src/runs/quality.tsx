// Quality of a dataset, as a run found it: tests with their outcome, and figures of its columns.

import { shortName } from "../lineage/names";
import { useAddress } from "../page/address";
import { Heads } from "../page/Heads";
import type { Answer } from "../server/client";
import { useWords } from "../words/words";

type Used = Answer<"DatasetHistory">["datasetHistory"]["edges"][number]["node"]["wrote"][number];

export function Tests({ assertions }: { readonly assertions: Used["assertions"] }) {
  const words = useWords().runs;
  if (assertions.length === 0) {
    return null;
  }
  return (
    <ul className="tests">
      {assertions.map((each) => (
        <li key={JSON.stringify(each)} className={each.success ? undefined : "failed"}>
          {each.success ? `✓ ${words.passed}` : `✗ ${words.failed}`} {each.name ?? each.assertion}{" "}
          {each.column}
          {!each.success && each.expected && ` – ${words.expected} ${each.expected}`}
          {!each.success && each.actual && `, ${words.actual} ${each.actual}`}
        </li>
      ))}
    </ul>
  );
}

type Tested = Pick<
  Answer<"JobRuns">["jobRuns"]["edges"][number]["node"]["inputs"][number],
  "namespace" | "name" | "assertions"
>;

/** The tests of what a run read and wrote that failed, each with the way to its dataset's runs. */
export function FailedTests({ used }: { readonly used: readonly Tested[] }) {
  const words = useWords();
  const [, go] = useAddress();
  const failed = used.flatMap(({ namespace, name, assertions }) =>
    assertions.filter(({ success }) => !success).map((test) => ({ namespace, name, test })),
  );
  if (failed.length === 0) {
    return null;
  }
  return (
    <ul className="tests" aria-label={words.program.failedTests}>
      {failed.map(({ namespace, name, test }) => (
        <li key={JSON.stringify([namespace, name, test])} className="failed">
          ✗ {words.runs.failed}{" "}
          <button
            type="button"
            className="link"
            title={name}
            onClick={() => go({ view: "runs", dataset: { namespace, name }, path: [], job: null })}
          >
            {words.program.failedTestOf(testName(test), shortName(name))}
          </button>
          {test.expected && ` – ${words.runs.expected} ${test.expected}`}
          {test.actual && `, ${words.runs.actual} ${test.actual}`}
        </li>
      ))}
    </ul>
  );
}

function testName({ name, assertion, column }: Tested["assertions"][number]): string {
  return [name ?? assertion, column].filter(Boolean).join(" ");
}

export function Metrics({ quality }: { readonly quality: NonNullable<Used["quality"]> }) {
  const words = useWords().runs;
  return (
    <details>
      <summary>{words.metrics}</summary>
      <table>
        <Heads of={[words.column, words.nulls, words.distinct, words.least, words.most]} />
        <tbody>
          {quality.columns.map((each) => (
            <tr key={each.column}>
              <th scope="row">{each.column}</th>
              <td>{each.nullCount}</td>
              <td>{each.distinctCount}</td>
              <td>{each.min}</td>
              <td>{each.max}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
