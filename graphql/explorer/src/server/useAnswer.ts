// Answers of the server as React state, cached by operation and variables.
import {
  keepPreviousData,
  QueryClient,
  type UseQueryResult,
  useQueries,
  useQuery,
} from "@tanstack/react-query";
import { type Answer, ask, isOutage, type Operation, type ServerError, type Variables } from "./client";

/** How long to wait before asking again in an outage: at first, and at most. */
const [FIRST_WAIT, MOST_WAIT] = [1_000, 15_000];

/** The time after which a question is asked again that an outage left without an answer; false for other errors. */
export function waitBeforeAskingAgain(error: unknown, failures: number): number | false {
  return isOutage(error) && Math.min(MOST_WAIT, FIRST_WAIT * 2 ** Math.max(0, Math.min(failures, 10) - 1));
}

export const answers = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      refetchOnWindowFocus: false,
      staleTime: 30_000,
      // Rather than `retry`, which would hide the error until the last of them.
      refetchInterval: ({ state: { status, error, errorUpdateCount } }) =>
        status === "error" && waitBeforeAskingAgain(error, errorUpdateCount),
    },
  },
});

/** The answer to a kept operation; without variables, nothing is asked. `keep` shows the answer before until it comes. */
export function useAnswer<Name extends Operation>(
  operation: Name,
  variables: Variables<Name> | null,
  keep = false,
): UseQueryResult<Answer<Name>, ServerError> {
  return useQuery<Answer<Name>, ServerError>({
    queryKey: [operation, variables],
    queryFn: ({ signal }) => ask(operation, variables as Variables<Name>, signal),
    enabled: variables !== null,
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

/** The answers to one operation with several variables, in their order; undefined while one is on its way. */
export function useAnswers<Name extends Operation>(
  operation: Name,
  variables: readonly Variables<Name>[],
): readonly UseQueryResult<Answer<Name>, ServerError>[] {
  return useQueries({
    queries: variables.map((each) => ({
      queryKey: [operation, each],
      queryFn: ({ signal }: { signal: AbortSignal }) => ask(operation, each, signal),
    })),
  }) as readonly UseQueryResult<Answer<Name>, ServerError>[];
}
