// All jobs with the state of their newest run, which news brings up to date.
import { useEffect, useMemo, useState } from "react";

import { jobTitle } from "../lineage/job_titles";
import { useAddress } from "../page/address";
import { Heads } from "../page/Heads";
import { Problem } from "../page/Problem";
import type { Answer } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { useMomentText } from "../time/localised";
import { useWords } from "../words/words";
import { durationText, secondsBetween } from "./figures";
import { LiveMark } from "./LiveMark";
import { type News, useNews } from "./news";
import { State } from "./State";

type Listed = Answer<"Jobs">["jobs"]["edges"][number]["node"];

const TYPING = 250;

export function JobList() {
  const words = useWords();
  const [{ jobsLike: text }, go] = useAddress();
  const search = useSettled(text);
  const [count, setCount] = useState(50);
  const { data, error, isLoading } = useAnswer("Jobs", { search, first: count });
  const live = useNews({});
  const jobs = useMemo(
    () => latest(data?.jobs.edges.map((edge) => edge.node) ?? [], [...live.news.values()], search),
    [data, live.news, search],
  );
  return (
    <section className="runs">
      <header>
        <h1>{words.runs.jobs}</h1>
        <label>
          {words.runs.find}
          <input
            type="search"
            value={text}
            onChange={(event) => go({ jobsLike: event.target.value }, "same")}
          />
        </label>
        <LiveMark live={live} />
      </header>
      {error && <Problem error={error} />}
      {isLoading && <output>{words.loading}</output>}
      {data && jobs.length === 0 && <p>{search ? words.runs.noJobs : words.nothing}</p>}
      {jobs.length > 0 && <JobTable jobs={jobs} />}
      {data?.jobs.pageInfo.hasNextPage && count < 1_000 && (
        <button type="button" onClick={() => setCount(Math.min(count * 2, 1_000))}>
          {words.runs.more}
        </button>
      )}
    </section>
  );
}

function JobTable({ jobs }: { readonly jobs: readonly Listed[] }) {
  const words = useWords().runs;
  const [, go] = useAddress();
  const momentText = useMomentText();
  return (
    <table>
      <Heads of={[words.job, words.state, words.started, words.duration, words.error]} />
      <tbody>
        {jobs.map(({ namespace, name, lastRun }) => (
          <tr key={JSON.stringify([namespace, name])}>
            <th scope="row">
              <button
                type="button"
                className="link"
                title={name}
                onClick={() => go({ job: { namespace, name } })}
              >
                {jobTitle(name)}
              </button>
              <span className="quiet"> {namespace}</span>
            </th>
            <td>{lastRun ? <State state={lastRun.state} /> : words.noneYet}</td>
            <td>{momentText(lastRun?.startedAt ?? null)}</td>
            <td>{durationText(lastRun?.durationSeconds ?? null)}</td>
            <td className="message">{lastRun?.error}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The jobs with what news says of their runs: those that are new come first, others keep their place. */
export function latest(jobs: readonly Listed[], news: readonly News[], search: string): readonly Listed[] {
  const byJob = new Map(jobs.map((job) => [keyOf(job), job]));
  const fresh: Listed[] = [];
  for (const each of news) {
    const { namespace, name } = each.job;
    const known = byJob.get(keyOf(each.job));
    const listed = { namespace, name, lastRun: { ...each, durationSeconds: secondsOf(each) } };
    if (known ? !isOlder(each, known) : `${namespace} ${name}`.toLowerCase().includes(search.toLowerCase())) {
      byJob.set(keyOf(each.job), listed);
      if (!known) {
        fresh.unshift(listed);
      }
    }
  }
  return [...fresh, ...jobs].map((job) => byJob.get(keyOf(job)) ?? job);
}

function isOlder(news: News, { lastRun }: Listed): boolean {
  const started = news.startedAt ?? news.endedAt;
  return (
    !!lastRun && lastRun.runId !== news.runId && !!lastRun.startedAt && (started ?? "") < lastRun.startedAt
  );
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return JSON.stringify([namespace, name]);
}

function secondsOf({ startedAt, endedAt }: News): number | null {
  return secondsBetween(startedAt, endedAt);
}

/** The text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
