// All cells of the matrix that the address names, page by page.
import { useQuery } from "@tanstack/react-query";

import type { Address } from "../../app/address";
import { type Answer, ask, type ServerError } from "../../server/client";
import { pagesOf } from "../pages";

export type MatrixPages = readonly [
  Answer<"ExposureMatrix">["exposureMatrix"],
  ...Answer<"ExposureMatrix">["exposureMatrix"][],
];

const COLUMNS = { category: "CATEGORY", subject: "SUBJECT", attribute: "ATTRIBUTE" } as const;
const ROWS = { dataset: "DATASET", namespace: "NAMESPACE", recipient: "RECIPIENT" } as const;
const PAGE = 1000;
const MOST_PAGES = 100;

type Asked = Pick<Address, "columns" | "rows" | "influenced" | "asOf">;

/** The pages of the matrix; nothing is asked while it is not wanted. */
export function useMatrix({ columns, rows, influenced, asOf }: Asked, wanted = true) {
  const variables = {
    columns: COLUMNS[columns],
    rows: ROWS[rows],
    influenced,
    asOf,
    first: PAGE,
  } as const;
  return useQuery<MatrixPages, ServerError>({
    queryKey: ["ExposureMatrix", "pages", variables],
    enabled: wanted,
    queryFn: ({ signal }) =>
      pagesOf(
        async (after) => (await ask("ExposureMatrix", { ...variables, after }, signal)).exposureMatrix,
        (page) => page.pageInfo,
        MOST_PAGES,
      ),
  });
}
