// The states of the newest runs of the jobs in a picture: asked for once, and brought up to date by news.
import { useMemo } from "react";

import { datasetKey, type JobRef } from "../lineage/names";
import type { Card } from "../picture/model";
import { isClosed } from "../picture/titles";
import type { Answer } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { type News, useNews } from "./news";

type Known = Pick<Answer<"NewestRuns">["newestRuns"][number], "runId" | "job" | "state" | "startedAt">;

/** The most jobs whose states are asked for; of others, what there is news of is known. */
const MOST_JOBS = 1_000;

/** The state of the newest run of each job card, by its id; of a moment in the past, none is known. */
export function useRunStates(cards: readonly Card[], asOf: string | null): ReadonlyMap<string, string> {
  const jobs = useMemo(() => jobsOf(cards), [cards]);
  const wanted = asOf === null && jobs.length > 0;
  const asked = useAnswer("NewestRuns", wanted ? { jobs } : null, true);
  const live = useNews({}, wanted);
  return useMemo(
    () => (wanted ? statesOf(asked.data?.newestRuns ?? [], [...live.news.values()]) : new Map()),
    [wanted, asked.data, live.news],
  );
}

function jobsOf(cards: readonly Card[]): JobRef[] {
  const open = cards.filter((card) => card.kind === "job" && !isClosed(card));
  return open.slice(0, MOST_JOBS).map(({ namespace, name }) => ({ namespace, name }));
}

/** The newest of what is known: news of a run counts, unless it began before the run that is known already. */
export function statesOf(known: readonly Known[], news: readonly News[]): ReadonlyMap<string, string> {
  const newest = new Map(known.map((run) => [jobCard(run.job), run] as const));
  for (const run of news) {
    const id = jobCard(run.job);
    const before = newest.get(id);
    if (!before || before.runId === run.runId || (before.startedAt ?? "") <= (run.startedAt ?? "\uffff")) {
      newest.set(id, run);
    }
  }
  return new Map([...newest].flatMap(([id, { state }]) => (state ? [[id, state] as const] : [])));
}

/** The id of the job's card. */
function jobCard(job: JobRef): string {
  return `job ${datasetKey(job)}`;
}
