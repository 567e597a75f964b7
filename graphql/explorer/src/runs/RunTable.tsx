// Runs as a table, newest first; each can be opened for its details.
import { Fragment, useState } from "react";

import { useWords } from "../words/words";
import { durationText, momentText, type Run, rowsOf } from "./figures";
import { RunDetails } from "./RunDetails";
import { State } from "./State";

const COLUMNS = 6;

export function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  const words = useWords().runs;
  const [opened, setOpened] = useState<string | null>(null);
  const language = document.documentElement.lang;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{words.started}</th>
          <th scope="col">{words.state}</th>
          <th scope="col">{words.duration}</th>
          <th scope="col">{words.rowsRead}</th>
          <th scope="col">{words.rowsWritten}</th>
          <th scope="col">{words.error}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Fragment key={run.runId}>
            <tr>
              <th scope="row">
                <button
                  type="button"
                  className="link"
                  aria-expanded={opened === run.runId}
                  aria-label={words.details(momentText(run.startedAt, language) || run.runId)}
                  onClick={() => setOpened(opened === run.runId ? null : run.runId)}
                >
                  {momentText(run.startedAt, language) || run.runId}
                </button>
              </th>
              <td>
                <State state={run.state} />
              </td>
              <td>{durationText(run.durationSeconds)}</td>
              <td>{rowsOf(run.inputs)?.toLocaleString() ?? words.notKnown}</td>
              <td>{rowsOf(run.outputs)?.toLocaleString() ?? words.notKnown}</td>
              <td className="message">{run.error}</td>
            </tr>
            {opened === run.runId && (
              <tr>
                <td colSpan={COLUMNS}>
                  <RunDetails run={run} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}
