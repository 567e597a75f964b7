// A picture without places, for languages that lay out themselves: boxes with rows, and arrows with the job's name.
import type { Card, Line, Picture } from "../picture/model";
import type { LitWay } from "./model";

export interface Outline {
  readonly boxes: readonly OutlineBox[];
  readonly arrows: readonly Arrow[];
}

export interface OutlineBox {
  readonly id: string;
  readonly card: Card;
  readonly rows: readonly { readonly id: string; readonly label: string }[];
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** The job that it goes through; empty where the job is a box. */
  readonly label: string;
  readonly value: boolean;
  /** Whether no data can take it. */
  readonly pruned: boolean;
  /** Whether it is on the way of the selected path. */
  readonly lit: boolean;
}

export function outlineOf({ cards, lines }: Picture, lit: LitWay | null): Outline {
  const through = new Set(lines.map((line) => line.through));
  const ends = new Set(lines.flatMap((line) => [line.source.card, line.target.card]));
  const boxes = cards
    .filter((card) => ends.has(card.id) || !through.has(card.id))
    .map((card, index) => {
      const id = `n${index}`;
      return { id, card, rows: card.rows.map(({ label }, row) => ({ id: `${id}_${row}`, label })) };
    });
  const byCard = new Map(boxes.map((box) => [box.card.id, box]));
  const titles = new Map(cards.map((card) => [card.id, card.title]));
  const end = ({ card, row }: Line["source"]) => {
    const box = byCard.get(card);
    const index = box?.card.rows.findIndex((each) => each.id === row) ?? -1;
    return box?.rows[index]?.id ?? box?.id;
  };
  const arrows = lines.flatMap((line) => {
    const [from, to] = [end(line.source), end(line.target)];
    const label = (line.through && titles.get(line.through)) || "";
    const bright = lit !== null && (lit.values.has(line.id) || lit.influences.has(line.id));
    return from && to
      ? [{ from, to, label, value: line.value, pruned: line.pruned === true, lit: bright }]
      : [];
  });
  return { boxes, arrows };
}
