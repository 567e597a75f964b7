// A job: its state, what it reads and writes, and the history of its runs.
import { useEffect, useMemo, useState } from "react";
import { jobTitle } from "../lineage/job_titles";
import type { DatasetRef } from "../lineage/names";
import { useAddress } from "../page/address";
import { Problem } from "../page/Problem";
import type { Answer } from "../server/client";
import { answers, useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { DatasetList } from "./DatasetList";
import { FunctionProposals } from "./FunctionProposals";
import { FunctionList } from "./Functions";
import { figureOf } from "./figures";
import { HistoryChart } from "./HistoryChart";
import { JobSplit } from "./JobSplit";
import { LiveMark } from "./LiveMark";
import { useNews } from "./news";
import { ProgramFacts } from "./ProgramOf";
import { RunTable } from "./RunTable";
import { State } from "./State";

const REFRESH = 1_000;

export function JobPage({ job }: { readonly job: DatasetRef }) {
  const words = useWords();
  const [, go] = useAddress();
  const [count, setCount] = useState(50);
  const about = useAnswer("Job", job);
  const history = useAnswer("JobRuns", { ...job, first: count });
  const live = useNews({ namespace: job.namespace, job: job.name });
  useEffect(() => {
    if (live.news.size === 0) {
      return;
    }
    const timer = setTimeout(() => {
      void answers.invalidateQueries({ queryKey: ["Job"] });
      void answers.invalidateQueries({ queryKey: ["JobRuns"] });
    }, REFRESH);
    return () => clearTimeout(timer);
  }, [live.news]);
  const runs = useMemo(() => history.data?.jobRuns.edges.map((edge) => edge.node) ?? [], [history.data]);
  const figures = useMemo(() => runs.map(figureOf).reverse(), [runs]);
  const error = about.error ?? history.error;
  return (
    <section className="runs">
      <header>
        <button type="button" onClick={() => go({ job: null, dataset: null })}>
          {words.runs.allJobs}
        </button>
        <h1>
          {jobTitle(job.name)}{" "}
          <span className="quiet">
            {job.namespace} {jobTitle(job.name) === job.name ? "" : job.name}
          </span>
        </h1>
        <LiveMark live={live} />
      </header>
      {error && <Problem error={error} />}
      {about.data?.job && <About job={about.data.job} />}
      <h2>{words.runs.history}</h2>
      {history.isLoading && <output>{words.loading}</output>}
      {history.data && runs.length === 0 && <p>{words.runs.noRuns}</p>}
      {runs.length > 0 && <HistoryChart figures={figures} />}
      {runs.length > 0 && <RunTable runs={runs} />}
      {history.data?.jobRuns.pageInfo.hasNextPage && count < 1_000 && (
        <button type="button" onClick={() => setCount(Math.min(count * 2, 1_000))}>
          {words.runs.more}
        </button>
      )}
    </section>
  );
}

function About({ job }: { readonly job: NonNullable<Answer<"Job">["job"]> }) {
  const { runs: words, server } = useWords();
  return (
    <>
      {job.description && <p>{job.description}</p>}
      {job.lastRun && (
        <p>
          {words.state}: <State state={job.lastRun.state} />
        </p>
      )}
      <ProgramFacts job={job} />
      {job.split && <JobSplit split={job.split} />}
      {job.lastRun?.error && <pre className="message error">{job.lastRun.error}</pre>}
      <div className="sides">
        <DatasetList title={words.inputs} datasets={job.inputs} />
        <DatasetList title={words.outputs} datasets={job.outputs} />
      </div>
      <FunctionList functions={job.functions} />
      <FunctionProposals job={job} />
      {job.incomplete.length > 0 && (
        <details>
          <summary>
            {words.gaps} ({job.incomplete.length})
          </summary>
          <ul>
            {job.incomplete.map((gap) => (
              <li key={JSON.stringify(gap)}>
                <code>{gap.reason}</code> {gap.name} {gap.path.join(".")} {server.detail(gap.detail)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
