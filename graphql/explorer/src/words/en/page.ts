// The words of the page in English. Other languages have the same keys.

import { catalogueOf } from "../catalogue";
import { ACTIVE } from "./active";
import { CLASSIFY } from "./classify";
import { COMPLETENESS } from "./completeness";
import { CROSSINGS } from "./crossings";
import { DRAWING_WORDS } from "./drawing";
import { FIND } from "./find";
import { FUNCTIONS } from "./functions";
import { CANVAS_WORDS } from "./picture";
import { PRIVACY } from "./privacy";
import { PROGRAM } from "./program";
import { REASON_WORDS } from "./reasons";
import { KEPT_RECORDS } from "./records";
import { RESIDENCY } from "./residency";
import { RUNS_WORDS } from "./runs";
import { TIME } from "./time";

export const en = {
  title: "Headwater",
  picture: "Picture of the lineage",
  miniMap: "Overview of the picture",
  skip: "Skip to the picture",
  kinds: { dataset: "dataset", job: "job", group: "group", path: "path", line: "line" },
  views: {
    picture: "Picture",
    matrix: "Matrix",
    findings: "Findings",
    crossings: "Countries",
    classify: "Classify",
    runs: "Runs",
    "dead-letters": "Dead letters",
  },
  levels: { PATH: "Paths", COLUMN: "Columns", DATASET: "Datasets", JOB: "Jobs" },
  ways: { BOTH: "Both ways", BACKWARD: "Where it comes from", FORWARD: "Where it goes" },
  level: "Level",
  way: "Direction",
  depth: "Steps",
  influences: "Influences",
  wholeStore: "All datasets",
  fold: "Fold",
  unfold: "Unfold",
  details: "Details",
  close: "Close",
  loading: "Loading …",
  nothing: "Nothing is stored yet. Send OpenLineage events to this server, or run the demo.",
  namespace: "Namespace",
  job: "Job",
  paths: "Paths",
  comesFrom: "Comes from",
  goesTo: "Goes to",
  showLineage: "Show its lineage",
  notKnown: "What is not known",
  cut: "A limit cut the answer: the lineage goes on beyond what is shown.",
  gaps: (count: number) => (count === 1 ? "1 gap in its lineage" : `${count} gaps in its lineage`),
  limited: (shown: number, all: number) => `${shown} of ${all} datasets are shown.`,
  errorTitle: "That did not work",
  askedAgain: "It is asked again until there is an answer.",
  arrow: "→",
  canvas: CANVAS_WORDS,
  active: ACTIVE,
  completeness: COMPLETENESS,
  reasons: REASON_WORDS,
  menu: "Menu",
  settings: "Settings",
  theme: "Appearance",
  themes: { system: "As the system", light: "Light", dark: "Dark" },
  language: "Language",
  graphiql: "GraphQL for programmers",
  find: FIND,
  privacy: PRIVACY,
  residency: RESIDENCY,
  crossings: CROSSINGS,
  time: TIME,
  runs: RUNS_WORDS,
  keptRecords: KEPT_RECORDS,
  classify: CLASSIFY,
  program: PROGRAM,
  functions: FUNCTIONS,
  drawing: DRAWING_WORDS,
  server: catalogueOf("en"),
};

export type Words = typeof en;
