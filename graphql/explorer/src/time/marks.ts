// A picture with the marks of a difference on its lines, rows and cards.
import { datasetKey, nodeKey, type PathRef } from "../lineage/names";
import type { Card, Line, Picture, Row } from "../picture/model";
import type { Difference, Mark } from "./difference";

export function marked(picture: Picture, difference: Difference): Picture {
  const [nodes, edges] = [marksOfNodes(difference), marksOfEdges(difference)];
  const lines = picture.lines.map((line) => withMark(line, markOfLine(line, difference)));
  const cards = picture.cards.map((card) => {
    const rows = card.rows.map((row) => withMark(row, nodes.get(row.id)));
    const mark =
      card.kind === "job"
        ? edges.get(card.id)
        : together((card.members ?? [card.id]).map((id) => nodes.get(id)));
    return withMark({ ...card, rows }, mark);
  });
  return { cards, lines };
}

function withMark<Marked extends Row | Card | Line>(thing: Marked, mark: Mark | undefined): Marked {
  return mark ? { ...thing, mark } : thing;
}

function markOfLine(line: Line, { edges }: Difference): Mark | undefined {
  return together(line.edges.map((edge) => edges.get(edge.key)?.mark));
}

/** One mark for several things: theirs if all have the same, `changed` if only some of them differ. */
function together(marks: readonly (Mark | undefined)[]): Mark | undefined {
  const [first] = marks;
  return marks.every((mark) => mark === first) ? first : "changed";
}

/** The marks of rows and of datasets' cards, by their ids: those of the nodes at, in and made at them. */
function marksOfNodes({ both, nodes, edges }: Difference): Map<string, Mark | undefined> {
  const marks = new Map<string, (Mark | undefined)[]>();
  const made = new Set([...edges.values()].map(({ edge }) => edge.target));
  for (const node of both.nodes.values()) {
    const mark = nodes.get(node.key) ?? (made.has(node.key) ? "changed" : undefined);
    for (const id of [datasetKey(node), ...keysAround(node)]) {
      marks.set(id, [...(marks.get(id) ?? []), mark]);
    }
  }
  return new Map([...marks].map(([id, all]) => [id, together(all)]));
}

/** The keys of the path and of those that it is nested in. */
function keysAround({ namespace, name, path }: PathRef): string[] {
  return path.map((_, index) => nodeKey({ namespace, name, path: path.slice(0, index + 1) }));
}

/** The marks of jobs' cards, by their ids. */
function marksOfEdges({ both, edges }: Difference): Map<string, Mark | undefined> {
  const marks = new Map<string, (Mark | undefined)[]>();
  for (const edge of both.edges.values()) {
    const id = `job ${datasetKey(edge.job)}`;
    marks.set(id, [...(marks.get(id) ?? []), edges.get(edge.key)?.mark]);
  }
  return new Map([...marks].map(([id, all]) => [id, together(all)]));
}
