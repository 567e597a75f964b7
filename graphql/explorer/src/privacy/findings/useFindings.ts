// Findings: violations of policies that were noticed.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";

import { type Answer, ask, type ServerError, type Variables } from "../../server/client";
import { pagesOf } from "../pages";
import type { FindingPlace } from "./places";

export type Finding = Answer<"Findings">["findings"]["edges"][number]["node"];
export const UNDECIDED = ["OPEN", "ACKNOWLEDGED"] as const;

const KEY = "Findings";
const PAGE = 1000;
const MOST_PAGES = 10;

/** Findings in these states, page by page. */
export function useFindings(variables: Variables<"Findings">) {
  return useInfiniteQuery<Answer<"Findings">, ServerError, Finding[], readonly unknown[], string | null>({
    queryKey: [KEY, variables],
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) => ask("Findings", { ...variables, after: pageParam }, signal),
    getNextPageParam: ({ findings: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    select: ({ pages }) => pages.flatMap((page) => page.findings.edges.map(({ node }) => node)),
  });
}

/** All findings that are open or acknowledged; nothing is asked while they are not wanted. */
export function useEveryFinding(wanted: boolean, asOf: string | null) {
  return useQuery<FindingPlace[], ServerError>({
    queryKey: [KEY, "places", asOf],
    enabled: wanted,
    queryFn: async ({ signal }) => {
      const pages = await pagesOf(
        async (after) =>
          (await ask("Findings", { states: UNDECIDED, asOf, first: PAGE, after }, signal)).findings,
        (page) => page.pageInfo,
        MOST_PAGES,
      );
      return pages.flatMap((page) => page.edges.map(({ node: { id, node } }) => ({ id, node })));
    },
  });
}

/** Decides about a finding, and asks for all findings anew; throws `ServerError`. */
export function useDecide(): (
  id: string,
  state: "ACKNOWLEDGED" | "RESOLVED",
  reason: string,
) => Promise<void> {
  const answers = useQueryClient();
  return async (id, state, reason) => {
    await ask("DecideFindings", { ids: [id], state, reason });
    await answers.invalidateQueries({ queryKey: [KEY] });
    await answers.invalidateQueries({ queryKey: ["FindingHistory"] });
  };
}
