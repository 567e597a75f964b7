// The history of a dataset: the runs that read or wrote it, with sizes, tests and metrics.
import { useMemo, useState } from "react";
import { jobTitle } from "../lineage/job_titles";
import type { DatasetRef } from "../lineage/names";
import { useAddress } from "../page/address";
import { Heads } from "../page/Heads";
import { Problem } from "../page/Problem";
import type { Answer } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { durationText, rowsOf, secondsBetween } from "./figures";
import { HistoryChart } from "./HistoryChart";
import { KeptRecords } from "./KeptRecords";
import { Metrics, Tests } from "./quality";
import { State } from "./State";
import { useRowsText } from "./useRowsText";

type Entry = Answer<"DatasetHistory">["datasetHistory"]["edges"][number]["node"];

export function DatasetPage({ dataset }: { readonly dataset: DatasetRef }) {
  const words = useWords();
  const [, go] = useAddress();
  const [count, setCount] = useState(50);
  const { data, error, isLoading } = useAnswer("DatasetHistory", { ...dataset, first: count });
  const entries = useMemo(() => data?.datasetHistory.edges.map((edge) => edge.node) ?? [], [data]);
  const figures = useMemo(
    () =>
      entries
        .filter((entry) => entry.wrote.length > 0)
        .map(({ run, wrote }) => ({
          id: run.runId,
          failed: run.state === "FAIL" || run.state === "ABORT",
          seconds: secondsBetween(run.startedAt, run.endedAt),
          rows: rowsOf(wrote),
        }))
        .reverse(),
    [entries],
  );
  return (
    <section className="runs">
      <header>
        <button type="button" onClick={() => go({ dataset: null, path: [] })}>
          {words.runs.allJobs}
        </button>
        <h1>
          {words.runs.runsOf} {dataset.name} <span className="quiet">{dataset.namespace}</span>
        </h1>
        <button type="button" onClick={() => go({ view: "picture" })}>
          {words.runs.showLineage}
        </button>
      </header>
      {error && <Problem error={error} />}
      {isLoading && <output>{words.loading}</output>}
      {data && entries.length === 0 && <p>{words.runs.noRuns}</p>}
      {figures.length > 0 && <HistoryChart figures={figures} />}
      {data && <KeptRecords dataset={dataset} />}
      {entries.length > 0 && <EntryTable entries={entries} />}
      {data?.datasetHistory.pageInfo.hasNextPage && count < 1_000 && (
        <button type="button" onClick={() => setCount(Math.min(count * 2, 1_000))}>
          {words.runs.more}
        </button>
      )}
    </section>
  );
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  const words = useWords().runs;
  return (
    <table>
      <Heads
        of={[
          words.job,
          words.use,
          words.state,
          words.started,
          words.duration,
          words.rowsRead,
          words.rowsWritten,
          words.tests,
        ]}
      />
      <tbody>
        {entries.map((entry) => (
          <EntryRow key={entry.run.runId} entry={entry} />
        ))}
      </tbody>
    </table>
  );
}

function EntryRow({ entry: { run, read, wrote } }: { readonly entry: Entry }) {
  const words = useWords().runs;
  const momentText = useMomentText();
  const rows = useRowsText();
  const [, go] = useAddress();
  const used = [...wrote, ...read];
  return (
    <tr>
      <th scope="row">
        <button type="button" className="link" onClick={() => go({ job: run.job })}>
          {jobTitle(run.job.name)}
        </button>
      </th>
      <td>{[wrote.length && words.wrote, read.length && words.read].filter(Boolean).join(", ")}</td>
      <td>
        <State state={run.state} />
      </td>
      <td>{momentText(run.startedAt)}</td>
      <td>{durationText(secondsBetween(run.startedAt, run.endedAt))}</td>
      <td>{read.length > 0 && rows(read)}</td>
      <td>{wrote.length > 0 && rows(wrote)}</td>
      <td>
        <Tests assertions={used.flatMap((each) => each.assertions)} />
        {used.map((each) => each.quality && <Metrics key={each.name} quality={each.quality} />)}
      </td>
    </tr>
  );
}
