// Where it is kept which records made a dataset, and the way to the page that answers beside the data.
import type { DatasetRef } from "../lineage/names";
import { Heads } from "../page/Heads";
import { Problem } from "../page/Problem";
import type { Answer } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { usePreferences } from "../state/preferences";
import { useCounted, useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { recordsPage } from "./records_page";

type Kept = Answer<"DatasetRecords">["datasetRecords"]["edges"][number]["node"];
const MOST = 10;

export function KeptRecords({ dataset }: { readonly dataset: DatasetRef }) {
  const all = useWords();
  const words = all.keptRecords;
  const [{ language }] = usePreferences();
  const { data, error } = useAnswer("DatasetRecords", { ...dataset, first: MOST });
  const runs = data?.datasetRecords.edges.map(({ node }) => node) ?? [];
  const folders = [...new Set(runs.flatMap(({ records }) => (records ? [records.folder] : [])))];
  if (error) {
    return <Problem error={error} />;
  }
  if (runs.length === 0) {
    return null;
  }
  return (
    <section className="kept-records" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p>
        {words.why} {words.start}
      </p>
      <ul>
        {folders.map((folder) => (
          <li key={folder}>
            <code>{`headwater records serve --records '${folder.replaceAll("'", "'\\''")}'`}</code>
          </li>
        ))}
      </ul>
      <p>
        <a href={recordsPage(dataset.name, language)} target="_blank" rel="noreferrer">
          {words.open}
        </a>{" "}
        <span className="quiet">{words.elsewhere}</span>
      </p>
      <KeptTable runs={runs} />
      {data?.datasetRecords.pageInfo.hasNextPage && <p className="quiet">{all.cut}</p>}
    </section>
  );
}

function KeptTable({ runs }: { readonly runs: readonly Kept[] }) {
  const { keptRecords: words, runs: runWords } = useWords();
  const momentText = useMomentText();
  const counted = useCounted();
  return (
    <table>
      <Heads of={[runWords.started, words.mode, words.records, words.folder]} />
      <tbody>
        {runs.map(
          ({ runId, startedAt, records }) =>
            records && (
              <tr key={`${runId} ${records.entry}`}>
                <td>{momentText(startedAt)}</td>
                <td>
                  {records.refused
                    ? `${words.refused}: ${[records.refused, records.operator].filter(Boolean).join(", ")}`
                    : (words.modes[records.mode] ?? records.mode)}
                </td>
                <td>{records.rows === null ? runWords.notKnown : counted(records.rows)}</td>
                <td>{records.folder}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}
