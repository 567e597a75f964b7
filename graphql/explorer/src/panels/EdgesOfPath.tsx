// The edges by which a path came and goes on, as a list; each opens its details.
import type { Lineage } from "../lineage/graph";
import { carriesValue } from "../lineage/graph";
import { jobTitle } from "../lineage/job_titles";
import { EdgesAt } from "../lineage/meeting";
import type { LineageEdge } from "../lineage/model";
import { nodeKey, type PathRef, shortName, shortNames } from "../lineage/names";
import type { Selection } from "../lineage/selection";
import type { Picture } from "../picture/model";
import { useWords } from "../words/words";
import { Reasons } from "./Reasons";

interface Props {
  readonly lineage: Lineage;
  readonly picture: Picture;
  readonly node: PathRef;
  readonly onSelect: (selection: Selection) => void;
}

/** More than these are not listed: they are seen in the picture. */
const MOST = 60;

export function EdgesOfPath({ lineage, picture, node, onSelect }: Props) {
  const words = useWords();
  const short = shortNames([...lineage.nodes.values()].map(({ name }) => name));
  const lists = [
    { title: words.comesFrom, near: "target" as const, far: "source" as const },
    { title: words.goesTo, near: "source" as const, far: "target" as const },
  ];
  const select = (edge: LineageEdge) => {
    const line = picture.lines.find((each) => each.edges.some(({ key }) => key === edge.key));
    if (line) {
      onSelect({ kind: "line", line: line.id });
    }
  };
  return lists.map(({ title, near, far }) => {
    const edges = edgesOf(lineage, node, near);
    return (
      edges.length > 0 && (
        <section key={far}>
          <h3>{title}</h3>
          <ul className="edges">
            {edges.slice(0, MOST).map((edge) => (
              <li key={edge.key} className={kindOf(edge)}>
                <button type="button" onClick={() => select(edge)}>
                  <strong>{labelOf(lineage, edge[far], short)}</strong>
                  <Reasons transformations={edge.transformations} />
                  {edge.because && <span className="pruned-why">{words.active.pruned}</span>}
                  <span className="by">{jobTitle(shortName(edge.job.name))}</span>
                </button>
              </li>
            ))}
          </ul>
          {edges.length > MOST && <p>{words.canvas.moreEdges(edges.length - MOST)}</p>}
        </section>
      )
    );
  });
}

function kindOf(edge: LineageEdge): "pruned" | "value" | "influence" {
  return edge.because ? "pruned" : carriesValue(edge) ? "value" : "influence";
}

const KINDS = ["value", "influence", "pruned"];

/** The edges at the path, what is nested in it, and what it is nested in; values first, and what no data can take last. */
function edgesOf(lineage: Lineage, node: PathRef, near: "source" | "target"): LineageEdge[] {
  const at = new EdgesAt({ ...lineage, edges: new Map([...lineage.edges, ...lineage.pruned]) }, near);
  const found = [...at.within(node), ...at.above(node).map(([edge]) => edge)];
  return found
    .filter((edge) => edge.source !== nodeKey(node) || edge.source !== edge.target)
    .sort((one, other) => KINDS.indexOf(kindOf(one)) - KINDS.indexOf(kindOf(other)));
}

function labelOf(lineage: Lineage, key: string, short: ReadonlyMap<string, string>): string {
  const node = lineage.nodes.get(key);
  return node ? [short.get(node.name), ...(node.path.length > 0 ? [node.label] : [])].join(" · ") : "";
}
