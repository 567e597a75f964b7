// All cells of the matrix that the address names, page by page as they arrive.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Address } from "../page/address";
import { type Answer, ask, type ServerError } from "../server/client";

type Page = Answer<"ExposureMatrix">["exposureMatrix"];
export type MatrixPages = readonly Page[];

const COLUMNS = { category: "CATEGORY", subject: "SUBJECT", attribute: "ATTRIBUTE" } as const;
const ROWS = { dataset: "DATASET", namespace: "NAMESPACE", recipient: "RECIPIENT" } as const;
const PAGE = 1000;
export const MOST_PAGES = 100;

type Asked = Pick<Address, "columns" | "rows" | "influenced" | "asOf"> & Partial<Pick<Address, "only">>;

interface Arrived {
  /** The pages that are there; undefined before the first one is. */
  readonly pages: MatrixPages | undefined;
  readonly error: ServerError | null;
  /** Whether there are more on their way. */
  readonly arriving: boolean;
}

/** The pages of the matrix; nothing is asked while it is not wanted, nor after its view is left. */
export function useMatrix(
  { columns, rows, influenced, asOf, only }: Asked,
  wanted = true,
  most = MOST_PAGES,
): Arrived {
  const variables = {
    columns: COLUMNS[columns],
    rows: ROWS[rows],
    influenced,
    asOf,
    first: PAGE,
    ...only,
  } as const;
  const { data, error, isFetching, hasNextPage, fetchNextPage } = useInfiniteQuery<
    Page,
    ServerError,
    { readonly pages: MatrixPages },
    readonly unknown[],
    string | null
  >({
    queryKey: ["ExposureMatrix", "pages", most, variables],
    enabled: wanted,
    initialPageParam: null,
    queryFn: async ({ pageParam, signal }) =>
      (await ask("ExposureMatrix", { ...variables, after: pageParam }, signal)).exposureMatrix,
    getNextPageParam: ({ pageInfo }, pages) =>
      pageInfo.hasNextPage && pages.length < most ? pageInfo.endCursor : null,
  });
  const next = wanted && hasNextPage && !error;
  useEffect(() => {
    if (next && !isFetching) {
      fetchNextPage();
    }
  }, [next, isFetching, fetchNextPage]);
  return { pages: data?.pages, error, arriving: next || (isFetching && !data) };
}
