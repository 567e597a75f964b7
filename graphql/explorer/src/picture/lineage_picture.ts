// The picture of a lineage: a card for each dataset with the paths of it, a card for each job, and a line for each edge.
import { carriesValue, type Lineage } from "../lineage/graph";
import { grouped } from "../lineage/grouped";
import type { LineageEdge, LineageNode } from "../lineage/model";
import { datasetKey, type Level, pathKey, type Way } from "../lineage/names";
import { beyondDataset, beyondJobs } from "./beyond";
import { jobId, plainCard, withGapsAtDatasets, withGapsAtJobs } from "./ghosts";
import type { Card, Line, Picture } from "./model";
import { type CardPath, FEW_ROWS, limited, MORE, rowsDownTo, rowsOf } from "./rows";
import { distinguished } from "./titles";

/** What the reader wants to see of it. */
export interface Wish {
  readonly level: Level;
  readonly way: Way;
  /** The key of the dataset from which the lineage starts. */
  readonly start: string | null;
  /** The rows that were folded or opened by hand. */
  readonly toggled: ReadonlySet<string>;
  /** All known paths of datasets, with their types. */
  readonly schemas: ReadonlyMap<string, readonly SchemaPath[]>;
  /** The keys of datasets that show all their paths, rather than those on the lineage. */
  readonly whole: ReadonlySet<string>;
  /** For datasets that show more rows than others, how many. */
  readonly rows: ReadonlyMap<string, number>;
  /** The keys of expansions, see `expansionKey`. */
  readonly expanded: ReadonlySet<string>;
}

export interface SchemaPath {
  readonly path: readonly string[];
  readonly label: string;
  readonly type: string | null;
}

/** The picture of the lineage at a level, with each of its gaps. */
export function lineagePicture(lineage: Lineage, wish: Wish): Picture {
  const { cards, lines } =
    wish.level === "JOB"
      ? withGapsAtJobs(jobsOnly(lineage, wish), lineage)
      : withGapsAtDatasets(datasetsAndJobs(lineage, wish), lineage.gaps);
  return { cards: distinguished(cards), lines };
}

function datasetsAndJobs(lineage: Lineage, wish: Wish): Picture {
  const nodes = grouped(lineage.nodes.values(), datasetKey);
  const cards = [...nodes].map(([key, members]) => datasetCard(key, members, lineage, wish));
  const shown = new Map(cards.map((card) => [card.id, card]));
  const rows = new Map(cards.map((card) => [card.id, new Set(card.rows.map((row) => row.id))]));
  const lines = new Map<string, Line>();
  const endOf = (node: LineageNode) => {
    const card = datasetKey(node);
    const row = rowsDownTo(node).findLast((key) => rows.get(card)?.has(key));
    return { card, row: row ?? (node.path.length > 0 && shown.get(card)?.left ? MORE : null) };
  };
  const edges = [...lineage.edges.values(), ...lineage.pruned.values()];
  for (const edge of edges) {
    const source = lineage.nodes.get(edge.source);
    const target = lineage.nodes.get(edge.target);
    if (source && target) {
      addLine(lines, edge, endOf(source), endOf(target), jobKey(edge));
    }
  }
  return { cards: [...cards, ...jobCards(edges)], lines: [...lines.values()] };
}

function datasetCard(key: string, nodes: readonly LineageNode[], lineage: Lineage, wish: Wish): Card {
  const { namespace, name } = nodes[0] as LineageNode;
  const whole = wish.whole.has(key) && wish.schemas.has(key);
  const all = wish.level === "DATASET" ? [] : rowsOf({ namespace, name }, pathsOf(key, nodes, wish), isOpen);
  const { rows, left } = limited(all, wish.rows.get(key) ?? FEW_ROWS);
  function isOpen(row: string, usually: boolean): boolean {
    return wish.toggled.has(row) !== usually;
  }
  return {
    ...plainCard("dataset", { namespace, name }),
    rows,
    start: key === wish.start,
    left,
    whole,
    before: beyondDataset({ namespace, name }, nodes, lineage, wish, "BACKWARD"),
    after: beyondDataset({ namespace, name }, nodes, lineage, wish, "FORWARD"),
  };
}

/** The paths of a card: those on the lineage, or the whole schema, in the schema's order. */
function pathsOf(key: string, nodes: readonly LineageNode[], wish: Wish): CardPath[] {
  const onLineage = new Map(
    nodes.filter((node) => node.path.length > 0).map((node) => [pathKey(node.path), node]),
  );
  const schema = wish.schemas.get(key) ?? [];
  const known = schema.map((each) => ({ ...each, onLineage: onLineage.has(pathKey(each.path)) }));
  const listed = new Set(known.map((each) => pathKey(each.path)));
  const unlisted = [...onLineage].filter(([path]) => !listed.has(path));
  const rest = unlisted.map(([, { path, label }]) => ({ path, label, onLineage: true }));
  return [...(wish.whole.has(key) ? known : withHolders(known)), ...rest];
}

/** The paths that are on the lineage, and those that they are nested in. */
function withHolders(paths: readonly CardPath[]): CardPath[] {
  const holders = new Set<string>();
  for (const { path, onLineage } of paths) {
    for (let length = path.length; onLineage && length > 0; length--) {
      holders.add(pathKey(path.slice(0, length)));
    }
  }
  return paths.filter(({ path }) => holders.has(pathKey(path)));
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
  const pruned = edge.because !== undefined && known?.pruned !== false;
  lines.set(id, { id, source, target, through, value, pruned, edges: [...(known?.edges ?? []), edge] });
}

function jobKey(edge: Pick<LineageEdge, "job">): string {
  return jobId(edge.job);
}

function jobCards(edges: Iterable<LineageEdge>): Card[] {
  const jobs = new Map([...edges].map((edge) => [jobKey(edge), edge.job]));
  return [...jobs.values()].map((job) => plainCard("job", job));
}

/** Jobs, and lines from each to those that read what it wrote. */
function jobsOnly(lineage: Lineage, wish: Wish): Picture {
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
  const beyond = beyondJobs(lineage, wish, jobKey);
  const cards = jobCards(lineage.edges.values()).map((card) => ({ ...card, ...beyond(card.id) }));
  return { cards, lines: [...lines.values()] };
}
