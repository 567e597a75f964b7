// The list of what differs between two moments: it says all that the marks in the picture show.

import { jobTitle } from "../lineage/job_titles";
import type { LineageEdge, LineageNode } from "../lineage/model";
import { readableSteps } from "../lineage/names";
import type { Selection } from "../lineage/selection";
import { MOST_DEPTH, useAddress } from "../page/address";
import { type ChangedEdge, changedNodes, type Difference, type Mark, SIGNS } from "../time/difference";
import { useMomentText } from "../time/localised";
import { Sign } from "../time/Sign";
import { useWords } from "../words/words";

interface Props {
  readonly difference: Difference;
  readonly onSelect: (selection: Selection) => void;
}

export function Differences({ difference, onSelect }: Props) {
  const words = useWords();
  const momentText = useMomentText();
  const [{ since, asOf }, go] = useAddress();
  const { both } = difference;
  const all = { nodes: changedNodes(difference), edges: [...difference.edges.values()] };
  const nodes = all.nodes.filter(({ node }) => both.nodes.has(node.key));
  const edges = all.edges.filter(({ edge }) => both.edges.has(edge.key));
  const beyond = all.nodes.length - nodes.length + all.edges.length - edges.length;
  const wrong = since && Date.parse(since) >= (asOf ? Date.parse(asOf) : Date.now());
  return (
    <aside className="details differences" aria-label={words.time.differences}>
      <button
        type="button"
        className="close"
        aria-label={words.time.stop}
        onClick={() => go({ since: null })}
      >
        ×
      </button>
      <h2>{words.time.from(since ? momentText(since) : "", asOf ? momentText(asOf) : words.time.now)}</h2>
      <p className="quiet">{words.time.overAll}</p>
      {wrong && <p className="doubt">{words.time.order}</p>}
      {difference.doubtful && <p className="doubt">{words.time.doubtful}</p>}
      <output>{all.nodes.length + all.edges.length === 0 ? words.time.none : <Counts {...all} />}</output>
      {beyond > 0 && (
        <p className="beyond">
          {words.time.beyond(beyond)}{" "}
          <button type="button" onClick={() => go({ depth: MOST_DEPTH })}>
            {words.time.showAll}
          </button>
        </p>
      )}
      {nodes.length > 0 && (
        <section>
          <h3>{words.time.paths}</h3>
          <ul className="changes">
            {nodes.map(({ node, mark }) => (
              <li key={node.key} className={mark}>
                <Sign mark={mark} />
                <button type="button" className="link" onClick={() => onSelect({ kind: "path", node })}>
                  {nameOf(node)}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {edges.length > 0 && (
        <section>
          <h3>{words.time.edges}</h3>
          <ul className="changes">
            {edges.map((change) => (
              <EdgeChange key={change.edge.key} change={change} difference={difference} onSelect={onSelect} />
            ))}
          </ul>
        </section>
      )}
    </aside>
  );
}

function Counts({ nodes, edges }: { nodes: readonly { mark: Mark }[]; edges: readonly { mark: Mark }[] }) {
  const words = useWords();
  const all = [...nodes, ...edges];
  return (["added", "gone", "changed"] as const)
    .map(
      (mark) => `${SIGNS[mark]} ${all.filter((each) => each.mark === mark).length} ${words.time.marks[mark]}`,
    )
    .join("   ");
}

interface EdgeProps extends Props {
  readonly change: ChangedEdge;
}

function EdgeChange({ change: { mark, edge, before }, difference, onSelect }: EdgeProps) {
  const words = useWords();
  const { nodes } = difference.both;
  const [source, target] = [nodes.get(edge.source), nodes.get(edge.target)];
  return (
    <li className={mark}>
      <Sign mark={mark} />
      <button
        type="button"
        className="link"
        onClick={() => target && onSelect({ kind: "path", node: target })}
      >
        {source && nameOf(source)} → {target && nameOf(target)}
      </button>
      {mark === "changed" && before ? (
        <>
          <span className="how">
            {words.time.before}: {how(before)}
          </span>
          <span className="how">
            {words.time.after}: {how(edge)}
          </span>
        </>
      ) : (
        <span className="how">{how(edge)}</span>
      )}
      <span className="by">{jobTitle(edge.job.name)}</span>
    </li>
  );
}

function how({ transformations }: LineageEdge): string {
  return transformations
    .map(({ subtype, manipulation }) => [subtype, ...manipulation].join(" · "))
    .join(", ");
}

function nameOf({ name, path }: LineageNode): string {
  return [name, readableSteps(path).join(".")].filter(Boolean).join(" ");
}
