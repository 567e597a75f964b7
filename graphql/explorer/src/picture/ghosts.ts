// Ghosts: cards for what a gap names and no edge leads to, so that each gap of an answer has a place in its picture.
import type { Lineage } from "../lineage/graph";
import { grouped } from "../lineage/grouped";
import { jobTitle } from "../lineage/job_titles";
import type { Gap } from "../lineage/model";
import { type DatasetRef, datasetKey, shortName } from "../lineage/names";
import type { Card, Line, Picture } from "./model";

/** A card that stands for a name alone. */
export function plainCard(kind: "dataset" | "job", { namespace, name }: DatasetRef): Card {
  const id = kind === "job" ? jobId({ namespace, name }) : datasetKey({ namespace, name });
  const none = { rows: [], gaps: [], gapCount: 0, size: 1, start: false };
  return {
    ...none,
    id,
    kind,
    namespace,
    name,
    title: kind === "job" ? jobTitle(shortName(name)) : shortName(name),
  };
}

export function jobId(job: DatasetRef): string {
  return `job ${datasetKey(job)}`;
}

/** The picture of datasets and jobs with each gap at its dataset, and the job that has the gap before it. */
export function withGapsAtDatasets(picture: Picture, gaps: readonly Gap[]): Picture {
  const jobs = gaps.flatMap(({ job }) => (job ? [plainCard("job", job)] : []));
  const placed = placedAt(picture, gaps, (gap) => [plainCard("dataset", gap)]);
  const cards = withGhosts(placed, jobs);
  const joined = joins(picture.lines, (line) => [[line.through, line.target.card]]);
  const ways = gaps.flatMap((gap) => (gap.job ? [[jobId(gap.job), datasetKey(gap)] as const] : []));
  return { cards, lines: [...picture.lines, ...ghostLines(ways, joined)] };
}

/** The picture of jobs with each gap at its job; where none is named, at the jobs that write or else read its dataset. */
export function withGapsAtJobs(picture: Picture, { gaps, edges, nodes }: Lineage): Picture {
  const jobsAt = (end: "source" | "target") =>
    grouped(edges.values(), (edge) => {
      const node = nodes.get(edge[end]);
      return node ? datasetKey(node) : null;
    });
  const [writers, readers] = [jobsAt("target"), jobsAt("source")];
  const cards = placedAt(picture, gaps, (gap) => {
    const near = gap.job ? [gap] : (writers.get(datasetKey(gap)) ?? readers.get(datasetKey(gap)) ?? []);
    const jobs = near.flatMap(({ job }) => (job ? [plainCard("job", job)] : []));
    return jobs.length > 0 ? jobs : [plainCard("dataset", gap)];
  });
  const joined = joins(picture.lines, ({ source, target }) => [[source.card, target.card]]);
  const ways = gaps.flatMap((gap) => {
    const after = gap.job ? (readers.get(datasetKey(gap)) ?? []) : [];
    return after.map((edge) => [jobId(gap.job as DatasetRef), jobId(edge.job)] as const);
  });
  return { cards, lines: [...picture.lines, ...ghostLines(ways, joined)] };
}

/** The cards of a picture, and those that gaps need, each with the gaps at it. */
function placedAt(picture: Picture, gaps: readonly Gap[], places: (gap: Gap) => readonly Card[]): Card[] {
  const at = new Map<string, Set<Gap>>();
  const needed: Card[] = [];
  for (const gap of gaps) {
    for (const card of places(gap)) {
      needed.push(card);
      at.set(card.id, (at.get(card.id) ?? new Set()).add(gap));
    }
  }
  return withGhosts(picture.cards, needed).map((card) => {
    const own = [...(at.get(card.id) ?? [])];
    return own.length > 0 ? { ...card, gaps: own, gapCount: own.length } : card;
  });
}

function withGhosts(cards: readonly Card[], needed: readonly Card[]): Card[] {
  const known = new Set(cards.map(({ id }) => id));
  const ghosts = new Map(needed.filter(({ id }) => !known.has(id)).map((card) => [card.id, card]));
  return [...cards, ...[...ghosts.values()].map((card) => ({ ...card, ghost: true }))];
}

function joins(
  lines: readonly Line[],
  waysOf: (line: Line) => readonly (readonly [string | null, string])[],
): ReadonlySet<string> {
  return new Set(lines.flatMap(waysOf).map((way) => way.join("\u0001")));
}

/** A line for each way between two cards that no line of an edge joins. */
function ghostLines(ways: readonly (readonly [string, string])[], joined: ReadonlySet<string>): Line[] {
  const wanted = new Map(ways.map((way) => [way.join("\u0001"), way]));
  return [...wanted]
    .filter(([id, [source, target]]) => !joined.has(id) && source !== target)
    .map(([id, [source, target]]) => ({
      id: `gap ${id}`,
      source: { card: source, row: null },
      target: { card: target, row: null },
      through: null,
      value: false,
      edges: [],
    }));
}
