// A picture as text in DOT, Graphviz' language.
import type { Picture } from "../picture/model";
import { printable } from "./markup";
import type { LitWay } from "./model";
import { type Arrow, type OutlineBox, outlineOf } from "./outline";

/** The text: datasets as clusters with their rows, jobs on the arrows; dashed arrows only influence, and no data can take dotted ones. The notes are its label. */
export function dotOf(picture: Picture, lit: LitWay | null, notes: readonly string[]): string {
  const { boxes, arrows } = outlineOf(picture, lit);
  const head = [
    "digraph lineage {",
    "  rankdir=LR;",
    "  compound=true;",
    '  node [shape=box, fontname="sans-serif"];',
    '  edge [fontname="sans-serif"];',
  ];
  const clusters = new Map(boxes.filter(({ rows }) => rows.length > 0).map((box) => [box.id, box]));
  const drawn = arrows.map((arrow) => arrowLine(arrow, clusters));
  const caption = notes.length > 0 ? [`  label=${quoted(notes.join(" "))};`] : [];
  return `${[...head, ...boxes.flatMap(boxLines), ...drawn, ...caption, "}"].join("\n")}\n`;
}

function boxLines({ id, card, rows }: OutlineBox): string[] {
  const label = `label=${quoted(card.gapCount > 0 ? `${card.title} ?` : card.title)}`;
  if (rows.length === 0) {
    return [`  ${id} [${label}${card.kind === "job" ? ", style=rounded" : ""}];`];
  }
  const inner = rows.map((row) => `    ${row.id} [label=${quoted(row.label)}];`);
  return [`  subgraph cluster_${id} {`, `    ${label};`, ...inner, "  }"];
}

/** An arrow; one that begins or ends at a cluster does so at its first row, and is cut at the cluster's border. */
function arrowLine(
  { from, to, label, value, pruned, lit }: Arrow,
  clusters: ReadonlyMap<string, OutlineBox>,
): string {
  const [tail, head] = [clusters.get(from), clusters.get(to)];
  const attributes = [
    ...(label ? [`label=${quoted(label)}`] : []),
    ...(pruned ? ["style=dotted", "arrowhead=tee"] : value ? [] : ["style=dashed"]),
    ...(lit ? ["penwidth=3"] : []),
    ...(tail ? [`ltail=cluster_${from}`] : []),
    ...(head ? [`lhead=cluster_${to}`] : []),
  ];
  const ends = `${tail?.rows[0]?.id ?? from} -> ${head?.rows[0]?.id ?? to}`;
  return `  ${ends}${attributes.length > 0 ? ` [${attributes.join(", ")}]` : ""};`;
}

function quoted(text: string): string {
  return `"${printable(text).replace(/["\\]/g, "\\$&")}"`;
}
