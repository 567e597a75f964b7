// A picture with the forms of personal data, and the findings, at the rows and cards where they are.
import { holds, nodeKey, type PathRef } from "../../lineage/names";
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
    cards: picture.cards.map((card) => (card.kind === "dataset" ? shown(card, privacy) : card)),
  };
}

function shown(card: Card, { held, strongest, findings }: Privacy): Card {
  const [inside, places] = [held.get(card.id) ?? [], findings.get(card.id) ?? []];
  const form = strongest.get(card.id);
  const rows = card.rows.map((row) => ({ ...row, ...ofRow(row, inside), ...foundAt(row, card, places) }));
  return { ...card, rows, ...(form && { form }), ...(places.length > 0 && { findings: places.length }) };
}

/** The strongest form that is at the row's path, nested in it, or in what it is nested in. */
function ofRow(row: Row, held: readonly Held[]): { form?: Form } {
  const related = held.filter(({ node }) => holds(row.path, node.path) || holds(node.path, row.path));
  const form = related.reduce<Form | undefined>((so, { form }) => stronger(so, form), undefined);
  return form ? { form } : {};
}

/** The findings at the row's path, or nested in it where that is not shown. */
function foundAt(row: Row, card: Card, places: readonly PathRef[]): { findings?: number } {
  const listed = new Set(card.rows.map(({ id }) => id));
  const here = places.filter(
    (place) =>
      nodeKey(place) === row.id || (!row.open && !listed.has(nodeKey(place)) && holds(row.path, place.path)),
  );
  return here.length > 0 ? { findings: here.length } : {};
}
