// Where findings are.
import type { PathRef } from "../../lineage/names";

/** A finding, and its place. */
export interface FindingPlace {
  readonly id: string;
  readonly node: PathRef;
}

/** The findings at a row or card of the picture. */
export interface FindingsAt {
  readonly count: number;
  /** The id of the finding where it is the only one. */
  readonly only: string | null;
  /** What the row or card stands for; null of a group, which stands for several datasets. */
  readonly place: PathRef | null;
}
