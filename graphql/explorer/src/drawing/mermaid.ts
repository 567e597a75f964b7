// A picture as Mermaid text, which wikis and code hosts draw.
import type { Picture } from "../picture/model";
import { printable } from "./markup";
import type { LitWay } from "./model";
import { type OutlineBox, outlineOf } from "./outline";

/** The text: datasets as subgraphs with their rows, jobs on the arrows; dashed arrows only influence, and no data can take those with a cross. The notes are a box. */
export function mermaidOf(picture: Picture, lit: LitWay | null, notes: readonly string[]): string {
  const { boxes, arrows } = outlineOf(picture, lit);
  const drawn = arrows.map(({ from, to, label, value, pruned, lit: bright }) => {
    const stroke = pruned ? "-.-x" : value ? (bright ? "==>" : "-->") : "-.->";
    return `  ${from} ${stroke}${label && `|${quoted(label)}|`} ${to}`;
  });
  const gaps = boxes.filter(({ card }) => card.gapCount > 0).map(({ id }) => id);
  const marked =
    gaps.length > 0 ? ["  classDef gap stroke-dasharray: 4 3", `  class ${gaps.join(",")} gap`] : [];
  const caption = notes.length > 0 ? [`  notes>${quoted(notes.join(" "))}]`] : [];
  return `${["flowchart LR", ...boxes.flatMap(boxLines), ...drawn, ...marked, ...caption].join("\n")}\n`;
}

function boxLines({ id, card, rows }: OutlineBox): string[] {
  const name = quoted(card.gapCount > 0 ? `${card.title} ?` : card.title);
  if (rows.length === 0) {
    return [card.kind === "job" ? `  ${id}([${name}])` : `  ${id}[${name}]`];
  }
  const inner = rows.map((row) => `    ${row.id}[${quoted(row.label)}]`);
  return [`  subgraph ${id}[${name}]`, "    direction LR", ...inner, "  end"];
}

/** The text in quotes, with codes for all signs that may mean something to Mermaid, Markdown or HTML. */
function quoted(text: string): string {
  const coded = printable(text).replace(
    /[^\p{L}\p{N} ./:,_?$()[\]-]/gu,
    (sign) => `#${sign.codePointAt(0)};`,
  );
  return `"${coded}"`;
}
