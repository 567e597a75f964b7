// The picture of the data flow of a whole store: datasets, and the jobs that read and write them.
import { jobTitle } from "../lineage/job_titles";
import { datasetKey, shortName } from "../lineage/names";
import type { Answer } from "../server/client";
import type { Card, Line, Picture } from "./model";
import { distinguished } from "./titles";

export type DataFlow = Answer<"DataFlow">["dataFlow"];

export function flowPicture(flow: DataFlow): Picture {
  const plain = { rows: [], gaps: [], size: 1, start: false };
  const datasets = flow.datasets.map(
    ({ namespace, name, gaps }): Card => ({
      ...plain,
      id: datasetKey({ namespace, name }),
      kind: "dataset",
      namespace,
      name,
      title: shortName(name),
      gapCount: gaps,
    }),
  );
  const jobs = flow.jobs.map(
    ({ namespace, name }): Card => ({
      ...plain,
      id: `job ${datasetKey({ namespace, name })}`,
      kind: "job",
      namespace,
      name,
      title: jobTitle(shortName(name)),
      gapCount: 0,
    }),
  );
  const lines = flow.flows.map(({ dataset, job, use }): Line => {
    const [data, by] = [(datasets[dataset] as Card).id, (jobs[job] as Card).id];
    const [source, target] = use === "INPUT" ? [data, by] : [by, data];
    return {
      id: `${source}\u0001${target}`,
      source: { card: source, row: null },
      target: { card: target, row: null },
      through: null,
      value: true,
      edges: [],
    };
  });
  return { cards: distinguished([...datasets, ...jobs]), lines };
}
