// The newest runs that wrote or read a dataset, with the tests that failed in them, beside the picture.

import { jobTitle } from "../lineage/job_titles";
import type { DatasetRef } from "../lineage/names";
import { useAddress } from "../page/address";
import { Problem } from "../page/Problem";
import { useAnswer } from "../server/useAnswer";
import { useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { FailedTests } from "./quality";
import { State } from "./State";

const NEWEST = 3;

export function NewestRuns({ dataset: { namespace, name } }: { readonly dataset: DatasetRef }) {
  const words = useWords();
  const [, go] = useAddress();
  const momentText = useMomentText();
  const { data, error } = useAnswer("DatasetHistory", { namespace, name, first: NEWEST });
  const entries = data?.datasetHistory.edges ?? [];
  return (
    <section className="newest-runs">
      <h3>{words.program.newestRuns}</h3>
      {error && <Problem error={error} />}
      {data && entries.length === 0 && <p className="quiet">{words.runs.noRuns}</p>}
      <ul>
        {entries.map(({ node: { run, read, wrote } }) => (
          <li key={run.runId}>
            <State state={run.state} />{" "}
            <button type="button" className="link" onClick={() => go({ view: "runs", job: run.job })}>
              {jobTitle(run.job.name)}
            </button>{" "}
            <span className="quiet">{momentText(run.startedAt)}</span>
            <FailedTests used={[...wrote, ...read]} />
          </li>
        ))}
      </ul>
      <button
        type="button"
        onClick={() => go({ view: "runs", dataset: { namespace, name }, path: [], job: null })}
      >
        {words.program.allRuns}
      </button>
    </section>
  );
}
