// What is known of the selected card or path, in words: it says all that the picture shows.
import { useAddress } from "../app/address";
import { carriesValue, type Gap, type Lineage, type LineageEdge } from "../lineage/graph";
import { datasetKey, nodeKey, type PathRef, readableSteps, shortName } from "../lineage/names";
import type { Picture, Selection } from "../picture/model";
import { useWords } from "../words/words";

interface Props {
  readonly lineage: Lineage;
  readonly picture: Picture;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
}

export function Details({ lineage, picture, selection, onSelect }: Props) {
  const words = useWords();
  if (selection === null || selection.kind === "line") {
    return null;
  }
  const card = picture.cards.find((each) =>
    selection.kind === "path" ? each.id === datasetKey(selection.node) : each.id === selection.card,
  );
  const node =
    selection.kind === "path" ? selection.node : card?.kind === "dataset" ? { ...card, path: [] } : null;
  return (
    <aside className="details" aria-label={words.details}>
      <button type="button" className="close" aria-label={words.close} onClick={() => onSelect(null)}>
        ×
      </button>
      <h2>{selection.kind === "path" ? readableSteps(selection.node.path).join(".") : card?.title}</h2>
      <dl>
        <dt>{words.namespace}</dt>
        <dd>{card?.namespace}</dd>
        <dt>{words.kinds[card?.kind ?? "dataset"]}</dt>
        <dd>{card?.name}</dd>
      </dl>
      {node && <ShowLineage node={node} />}
      {selection.kind === "path" && <Edges lineage={lineage} node={selection.node} />}
      {card && card.gaps.length > 0 && <Gaps gaps={card.gaps} />}
    </aside>
  );
}

function ShowLineage({ node: { namespace, name, path } }: { node: PathRef }) {
  const words = useWords();
  const [, go] = useAddress();
  return (
    <button type="button" onClick={() => go({ dataset: { namespace, name }, path })}>
      {words.showLineage}
    </button>
  );
}

function Edges({ lineage, node }: { lineage: Lineage; node: PathRef }) {
  const words = useWords();
  const key = nodeKey(node);
  const edges = [...lineage.edges.values()];
  const lists = [
    { title: words.comesFrom, edges: edges.filter((edge) => edge.target === key), far: "source" as const },
    { title: words.goesTo, edges: edges.filter((edge) => edge.source === key), far: "target" as const },
  ];
  return lists
    .filter((list) => list.edges.length > 0)
    .map((list) => (
      <section key={list.far}>
        <h3>{list.title}</h3>
        <ul className="edges">
          {list.edges.map((edge) => (
            <EdgeItem key={edge.key} edge={edge} far={lineage.nodes.get(edge[list.far]) ?? null} />
          ))}
        </ul>
      </section>
    ));
}

function EdgeItem({ edge, far }: { edge: LineageEdge; far: (PathRef & { label: string }) | null }) {
  return (
    <li className={carriesValue(edge) ? "value" : "influence"}>
      <strong>
        {far && (far.path.length ? `${shortName(far.name)} ${far.label}` : shortName(far.name))}
      </strong>
      {edge.transformations.map((each) => (
        <span key={JSON.stringify(each)} className="how">
          {[each.subtype, ...each.manipulation].join(" · ")}
        </span>
      ))}
      <span className="by">{edge.job.name}</span>
    </li>
  );
}

function Gaps({ gaps }: { gaps: readonly Gap[] }) {
  const words = useWords();
  return (
    <section>
      <h3>{words.notKnown}</h3>
      <ul>
        {gaps.map((gap) => (
          <li key={JSON.stringify(gap)}>
            <code>{gap.reason}</code> {gap.detail}
          </li>
        ))}
      </ul>
    </section>
  );
}
