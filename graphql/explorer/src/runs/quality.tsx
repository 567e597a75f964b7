// Quality of a dataset, as a run found it: tests with their outcome, and figures of its columns.
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

export function Metrics({ quality }: { readonly quality: NonNullable<Used["quality"]> }) {
  const words = useWords().runs;
  return (
    <details>
      <summary>{words.metrics}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.column}</th>
            <th scope="col">{words.nulls}</th>
            <th scope="col">{words.distinct}</th>
            <th scope="col">{words.least}</th>
            <th scope="col">{words.most}</th>
          </tr>
        </thead>
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
