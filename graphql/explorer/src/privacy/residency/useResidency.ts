// In which countries personal data are, by the policies and the organisation's file of the server.
import { useQuery } from "@tanstack/react-query";

import { type Answer, ask, type ServerError } from "../../server/client";
import { pagesOf } from "../pages";
import { ofWholeDatasets, type Resident } from "./verdicts";

const PAGE = 1000;
const MOST_PAGES = 100;

export interface Residents {
  readonly residents: readonly Resident[];
  readonly whole: Answer<"Residency">["residency"];
  readonly cut: boolean;
}

/** All categories in datasets with their verdicts; nothing is asked while it is not wanted. */
export function useResidency(wanted: boolean, asOf: string | null) {
  return useQuery<Residents, ServerError>({
    queryKey: ["Residency", "pages", asOf],
    enabled: wanted,
    queryFn: async ({ signal }) => {
      const pages = await pagesOf(
        async (after) => (await ask("Residency", { asOf, first: PAGE, after }, signal)).residency,
        (page) => page.pageInfo,
        MOST_PAGES,
      );
      const cut = pages.at(-1)?.pageInfo.hasNextPage ?? false;
      const residents = pages.flatMap((page) => page.edges.map(({ node }) => node));
      return { residents: ofWholeDatasets(residents, cut), whole: pages[0], cut };
    },
  });
}
