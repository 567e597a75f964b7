// The details of a line: what flows along it and why, the job that does it, and the predicates that decide.
import { useMemo } from "react";
import { type Condition, conditionsIn, conditionsMade, conditionsOf } from "../lineage/conditions";
import { carriesValue, type Lineage } from "../lineage/graph";
import { grouped } from "../lineage/grouped";
import { jobTitle } from "../lineage/job_titles";
import type { LineageEdge, LineageNode } from "../lineage/model";
import { datasetKey, type JobRef, shortName } from "../lineage/names";
import type { Selection } from "../lineage/selection";
import { useAddress } from "../page/address";
import type { Line } from "../picture/model";
import { FunctionsOf } from "../runs/Functions";
import { ProgramOf } from "../runs/ProgramOf";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { Reasons } from "./Reasons";

interface Props {
  readonly line: Line;
  readonly lineage: Lineage;
  /** The moment of the picture; null for now. */
  readonly asOf: string | null;
  readonly onSelect: (selection: Selection) => void;
}

export function EdgeDetails({ line, lineage, asOf, onSelect }: Props) {
  const words = useWords();
  const kind = line.pruned ? "pruned" : line.value ? "value" : "influence";
  const byJob = useMemo(() => [...grouped(line.edges, (edge) => datasetKey(edge.job)).entries()], [line]);
  return (
    <>
      <p className={`stroke ${kind}`}>{words.canvas.legend[kind]}</p>
      {line.jobs ? (
        <OfJobs {...line.jobs} />
      ) : (
        line.edges.length === 0 && <p className="quiet">{words.canvas.flowOnly}</p>
      )}
      {byJob.map(([key, edges]) => (
        <OfJob key={key} edges={edges} lineage={lineage} asOf={asOf} onSelect={onSelect} />
      ))}
    </>
  );
}

/** The jobs between two groups. */
function OfJobs({ count, one }: NonNullable<Line["jobs"]>) {
  const words = useWords();
  const [, go] = useAddress();
  return (
    <>
      <p>{words.canvas.jobsBetween(count)}</p>
      {one.namespace !== "closed" && (
        <button
          type="button"
          className="link"
          title={one.name}
          onClick={() => go({ view: "runs", job: one })}
        >
          {jobTitle(one.name)}
        </button>
      )}
    </>
  );
}

interface OfJobProps {
  readonly edges: readonly LineageEdge[];
  readonly lineage: Lineage;
  readonly asOf: string | null;
  readonly onSelect: (selection: Selection) => void;
}

/** More than these are not listed. */
const MOST = 40;

function OfJob({ edges, lineage, asOf, onSelect }: OfJobProps) {
  const words = useWords();
  const job = (edges[0] as LineageEdge).job;
  return (
    <section>
      <h3>{words.job}</h3>
      <button
        type="button"
        className="link"
        title={job.name}
        onClick={() => onSelect({ kind: "job", card: `job ${datasetKey(job)}` })}
      >
        {jobTitle(job.name)}
      </button>
      {job.namespace !== "closed" && <ProgramOf job={job} />}
      <ul className="edges">
        {edges.slice(0, MOST).map((edge) => (
          <li key={edge.key} className={edge.because ? "pruned" : carriesValue(edge) ? "value" : "influence"}>
            <End node={lineage.nodes.get(edge.source)} onSelect={onSelect} />
            <span aria-hidden="true"> {words.arrow} </span>
            <End node={lineage.nodes.get(edge.target)} onSelect={onSelect} />
            <Reasons transformations={edge.transformations} />
            <Judged edge={edge} />
          </li>
        ))}
      </ul>
      {edges.length > MOST && <p>{words.canvas.moreEdges(edges.length - MOST)}</p>}
      <FunctionsOf job={job} edges={edges} />
      <Predicates job={job} edges={edges} lineage={lineage} asOf={asOf} />
    </section>
  );
}

/** Why no data can take an edge, or that nobody knows whether it can. */
function Judged({ edge }: { edge: LineageEdge }) {
  const { active, server } = useWords();
  if (edge.undecided) {
    return <p className="quiet">{active.undecided}</p>;
  }
  const why = edge.because?.length === 0 ? [active.behind] : (edge.because ?? []).map(server.detail);
  return why.map((each) => (
    <p className="pruned-why" key={each}>
      {each}
    </p>
  ));
}

function End({ node, onSelect }: { node: LineageNode | undefined; onSelect: Props["onSelect"] }) {
  const words = useWords();
  if (!node) {
    return null;
  }
  if (node.path.length === 0) {
    return <span>{words.canvas.wholeOf(shortName(node.name))}</span>;
  }
  return (
    <button type="button" className="link" onClick={() => onSelect({ kind: "path", node })}>
      {node.label}
    </button>
  );
}

/** The conditions of a job, as they are now, or under which what was in the edges' output was made at a moment. */
function useConditions(job: JobRef, output: LineageNode | null, asOf: string | null) {
  const { namespace, name } = job;
  const now = useAnswer("Job", output && asOf === null ? { namespace, name } : null);
  const asked = output &&
    asOf !== null && {
      job: { namespace, name },
      output: { namespace: output.namespace, name: output.name },
      asOf,
    };
  const then = useAnswer("Conditions", asked || null);
  const all: Condition[] =
    asOf === null ? conditionsIn(now.data?.job?.facets) : conditionsMade(then.data?.conditions ?? []);
  return { all, isLoading: now.isLoading || then.isLoading, error: now.error ?? then.error };
}

interface PredicatesProps {
  readonly job: JobRef;
  readonly edges: readonly LineageEdge[];
  readonly lineage: Lineage;
  readonly asOf: string | null;
}

function Predicates({ job, edges, lineage, asOf }: PredicatesProps) {
  const words = useWords();
  const deciding = edges.find((edge) => edge.transformations.some(({ type }) => type === "INDIRECT"));
  const output = (deciding && lineage.nodes.get(deciding.target)) ?? null;
  const { all, isLoading, error } = useConditions(job, output, asOf);
  if (output === null) {
    return null;
  }
  const found = edges.flatMap((edge) => {
    const source = lineage.nodes.get(edge.source);
    return source ? conditionsOf(all, edge, source) : [];
  });
  const texts = new Map(found.map((each) => [`${each.access} ${each.sql}`, each]));
  return (
    <>
      <h3>{words.canvas.predicates}</h3>
      {isLoading && <p className="quiet">{words.loading}</p>}
      {error && <p className="quiet">{words.server.error(error.message, error.code)}</p>}
      {!isLoading && !error && texts.size === 0 && <p className="quiet">{words.canvas.noPredicate}</p>}
      <ul className="predicates">
        {[...texts].map(([key, each]) => (
          <li key={key}>
            <span className="access">{each.access}</span>
            <pre>{each.sql}</pre>
          </li>
        ))}
      </ul>
    </>
  );
}
