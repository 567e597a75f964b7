// A picture: cards for datasets, jobs and groups, and the lines between them. It says what is shown, not where.
import type { Expansion } from "../lineage/expansions";
import type { Gap, LineageEdge } from "../lineage/model";
import type { DatasetRef } from "../lineage/names";
import type { FindingsAt } from "../privacy/findings/places";
import type { Form } from "../privacy/forms";
import type { CardResidency } from "../privacy/residency/verdicts";
import type { Mark } from "../time/difference";

/** A path in a dataset's card. */
export interface Row {
  /** The key of its path. */
  readonly id: string;
  /** The keys of the nodes that it stands for: its own, its array's elements, and those that it hides while folded. */
  readonly keys: readonly string[];
  readonly path: readonly string[];
  /** The last step, as people read it. */
  readonly name: string;
  /** The path as text. */
  readonly label: string;
  /** The type where it is known, such as `string` or `array<struct>`. */
  readonly type: string | null;
  /** How many rows it is nested in. */
  readonly depth: number;
  /** Whether there are rows nested in it, shown or not. */
  readonly nested: boolean;
  readonly open: boolean;
  /** Whether it stands for a node of the lineage, rather than only for a path of the schema. */
  readonly onLineage: boolean;
  /** How it differs between the two moments compared. */
  readonly mark?: Mark;
  /** How some of what is in it differs, where the rest does not. */
  readonly partly?: readonly Mark[];
  /** The strongest form in which personal data are known to be in it. */
  readonly form?: Form;
  readonly findings?: FindingsAt;
}

/** Of a side of a card: whether the lineage ends there, goes on, was not asked for, or was expanded by the reader. */
export type Beyond = "end" | "more" | "unknown" | "expanded";

export type CardKind = "dataset" | "job" | "group";

export interface Card {
  readonly id: string;
  readonly kind: CardKind;
  readonly namespace: string;
  /** The name of the dataset or job; of a group, the namespace or owner that it stands for. */
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
  /** What is not known of the lineage into it, or behind it. */
  readonly gaps: readonly Gap[];
  /** The number of gaps, also where they are not listed. */
  readonly gapCount: number;
  /** Of a group, the number of cards in it. */
  readonly size: number;
  /** Of a group that the page made, the ids of the datasets in it. */
  readonly members?: readonly string[];
  /** In the server's groups of a whole store, the key of the card's place; of a group, what opens it, as the address has it. */
  readonly place?: string;
  readonly opens?: string;
  /** Of a group, how many of its datasets hold personal data. */
  readonly exposed?: number;
  /** Whether the lineage starts here. */
  readonly start: boolean;
  /** Whether no edge leads to it: it is there for a gap that names it. */
  readonly ghost?: boolean;
  /** Of a dataset: how many rows are left out. */
  readonly left?: number;
  /** Of a dataset: whether all paths of its schema are shown, or only those on the lineage. */
  readonly whole?: boolean;
  /** What is at its left and right side: of a dataset in a lineage, and of a job where jobs alone are shown. */
  readonly before?: Beyond;
  readonly after?: Beyond;
  /** Of a job: the datasets at which its sides are expanded, or folded again. */
  readonly goesOnAt?: Readonly<Record<Expansion["way"], readonly DatasetRef[]>>;
  readonly mark?: Mark;
  readonly partly?: readonly Mark[];
  readonly form?: Form;
  /** In which countries its personal data are, and whether they may be there. */
  readonly residency?: CardResidency;
  readonly findings?: FindingsAt;
}

/** A line between two cards, or between rows of them; it goes through the job's card where that is shown. */
export interface Line {
  readonly id: string;
  readonly source: End;
  readonly target: End;
  readonly through: string | null;
  /** Whether values flow along it; if not, it only influences. */
  readonly value: boolean;
  /** Whether no data can take any of its edges. */
  readonly pruned?: boolean;
  /** The edges that it stands for; none in the data flow of a whole store. */
  readonly edges: readonly LineageEdge[];
  /** Between groups of a whole store: how many jobs took data along it, and one of these. */
  readonly jobs?: { readonly count: number; readonly one: DatasetRef };
  readonly mark?: Mark;
  readonly partly?: readonly Mark[];
}

export interface End {
  readonly card: string;
  readonly row: string | null;
}

export interface Picture {
  readonly cards: readonly Card[];
  readonly lines: readonly Line[];
}

export const EMPTY: Picture = { cards: [], lines: [] };
