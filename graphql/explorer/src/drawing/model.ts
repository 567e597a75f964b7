// What is drawn into a file: a picture with the places of its cards, and what is written around it.
import type { Places } from "../layout/elk_graph";
import type { Level, PathRef, Way } from "../lineage/names";
import type { Picture } from "../picture/model";
import type { DrawingWords } from "../words/en/drawing";
import type { Palette } from "./palette";

/** The way of a selected path: the keys of its nodes, and the ids of lines by which its value or an influence flows. */
export interface LitWay {
  readonly nodes: ReadonlySet<string>;
  /** The keys of those that its value comes through. */
  readonly valueNodes: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly influences: ReadonlySet<string>;
}

export interface Drawing {
  readonly picture: Picture;
  readonly places: Places;
  /** Null where no path is selected. */
  readonly lit: LitWay | null;
}

/** The question that the picture answers. */
export interface Question {
  readonly node: PathRef | null;
  readonly level: Level;
  readonly way: Way;
  readonly depth: number;
  readonly asOf: string | null;
}

export interface Frame {
  readonly title: string;
  readonly subtitle: string;
  /** What the picture leaves out, a sentence each. */
  readonly notes: readonly string[];
  /** The moment that the picture is true of, as ISO 8601 text. */
  readonly moment: string;
  /** Where the picture can be opened again; null where it has no address. */
  readonly address: string | null;
  readonly palette: Palette;
  readonly words: DrawingWords;
}
