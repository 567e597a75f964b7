// What the page shows without a start: all datasets with the jobs between them, or the server's groups of many.
import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Address } from "../page/address";
import { flowPicture } from "../picture/flow_picture";
import { MANY_DATASETS } from "../picture/groups";
import { EMPTY, type Picture } from "../picture/model";
import { type OpenGroup, type Overview, overviewPicture, readOpen } from "../picture/overview_picture";
import type { Answer, ServerError, Variables } from "../server/client";
import { useAnswer } from "../server/useAnswer";

/** The most datasets of a data flow that the server lists, and how many it lists at first. */
export const MOST_OF_FLOW = 5000;
const PAGE_OF_FLOW = 1000;
/** The same of groups. */
export const MOST_GROUPS = 2000;
const PAGE_OF_GROUPS = 500;

type Flow = UseQueryResult<Answer<"DataFlow">, ServerError>;

export interface Home {
  readonly picture: Picture;
  /** The answer that is shown, or on its way. */
  readonly asked: Flow | UseQueryResult<Answer<"Overview">, ServerError>;
  readonly flow: Answer<"DataFlow">["dataFlow"] | null;
  /** The groups shown; null where datasets are not grouped by the server. */
  readonly overview: Overview | null;
  /** The groups that are open, of the server's. */
  readonly opened: readonly OpenGroup[];
}

/** The whole store, as the address wants it. With a start, only what names the owners of its datasets. */
export function useHome({ dataset, group, open, pages }: Address): Home {
  const isHome = dataset === null;
  const first = Math.min(MOST_GROUPS, pages * PAGE_OF_GROUPS);
  const chosen = useOpened(open);
  const asksGroups = isHome && (group === "namespace" || group === "auto");
  const all = useAnswer("Overview", asksGroups ? { opened: chosen, first } : null, true);
  const isSmall = group === "auto" && (all.data?.overview.datasetCount ?? MANY_DATASETS + 1) <= MANY_DATASETS;
  const wantsGroups = asksGroups && !isSmall;
  const isUnopened = wantsGroups && group === "auto" && chosen.length === 0;
  const whole = isUnopened ? all.data?.overview : undefined;
  const only = useMemo(() => onlyOf(whole), [whole]);
  const inside = useAnswer("Overview", only ? { opened: only, first } : null, true);
  const groups = only ? inside : all;
  const found = wantsGroups ? groups.data?.overview : undefined;
  const isFlat = group === "auto" && found !== undefined && found.groups.every(({ size }) => size === 1);
  const overview = isFlat ? undefined : found;
  const listsAll = group === "none" || isFlat || (asksGroups && isSmall);
  const wantsFlow = group === "owner" || (isHome && listsAll);
  const flow = useAnswer("DataFlow", wantsFlow ? flowVariables(isHome ? pages : 1) : null, true);
  const listed = wantsFlow ? flow.data : undefined;
  const picture = useMemo(() => {
    const opened = only ?? chosen;
    return !isHome
      ? EMPTY
      : overview
        ? overviewPicture(overview, opened)
        : listed
          ? flowPicture(listed.dataFlow)
          : EMPTY;
  }, [isHome, overview, listed, only, chosen]);
  return {
    picture,
    asked: wantsFlow ? flow : groups,
    flow: listed?.dataFlow ?? null,
    overview: overview ?? null,
    opened: only ?? chosen,
  };
}

/** The groups that are open; the same object as long as they are the same. */
function useOpened(open: readonly string[]): readonly OpenGroup[] {
  const text = open.join("\u0001");
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` is all of it
  return useMemo(() => open.map(readOpen), [text]);
}

/** What opens the only group, so that a store of one namespace does not begin with a single card. */
function onlyOf(overview: Overview | undefined): readonly OpenGroup[] | null {
  const [group, second] = overview?.groups ?? [];
  return group && !second && group.prefix !== null
    ? [{ namespace: group.namespace, prefix: group.prefix }]
    : null;
}

/** What to ask for that many pages of the data flow. */
function flowVariables(pages: number): Variables<"DataFlow"> {
  return pages > 1 ? { first: Math.min(MOST_OF_FLOW, pages * PAGE_OF_FLOW) } : {};
}
