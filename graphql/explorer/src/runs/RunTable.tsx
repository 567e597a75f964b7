// Runs as a table, newest first; each can be opened for its details.
import { Fragment, useState } from "react";

import { Heads } from "../page/Heads";
import { useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { durationText, type Run } from "./figures";
import { FailedTests } from "./quality";
import { RunDetails } from "./RunDetails";
import { State } from "./State";
import { useRowsText } from "./useRowsText";

const COLUMNS = 6;

export function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  const words = useWords().runs;
  const [opened, setOpened] = useState<string | null>(null);
  const momentText = useMomentText();
  const rows = useRowsText();
  return (
    <table>
      <Heads
        of={[words.started, words.state, words.duration, words.rowsRead, words.rowsWritten, words.error]}
      />
      <tbody>
        {runs.map((run) => (
          <Fragment key={run.runId}>
            <tr>
              <th scope="row">
                <button
                  type="button"
                  className="link"
                  aria-expanded={opened === run.runId}
                  aria-label={words.details(momentText(run.startedAt) || run.runId)}
                  onClick={() => setOpened(opened === run.runId ? null : run.runId)}
                >
                  {momentText(run.startedAt) || run.runId}
                </button>
              </th>
              <td>
                <State state={run.state} />
              </td>
              <td>{durationText(run.durationSeconds)}</td>
              <td>{rows(run.inputs)}</td>
              <td>{rows(run.outputs)}</td>
              <td className="message">
                {run.error}
                <FailedTests used={[...run.outputs, ...run.inputs]} />
              </td>
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
