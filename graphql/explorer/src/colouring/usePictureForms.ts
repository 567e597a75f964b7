// What personal data the shown datasets hold, asked for as far as it is affordable: the matrix says which of them hold
// any, and only of these the paths are asked for.
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { grouped } from "../lineage/grouped";
import { type DatasetRef, datasetKey } from "../lineage/names";
import { type MatrixPages, MOST_PAGES as MOST_PAGES_OF_MATRIX, useMatrix } from "../matrix/useMatrix";
import type { Address } from "../page/address";
import type { Picture } from "../picture/model";
import { type OpenGroup, placeOf } from "../picture/overview_picture";
import { useEveryFinding } from "../privacy/findings/useFindings";
import { type Form, stronger } from "../privacy/forms";
import { pagesOf } from "../privacy/pages";
import { useResidency } from "../privacy/residency/useResidency";
import { isAsked } from "../privacy/residency/verdicts";
import { ask, type ServerError } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { type Held, withGroups, withPrivacy } from "./forms_in";

/** The greatest number of datasets whose paths are asked for, and of pages of each. */
const MOST_DATASETS = 60;
const PAGE = 1000;
const MOST_PAGES = 5;
const NONE: ReadonlyMap<string, Form> = new Map();

export interface PictureForms {
  readonly picture: Picture;
  /** What the server knows on the whole; null while it is not known. */
  readonly whole: MatrixPages[0] | null;
  /** Whether cards are marked by the countries of their data. */
  readonly residency: boolean;
  readonly loading: boolean;
  readonly errors: readonly ServerError[];
  /** Whether an answer is longer than what is asked for, so that marks may be missing. */
  readonly cut: boolean;
  /** The number of datasets whose rows are not marked, because too many are shown. */
  readonly unmarked: number;
}

/** The picture with forms and findings, where the address wants them; `opened` are the server's groups that are open. */
export function usePictureForms(
  picture: Picture,
  { exposure, asOf }: Pick<Address, "exposure" | "asOf">,
  opened: readonly OpenGroup[] | null,
): PictureForms {
  const wanted = { columns: "category", rows: "dataset", influenced: false, asOf } as const;
  const matrix = useMatrix(wanted, exposure, opened ? 1 : MOST_PAGES_OF_MATRIX);
  const groups = useAnswer("OverviewExposure", exposure && opened ? { opened, asOf } : null, true);
  const findings = useEveryFinding(exposure, asOf);
  const residency = useResidency(exposure, asOf);
  const asked = exposure && isAsked(residency.data?.residents ?? []);
  const pages = matrix.arriving ? undefined : matrix.pages;
  const strongest = useMemo(() => (opened ? NONE : strongestOf(pages)), [opened, pages]);
  const exposed = groups.data?.overviewExposure.groups;
  const withRows = useMemo(
    () => picture.cards.filter(({ id, rows }) => rows.length > 0 && strongest.has(id)),
    [picture, strongest],
  );
  const details = useQueries({
    queries: (exposure ? withRows.slice(0, MOST_DATASETS) : []).map(({ namespace, name }) => ({
      queryKey: ["held at", namespace, name, asOf],
      queryFn: ({ signal }: { signal: AbortSignal }) => heldAt({ namespace, name }, asOf, signal),
    })),
    combine: (each) => ({
      held: each.flatMap(({ data }) => data?.held ?? []),
      cut: each.some(({ data }) => data?.cut),
      loading: each.some(({ isLoading }) => isLoading),
      errors: each.flatMap(({ error }) => (error ? [error as ServerError] : [])),
    }),
  });
  const shown = useMemo(() => {
    if (!exposure || !pages) {
      return picture;
    }
    const keyOf = (dataset: DatasetRef) => (opened ? placeOf(dataset, opened) : datasetKey(dataset));
    const held = grouped(details.held, ({ node }) => datasetKey(node));
    const found = grouped(findings.data ?? [], ({ node }) => keyOf(node));
    const all = asked ? (residency.data?.residents ?? []) : [];
    const residents = grouped(all, ({ dataset }) => keyOf(dataset));
    const privacy = { held, strongest, residents, findings: found };
    return opened ? withGroups(picture, exposed ?? [], privacy) : withPrivacy(picture, privacy);
  }, [
    exposure,
    pages,
    picture,
    details.held,
    strongest,
    exposed,
    opened,
    asked,
    residency.data,
    findings.data,
  ]);
  const [first] = details.errors;
  return {
    picture: shown,
    whole: pages?.[0] ?? null,
    residency: asked,
    loading:
      matrix.arriving ||
      groups.isLoading ||
      groups.isPlaceholderData ||
      details.loading ||
      findings.isLoading ||
      residency.isLoading,
    errors: [matrix.error, groups.error, findings.error, residency.error, first].flatMap((error) =>
      error ? [error] : [],
    ),
    cut: details.cut || residency.data?.cut || (!opened && (pages?.at(-1)?.pageInfo.hasNextPage ?? false)),
    unmarked: Math.max(0, withRows.length - MOST_DATASETS),
  };
}

function strongestOf(pages: MatrixPages | undefined): ReadonlyMap<string, Form> {
  const strongest = new Map<string, Form>();
  for (const { node } of pages?.flatMap((page) => page.edges) ?? []) {
    const key = datasetKey({ namespace: node.namespace ?? "", name: node.name ?? "" });
    strongest.set(key, stronger(strongest.get(key), node.form));
  }
  return strongest;
}

interface HeldAt {
  readonly held: readonly Held[];
  readonly cut: boolean;
}

/** The paths of a dataset that hold personal data: those that others flow into, and those classified themselves. */
export async function heldAt(dataset: DatasetRef, asOf: string | null, signal: AbortSignal): Promise<HeldAt> {
  const allHoldings = pagesOf(
    async (after) =>
      (await ask(after ? "MoreHoldings" : "Holdings", { at: dataset, asOf, first: PAGE, after }, signal))
        .holdings,
    (page) => page.pageInfo,
    MOST_PAGES,
  );
  const allClasses = pagesOf(
    async (after) => (await ask("Classes", { node: dataset, asOf, first: PAGE, after }, signal)).classes,
    (page) => page.pageInfo,
    MOST_PAGES,
  );
  // Awaited together: where both fail, because the picture is left, none of the failures is without a handler.
  const [holdings, classes] = await Promise.all([allHoldings, allClasses]);
  const held = holdings.flatMap(({ edges }) =>
    edges.map(({ node: { output } }): Held => ({ node: output.node, form: output.form })),
  );
  const declared = classes.flatMap(({ edges }) =>
    edges
      .filter(({ node }) => !node.overruled && node.categories.length > 0)
      .map(({ node }): Held => ({ node: node.node, form: "IDENTITY" })),
  );
  const ends = [holdings.at(-1), classes.at(-1)];
  return { held: [...held, ...declared], cut: ends.some((page) => page?.pageInfo.hasNextPage) };
}
