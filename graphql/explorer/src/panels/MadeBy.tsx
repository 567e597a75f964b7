// The jobs that make a path, each with its program.

import type { Lineage } from "../lineage/graph";
import { jobTitle } from "../lineage/job_titles";
import { EdgesAt } from "../lineage/meeting";
import { datasetKey, type JobRef, type PathRef } from "../lineage/names";
import { useAddress } from "../page/address";
import { ProgramOf } from "../runs/ProgramOf";
import { useWords } from "../words/words";

/** The programs of more jobs than these are not listed: they are seen in the picture. */
const MOST = 5;

export function MadeBy({ lineage, node }: { readonly lineage: Lineage; readonly node: PathRef }) {
  const words = useWords();
  const [, go] = useAddress();
  const jobs = jobsInto(lineage, node);
  if (jobs.length === 0) {
    return null;
  }
  return (
    <section>
      <h3>{words.program.madeBy}</h3>
      {jobs.slice(0, MOST).map((job) => (
        <div key={datasetKey(job)}>
          <button type="button" className="link" title={job.name} onClick={() => go({ view: "runs", job })}>
            {jobTitle(job.name)}
          </button>
          <ProgramOf job={job} />
        </div>
      ))}
      {jobs.length > MOST && <p>{words.canvas.moreEdges(jobs.length - MOST)}</p>}
    </section>
  );
}

/** The jobs whose edges lead to the path, what is nested in it, or what it is nested in; closed ones have no program. */
export function jobsInto(lineage: Lineage, node: PathRef): readonly JobRef[] {
  const at = new EdgesAt(lineage, "target");
  const edges = [...at.within(node), ...at.above(node).map(([edge]) => edge)];
  const jobs = new Map(edges.map(({ job }) => [datasetKey(job), job]));
  return [...jobs.values()].filter(({ namespace }) => namespace !== "closed");
}
