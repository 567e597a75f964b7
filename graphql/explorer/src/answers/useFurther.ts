// The further pages of answers that a limit cut, each asked for with the cursor of the one before.
import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";

import type { Graph } from "../lineage/model";
import type { Answer, ServerError, Variables } from "../server/client";
import { useAnswers } from "../server/useAnswer";

type OneWay = "Backward" | "Forward";

/** The first page of an answer, once it has arrived, and what was asked. */
export interface FirstPage {
  readonly variables: Variables<OneWay> | null;
  readonly graph: Graph | undefined;
}

interface Further {
  /** All pages of each answer, as far as they have arrived. */
  readonly pages: readonly (readonly Graph[])[];
  readonly answers: readonly UseQueryResult<Answer<OneWay>, ServerError>[];
}

/** Up to `wanted` pages of each answer; what has not arrived yet is left out. */
export function useFurther(operation: OneWay, firsts: readonly FirstPage[], wanted: number): Further {
  const known = useQueryClient();
  const chains = firsts.map(({ variables, graph }) => {
    const asked: Variables<OneWay>[] = [];
    const pages = graph ? [graph] : [];
    for (let last = graph; variables && last?.cursor && asked.length < wanted - 1; ) {
      const next: Variables<OneWay> = { ...variables, after: last.cursor };
      asked.push(next);
      last = graphOf(known.getQueryData([operation, next]));
      pages.push(...(last ? [last] : []));
    }
    return { asked, pages };
  });
  const answers = useAnswers(
    operation,
    chains.flatMap(({ asked }) => asked),
  );
  return { pages: chains.map(({ pages }) => pages), answers };
}

export function graphOf(answer: Answer<OneWay> | undefined): Graph | undefined {
  return answer && ("backwardLineage" in answer ? answer.backwardLineage : answer.forwardLineage);
}
