// A picture with the marks of a difference on its lines, rows and cards.
import { datasetKey, nodeKey, type PathRef } from "../lineage/names";
import type { Difference, Mark } from "../time/difference";
import type { Card, Line, Picture, Row } from "./model";

export function marked(picture: Picture, difference: Difference): Picture {
  const [nodes, edges] = [marksOfNodes(difference), marksOfEdges(difference)];
  const lines = picture.lines.map((line) => withMarks(line, marksOfLine(line, difference)));
  const cards = picture.cards.map((card) => {
    const rows = card.rows.map((row) => withMarks(row, nodes.get(row.id)));
    const marks =
      card.kind === "job"
        ? edges.get(card.id)
        : (card.members ?? [card.id]).flatMap((id) => nodes.get(id) ?? []);
    return withMarks({ ...card, rows }, marks);
  });
  return { cards, lines };
}

type Marks = readonly (Mark | undefined)[];

/** One mark for several things: theirs if all have the same, `changed` if one has; else they differ in part. */
function withMarks<Marked extends Row | Card | Line>(thing: Marked, marks: Marks = []): Marked {
  const found = new Set(marks);
  const [first] = marks;
  const mark = found.has("changed") ? "changed" : found.size === 1 ? first : undefined;
  const partly = (["added", "gone"] as const).filter((each) => found.has(each));
  return mark ? { ...thing, mark } : partly.length > 0 ? { ...thing, partly } : thing;
}

function marksOfLine(line: Line, { edges }: Difference): Marks {
  return line.edges.map((edge) => edges.get(edge.key)?.mark);
}

/** The marks of the nodes at and in rows and datasets' cards, by their ids. */
function marksOfNodes({ both, nodes }: Difference): Map<string, Marks> {
  const marks = new Map<string, (Mark | undefined)[]>();
  for (const node of both.nodes.values()) {
    for (const id of [datasetKey(node), ...keysAround(node)]) {
      put(marks, id, nodes.get(node.key));
    }
  }
  return marks;
}

/** The keys of the path and of those that it is nested in. */
function keysAround({ namespace, name, path }: PathRef): string[] {
  return path.map((_, index) => nodeKey({ namespace, name, path: path.slice(0, index + 1) }));
}

/** The marks of the edges of jobs' cards, by their ids. */
function marksOfEdges({ both, edges }: Difference): Map<string, Marks> {
  const marks = new Map<string, (Mark | undefined)[]>();
  for (const edge of both.edges.values()) {
    put(marks, `job ${datasetKey(edge.job)}`, edges.get(edge.key)?.mark);
  }
  return marks;
}

function put(marks: Map<string, (Mark | undefined)[]>, id: string, mark: Mark | undefined): void {
  const known = marks.get(id) ?? [];
  known.push(mark);
  marks.set(id, known);
}
