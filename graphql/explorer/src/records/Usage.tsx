// What the captured jobs use of their sources: which paths and together with which, and which parts of their files.

import { useNumbers, usePageWords } from "./language";
import { NotKnown } from "./NotKnown";

interface UsedPath {
  readonly path: string;
  readonly contributes: number;
  readonly accessedBy: readonly { readonly title: string; readonly runs: number }[];
}

interface UsedPair {
  readonly paths: readonly string[];
  readonly runs: number;
}

interface FileHeat {
  readonly file: string;
  readonly parts: readonly number[];
}

export interface SourceUsage {
  readonly source: string;
  readonly runs: number;
  readonly paths: readonly UsedPath[];
  readonly together: readonly UsedPair[];
  readonly never: readonly string[];
  readonly heat: readonly FileHeat[];
  readonly proposals: readonly { readonly change: string; readonly path: string; readonly runs: number }[];
  readonly unknown: readonly { readonly output: string; readonly reason: string }[];
  readonly withoutRecords: readonly string[];
}

export function Usage({ answer }: { readonly answer: readonly SourceUsage[] }) {
  const words = usePageWords();
  if (answer.length === 0) {
    return <p>{words.noUsage}</p>;
  }
  return answer.map((each) => <OfSource key={each.source} used={each} />);
}

function OfSource({ used }: { readonly used: SourceUsage }) {
  const words = usePageWords();
  const numbers = useNumbers();
  return (
    <article>
      <h2>
        {used.source} <small>{words.jobs(numbers(used.runs))}</small>
      </h2>
      <NotKnown texts={used.unknown.map((each) => words.usageNotKnown(each.output, each.reason))} />
      <Matrix used={used} />
      {used.never.length > 0 && <p>{words.never(used.never.join(", "))}</p>}
      {used.heat.map((each) => (
        <Heat key={each.file} heat={each} runs={used.runs} />
      ))}
      {used.withoutRecords.length > 0 && <p>{words.withoutRecords(used.withoutRecords.join(", "))}</p>}
      {used.proposals.length > 0 && (
        <ul>
          {used.proposals.map((each) => (
            <li key={`${each.change} ${each.path}`}>
              {(words.changes[each.change] ?? String)(each.path)}{" "}
              <small>{words.jobs(numbers(each.runs))}</small>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

/** Paths with each other: in how many jobs both are used. */
function Matrix({ used }: { readonly used: SourceUsage }) {
  const words = usePageWords();
  const numbers = useNumbers();
  const together = new Map(used.together.map((each) => [each.paths.join("\n"), each.runs]));
  const pair = (one: string, other: string) =>
    together.get(`${one}\n${other}`) ?? together.get(`${other}\n${one}`) ?? 0;
  return (
    <div className="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">{words.path}</th>
            <th scope="col">{words.contributes}</th>
            <th scope="col">{words.accessedBy}</th>
            {used.paths.map((each) => (
              <th key={each.path} scope="col">
                {each.path}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {used.paths.map((each) => (
            <tr key={each.path}>
              <th scope="row">{each.path}</th>
              <td>{numbers(each.contributes)}</td>
              <td>{each.accessedBy.map((by) => `${by.title} ${numbers(by.runs)}`).join(", ")}</td>
              {used.paths.map((other) => (
                <td key={other.path} className="pair" style={shade(pair(each.path, other.path) / used.runs)}>
                  {other.path === each.path ? "" : numbers(pair(each.path, other.path))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A file from its beginning to its end: the darker a part, the more jobs use its records. */
function Heat({ heat, runs }: { readonly heat: FileHeat; readonly runs: number }) {
  const words = usePageWords();
  const numbers = useNumbers();
  return (
    <div className="heat">
      <small>{heat.file}</small>
      <div role="img" aria-label={words.heat(heat.parts.map(numbers).join(", "))}>
        {heat.parts.map((each, number) => (
          // Parts are in the order of the file.
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <span key={number} style={shade(each / runs)} title={numbers(each)} />
        ))}
      </div>
    </div>
  );
}

function shade(share: number) {
  return {
    background: `color-mix(in srgb, var(--used) ${Math.round(100 * Math.min(1, share))}%, transparent)`,
  };
}
