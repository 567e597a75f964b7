// Which place is beside another, along the lines of a picture.
import type { Picture } from "./model";

/** A card and the row in it by their numbers; the head of a card is row -1. */
export interface Place {
  readonly card: number;
  readonly row: number;
}

/** The first place that a line leads to, from the row or else from any of its card; null where none does. */
export function placeBeside(picture: Picture, from: Place, side: "before" | "after"): Place | null {
  const card = picture.cards[from.card];
  if (!card) {
    return null;
  }
  const row = card.rows[from.row]?.id ?? null;
  const ends = picture.lines.flatMap((line) => {
    const [near, far] = side === "after" ? [line.source, line.target] : [line.target, line.source];
    const byJob = line.through === card.id;
    return near.card === card.id || byJob ? [{ near, far, byJob }] : [];
  });
  const exact = ends.find(({ near, byJob }) => !byJob && row !== null && near.row === row);
  const found = (exact ?? ends[0])?.far;
  const index = picture.cards.findIndex((each) => each.id === found?.card);
  const place = picture.cards[index];
  return place && found ? { card: index, row: place.rows.findIndex((each) => each.id === found.row) } : null;
}
