// The picture of a lineage: a card for each dataset with the paths of it, a card for each job, and a line for each edge.
import { carriesValue, type Gap, type Lineage, type LineageEdge, type LineageNode } from "../lineage/graph";
import { grouped } from "../lineage/grouped";
import { datasetKey, type Level, shortName } from "../lineage/names";
import type { Card, Line, Picture } from "./model";
import { rowsDownTo, rowsOf } from "./rows";

export interface Wish {
  readonly level: Level;
  /** Whether a row shows what is nested in it, by its key; `usually` is whether it does without a wish. */
  readonly isOpen: (key: string, usually: boolean) => boolean;
  /** The keys of the dataset and the node from which the lineage starts. */
  readonly start: string | null;
}

/** The picture of the lineage at a level. */
export function lineagePicture(lineage: Lineage, wish: Wish): Picture {
  return wish.level === "JOB" ? jobsOnly(lineage) : datasetsAndJobs(lineage, wish);
}

function datasetsAndJobs(lineage: Lineage, wish: Wish): Picture {
  const gaps = grouped(lineage.gaps, datasetKey);
  const nodes = grouped(lineage.nodes.values(), datasetKey);
  const withRows = wish.level !== "DATASET";
  const cards = [...nodes].map(([key, members]) =>
    datasetCard(key, members, gaps.get(key) ?? [], wish, withRows),
  );
  const shown = new Map(cards.map((card) => [card.id, new Set(card.rows.map((row) => row.id))]));
  const lines = new Map<string, Line>();
  for (const edge of lineage.edges.values()) {
    const source = lineage.nodes.get(edge.source);
    const target = lineage.nodes.get(edge.target);
    if (source && target) {
      addLine(lines, edge, endOf(source, shown), endOf(target, shown), jobKey(edge));
    }
  }
  return { cards: [...cards, ...jobCards(lineage.edges.values())], lines: [...lines.values()] };
}

function datasetCard(
  key: string,
  nodes: readonly LineageNode[],
  gaps: readonly Gap[],
  wish: Wish,
  withRows: boolean,
): Card {
  const { namespace, name } = nodes[0] as LineageNode;
  const paths = nodes.map(({ path, label }) => ({ path, label, onLineage: true }));
  const rows = withRows
    ? rowsOf(
        { namespace, name },
        paths.filter(({ path }) => path.length > 0),
        wish.isOpen,
      )
    : [];
  return {
    id: key,
    kind: "dataset",
    namespace,
    name,
    title: shortName(name),
    rows,
    gaps,
    gapCount: gaps.length,
    size: 1,
    start: key === wish.start,
  };
}

/** The end of a line: the row of the node, or the innermost shown row that it is nested in, or the whole card. */
function endOf(node: LineageNode, shown: ReadonlyMap<string, ReadonlySet<string>>) {
  const card = datasetKey(node);
  const rows = shown.get(card);
  const row = rowsDownTo(node).findLast((key) => rows?.has(key)) ?? null;
  return { card, row };
}

function addLine(
  lines: Map<string, Line>,
  edge: LineageEdge,
  source: Line["source"],
  target: Line["target"],
  through: string | null,
): void {
  const id = [source.card, source.row, target.card, target.row, through].join("\u0001");
  const known = lines.get(id);
  const value = carriesValue(edge) || (known?.value ?? false);
  lines.set(id, { id, source, target, through, value, edges: [...(known?.edges ?? []), edge] });
}

function jobKey(edge: LineageEdge): string {
  return `job ${datasetKey(edge.job)}`;
}

function jobCards(edges: Iterable<LineageEdge>): Card[] {
  const jobs = new Map([...edges].map((edge) => [jobKey(edge), edge.job]));
  return [...jobs].map(([id, { namespace, name }]) => ({
    id,
    kind: "job",
    namespace,
    name,
    title: shortName(name),
    rows: [],
    gaps: [],
    gapCount: 0,
    size: 1,
    start: false,
  }));
}

/** Jobs, and lines from each to those that read what it wrote. */
function jobsOnly(lineage: Lineage): Picture {
  const into = grouped(lineage.edges.values(), (edge) => edge.target);
  const lines = new Map<string, Line>();
  for (const edge of lineage.edges.values()) {
    for (const before of into.get(edge.source) ?? []) {
      if (jobKey(before) !== jobKey(edge)) {
        const [source, target] = [jobKey(before), jobKey(edge)];
        addLine(lines, edge, { card: source, row: null }, { card: target, row: null }, null);
      }
    }
  }
  return { cards: jobCards(lineage.edges.values()), lines: [...lines.values()] };
}
