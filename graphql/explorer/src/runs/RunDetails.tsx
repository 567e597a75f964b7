// One run: inputs and outputs, tests, who started it, and what it started.

import { jobTitle } from "../lineage/job_titles";
import { useAddress } from "../page/address";
import { Problem } from "../page/Problem";
import { useAnswer } from "../server/useAnswer";
import { useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { DatasetList } from "./DatasetList";
import { durationText, type Run } from "./figures";
import { State } from "./State";

export function RunDetails({ run }: { readonly run: Run }) {
  const words = useWords().runs;
  const [, go] = useAddress();
  return (
    <div className="run-details">
      {run.error && <pre className="message error">{run.error}</pre>}
      <p className="quiet">{run.runId}</p>
      {run.parent && (
        <p>
          {words.parent}{" "}
          <button type="button" className="link" onClick={() => go({ job: run.parent?.job ?? null })}>
            {jobTitle(run.parent.job.name)}
          </button>
        </p>
      )}
      <div className="sides">
        <DatasetList title={words.inputs} datasets={run.inputs} />
        <DatasetList title={words.outputs} datasets={run.outputs} />
      </div>
      {run.tests.length > 0 && (
        <section>
          <h3>{words.tests}</h3>
          <ul>
            {run.tests.map((test) => (
              <li key={test.name}>
                {outcome(words, test.status)} {test.name} {test.severity && `(${test.severity})`}
              </li>
            ))}
          </ul>
        </section>
      )}
      {run.below && <Children run={run} below={run.below} />}
    </div>
  );
}

interface ChildrenProps {
  readonly run: Run;
  readonly below: NonNullable<Run["below"]>;
}

function Children({ run, below }: ChildrenProps) {
  const words = useWords();
  const [, go] = useAddress();
  const { data, error } = useAnswer("ChildRuns", { runId: run.runId });
  const momentText = useMomentText();
  return (
    <section>
      <h3>{words.runs.childRuns}</h3>
      <p>
        {words.runs.below(below.runs, durationText(below.seconds))}
        {below.cut && ` – ${words.cut}`}
      </p>
      {error && <Problem error={error} />}
      <ul>
        {data?.childRuns.edges.map(({ node }) => (
          <li key={node.runId}>
            <State state={node.state} />{" "}
            <button type="button" className="link" onClick={() => go({ job: node.job })}>
              {jobTitle(node.job.name)}
            </button>{" "}
            {momentText(node.startedAt)} {durationText(node.durationSeconds)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The outcome of a test, with a sign before it. */
function outcome(words: { passed: string; failed: string; skipped: string }, status: string): string {
  const known: Readonly<Record<string, string>> = {
    pass: `✓ ${words.passed}`,
    fail: `✗ ${words.failed}`,
    skip: `– ${words.skipped}`,
  };
  return known[status.toLowerCase()] ?? status;
}
