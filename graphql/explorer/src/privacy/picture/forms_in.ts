// A picture with the forms of personal data, and the findings, at the rows and cards where they are.
import { holds, type PathRef } from "../../lineage/names";
import type { Card, Picture, Row } from "../../picture/model";
import { type Form, stronger } from "../forms";

/** A path that holds personal data, and its form. */
export interface Held {
  readonly node: PathRef;
  readonly form: Form;
}

export interface Privacy {
  /** What paths hold, by the keys of their datasets. */
  readonly held: ReadonlyMap<string, readonly Held[]>;
  /** The strongest forms of whole datasets, by their keys. */
  readonly strongest: ReadonlyMap<string, Form>;
  /** The places of findings, by the keys of their datasets. */
  readonly findings: ReadonlyMap<string, readonly PathRef[]>;
}

export function withPrivacy(picture: Picture, privacy: Privacy): Picture {
  return {
    ...picture,
    cards: picture.cards.map((card) => (card.kind === "job" ? card : shown(card, privacy))),
  };
}

function shown(card: Card, { held, strongest, findings }: Privacy): Card {
  const datasets = card.members ?? [card.id];
  const [inside, places] = [held.get(card.id) ?? [], datasets.flatMap((id) => findings.get(id) ?? [])];
  const form = datasets
    .flatMap((id) => strongest.get(id) ?? [])
    .reduce<Form | undefined>((so, each) => stronger(so, each), undefined);
  const counts = findingsOf(card.rows, places);
  const rows = card.rows.map((row) => {
    const count = counts.get(row.id);
    return { ...row, ...ofRow(row, inside), ...(count && { findings: count }) };
  });
  return { ...card, rows, ...(form && { form }), ...(places.length > 0 && { findings: places.length }) };
}

/** The strongest form that is at the row's path, nested in it, or in what it is nested in. */
function ofRow(row: Row, held: readonly Held[]): { form?: Form } {
  const related = held.filter(({ node }) => holds(row.path, node.path) || holds(node.path, row.path));
  const form = related.reduce<Form | undefined>((so, { form }) => stronger(so, form), undefined);
  return form ? { form } : {};
}

/** The number of findings by rows: each is at the innermost row that is, or holds, its path. */
function findingsOf(rows: readonly Row[], places: readonly PathRef[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const place of places) {
    const around = rows.filter((row) => holds(row.path, place.path));
    const row = around.sort((one, other) => other.path.length - one.path.length)[0];
    if (row) {
      counts.set(row.id, (counts.get(row.id) ?? 0) + 1);
    }
  }
  return counts;
}
