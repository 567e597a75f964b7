// A picture with the forms of personal data, and the findings, at the rows and cards where they are.
import { grouped } from "../lineage/grouped";
import { holds, type PathRef } from "../lineage/names";
import type { Card, Picture, Row } from "../picture/model";
import { placeKey } from "../picture/overview_picture";
import type { FindingPlace, FindingsAt } from "../privacy/findings/places";
import { type Form, stronger } from "../privacy/forms";
import { type Resident, together } from "../privacy/residency/verdicts";
import type { Answer } from "../server/client";

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
  /** The categories in datasets with their countries, by the keys of their datasets. */
  readonly residents: ReadonlyMap<string, readonly Resident[]>;
  /** By the keys of their datasets. */
  readonly findings: ReadonlyMap<string, readonly FindingPlace[]>;
}

export function withPrivacy(picture: Picture, privacy: Privacy): Picture {
  return {
    ...picture,
    cards: picture.cards.map((card) => (card.kind === "job" ? card : shown(card, privacy))),
  };
}

/** What the server's groups of a whole store hold: `privacy` has it by the keys of their places. */
export function withGroups(
  picture: Picture,
  exposed: Answer<"OverviewExposure">["overviewExposure"]["groups"],
  { residents, findings }: Pick<Privacy, "residents" | "findings">,
): Picture {
  const byPlace = new Map(exposed.map((each) => [placeKey(each.namespace, each.place), each]));
  const cards = picture.cards.map((card): Card => {
    const [place = "", { namespace, name }] = [card.place, card];
    const [held, residency] = [byPlace.get(place), together(residents.get(place) ?? [])];
    const found = marked(findings.get(place), card.kind === "dataset" ? { namespace, name, path: [] } : null);
    const forms = held && { form: held.form, ...(card.kind === "group" && { exposed: held.datasets }) };
    return { ...card, ...forms, ...(residency && { residency }), ...found };
  });
  return { ...picture, cards };
}

function shown(card: Card, { held, strongest, residents, findings }: Privacy): Card {
  const datasets = card.members ?? [card.id];
  const [inside, all] = [held.get(card.id) ?? [], datasets.flatMap((id) => findings.get(id) ?? [])];
  const form = datasets
    .flatMap((id) => strongest.get(id) ?? [])
    .reduce<Form | undefined>((so, each) => stronger(so, each), undefined);
  const residency = together(datasets.flatMap((id) => residents.get(id) ?? []));
  const { namespace, name } = card;
  const byRow = findingsOf(card.rows, all);
  const rows = card.rows.map((row) => {
    const place = { namespace, name, path: row.path };
    return { ...row, ...ofRow(row, inside), ...marked(byRow.get(row.id), place) };
  });
  const place = card.members ? null : { namespace, name, path: [] };
  const marks = { ...(form && { form }), ...(residency && { residency }) };
  return { ...card, rows, ...marks, ...marked(all, place) };
}

function marked(findings: readonly FindingPlace[] = [], place: PathRef | null): { findings?: FindingsAt } {
  const [first, second] = findings;
  return first ? { findings: { count: findings.length, only: second ? null : first.id, place } } : {};
}

/** The strongest form that is at the row's path, nested in it, or in what it is nested in. */
function ofRow(row: Row, held: readonly Held[]): { form?: Form } {
  const related = held.filter(({ node }) => holds(row.path, node.path) || holds(node.path, row.path));
  const form = related.reduce<Form | undefined>((so, { form }) => stronger(so, form), undefined);
  return form ? { form } : {};
}

/** The findings by rows: each is at the innermost row that is, or holds, its path. */
function findingsOf(
  rows: readonly Row[],
  findings: readonly FindingPlace[],
): ReadonlyMap<string | undefined, readonly FindingPlace[]> {
  return grouped(findings, ({ node }) => {
    const around = rows.filter((row) => holds(row.path, node.path));
    return around.sort((one, other) => other.path.length - one.path.length)[0]?.id;
  });
}
