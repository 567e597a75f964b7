// The moments of a dataset: the ends of the runs that wrote it.
import { useInfiniteQuery } from "@tanstack/react-query";

import { jobTitle } from "../lineage/job_titles";
import type { DatasetRef } from "../lineage/names";
import { type Answer, ask, type ServerError } from "../server/client";

export interface Moment {
  readonly at: string;
  readonly job: string;
}

type Run = Answer<"DatasetRuns">["datasetRuns"]["edges"][number]["node"];

const PAGE = 100;

/** The moments at which runs that wrote the dataset ended, oldest first, each once. */
export function momentsOf(runs: Iterable<Run>): Moment[] {
  const moments = new Map<number, Moment>();
  for (const { endedAt, startedAt, job } of runs) {
    const at = endedAt ?? startedAt;
    if (at) {
      moments.set(Date.parse(at), { at, job: jobTitle(job.name) });
    }
  }
  return [...moments].sort(([one], [other]) => one - other).map(([, moment]) => moment);
}

/** The place of the newest moment that is not after the given one; -1 where all are. */
export function placeOf(moments: readonly Moment[], at: string): number {
  const time = Date.parse(at);
  return moments.findLastIndex((moment) => Date.parse(moment.at) <= time);
}

export function useMoments({ namespace, name }: DatasetRef) {
  return useInfiniteQuery<Answer<"DatasetRuns">, ServerError, Moment[], readonly unknown[], string | null>({
    queryKey: ["moments", namespace, name],
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) =>
      ask("DatasetRuns", { namespace, name, use: "OUTPUT", first: PAGE, after: pageParam }, signal),
    getNextPageParam: ({ datasetRuns: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    select: ({ pages }) => momentsOf(pages.flatMap((page) => page.datasetRuns.edges.map(({ node }) => node))),
  });
}

/** A moment as the value of an input of local date and time, to the second. */
export function asLocal(at: string): string {
  const time = new Date(at);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
