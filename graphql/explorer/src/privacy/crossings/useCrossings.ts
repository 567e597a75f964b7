// Personal data that cross from country to country, by the policies and the organisation's file of the server.
import { useInfiniteQuery } from "@tanstack/react-query";

import { type Answer, ask, type ServerError } from "../../server/client";

type Page = Answer<"Crossings">["crossings"];
export type Crossing = Page["edges"][number]["node"];

const PAGE = 200;

/** The crossings of a moment, page by page; the first page has the flows of all. */
export function useCrossings(asOf: string | null) {
  return useInfiniteQuery<Page, ServerError, readonly Page[], readonly unknown[], string | null>({
    queryKey: ["Crossings", asOf],
    initialPageParam: null,
    queryFn: async ({ pageParam, signal }) =>
      (await ask("Crossings", { asOf, first: PAGE, after: pageParam }, signal)).crossings,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : null),
    select: ({ pages }) => pages,
  });
}
