// The words of drawings, and of the menu that takes them away.
import { catalogueOf } from "../catalogue";
import { PRIVACY } from "./privacy";
import { TIME } from "./time";

export const DRAWING_WORDS = {
  marks: TIME.marks,
  forms: PRIVACY.forms,
  letters: PRIVACY.letters,
  takeAway: "Take away",
  download: "Download",
  copy: "Copy",
  formats: { svg: "SVG", png: "PNG", pdf: "PDF", mmd: "Mermaid text", dot: "DOT text" },
  link: "Link to this picture",
  query: "GraphQL query",
  curl: "curl command",
  copied: "Copied.",
  saved: (file: string) => `${file} was saved.`,
  failed: (why: string) => `That did not work: ${why}`,
  all: "All datasets",
  lineageOf: (name: string) => `Lineage of ${name}`,
  steps: (count: number) => (count === 1 ? "1 step" : `up to ${count} steps`),
  levels: { PATH: "paths", COLUMN: "columns", DATASET: "datasets", JOB: "jobs" },
  ways: {
    BOTH: "where it comes from and where it goes",
    BACKWARD: "where it comes from",
    FORWARD: "where it goes",
  },
  asOf: (moment: string) => `As of ${moment}`,
  value: "value",
  influence: "influence (filter, join, group …)",
  litValue: "value on the way of the selected path",
  litInfluence: "influence on its way",
  pruned: "a way that no data can take",
  gap: "not known",
  gaps: (count: number) => (count === 1 ? "1 gap in its lineage" : `${count} gaps in its lineage`),
  inGroup: (count: number) => (count === 1 ? "1 dataset" : `${count} datasets`),
  moreRows: (count: number) => (count === 1 ? "1 more path" : `${count} more paths`),
  detail: catalogueOf("en").detail,
};

export type DrawingWords = typeof DRAWING_WORDS;
