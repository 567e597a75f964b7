// The known paths of the datasets shown, with their types.
import { useMemo } from "react";

import type { Lineage } from "../lineage/graph";
import { type DatasetRef, datasetKey } from "../lineage/names";
import type { SchemaPath } from "../picture/lineage_picture";
import { useAnswers } from "../server/useAnswer";

/** In pictures of more datasets, types are known only of datasets whose paths were asked for. */
const FEW_DATASETS = 16;

/** The paths by the dataset's key: of all datasets where they are few, and always of those in `wanted`. */
export function useSchemas(
  lineage: Lineage,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, readonly SchemaPath[]> {
  const datasets = useMemo(() => {
    const all = new Map<string, DatasetRef>();
    for (const node of lineage.nodes.values()) {
      all.set(datasetKey(node), { namespace: node.namespace, name: node.name });
    }
    return [...all].filter(([key]) => all.size <= FEW_DATASETS || wanted.has(key));
  }, [lineage, wanted]);
  const answers = useAnswers(
    "DatasetPaths",
    datasets.map(([, dataset]) => dataset),
  );
  const arrived = answers.map((each) => each.dataUpdatedAt).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `arrived` changes whenever an answer does
  return useMemo(() => {
    const known = datasets.map(([key], index) => [key, answers[index]?.data?.dataset?.paths] as const);
    return new Map(known.flatMap(([key, paths]) => (paths ? [[key, paths] as const] : [])));
  }, [datasets, arrived]);
}
