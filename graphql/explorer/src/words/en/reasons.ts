// Why something of a lineage is not known, and what to do about it, in English.
export interface Reason {
  readonly what: string;
  readonly remedy: string;
}

const READ_DETAIL =
  "The detail names it. If it is of a current version of Spark or of a library, please report it.";
const OWN_CODE = "Write it with Spark's own functions, or ask the job's owner what it reads and returns.";

export const REASON_WORDS: Readonly<Record<string, Reason>> = {
  WAY_LIMIT: {
    what: "Active lineage stopped here because of too many ways, or for lack of time: beyond, ways are shown that data may not be able to take.",
    remedy: "Go on with one of the conditions offered, or ask about fewer rows.",
  },
  NO_LINEAGE_FACET: {
    what: "A job reported no lineage of paths.",
    remedy: "Switch on column lineage in the job's producer, or run the job with Headwater's agent.",
  },
  UNKNOWN_RELATION: { what: "A step of a job could not be read.", remedy: READ_DETAIL },
  UNKNOWN_SOURCE: { what: "A source could not be read.", remedy: READ_DETAIL },
  UNKNOWN_EXPRESSION: { what: "An expression could not be read.", remedy: READ_DETAIL },
  RDD: {
    what: "A step below the level of tables could not be looked into.",
    remedy:
      "Use DataFrames for this step, or functions that can be read: what else goes through an RDD cannot be traced.",
  },
  OPAQUE: { what: "A function could not be looked into.", remedy: OWN_CODE },
  PYTHON_UDF: { what: "A Python function could not be looked into.", remedy: OWN_CODE },
  SCALA_UDF: { what: "A Scala function could not be looked into.", remedy: OWN_CODE },
  HIVE_UDF: { what: "A Hive function could not be looked into.", remedy: OWN_CODE },
  R_UDF: { what: "An R function could not be looked into.", remedy: OWN_CODE },
  TYPED_OPERATION: { what: "A program's own function could not be looked into.", remedy: OWN_CODE },
  SCRIPT: { what: "A script could not be looked into.", remedy: OWN_CODE },
  DRIVER: {
    what: "Data went through a program.",
    remedy:
      "What the program collected before may be in it: ask the job's owner, or join instead of collecting.",
  },
  PROGRAM: {
    what: "A program wrote rows, and nobody saw where it has them from.",
    remedy:
      "Ask the job's owner, and classify what they hold. Under headwater run, the program notes which files it opens.",
  },
  TRUNCATED: {
    what: "The lineage was too large and was cut.",
    remedy: "Raise the agent's limits, or split the job.",
  },
  DROPPED: {
    what: "A part of the lineage was not delivered.",
    remedy: "Run the job again; the agent's log says what was lost.",
  },
  ERROR: {
    what: "A job's lineage could not be read.",
    remedy: "The agent's log has the error; please report it.",
  },
  SCHEMA_DRIFT: {
    what: "A job reads by a schema that does not fit what is written.",
    remedy: "Bring the reader's schema in line with the writer's.",
  },
  EARLIER_LINEAGE: {
    what: "What a job wrote earlier, or a run wrote that failed, may still be there.",
    remedy: "Replace the whole dataset, or drop it.",
  },
  AFTER_THE_FACT: {
    what: "A sender reported afterwards what would clear what was known before; both are listed.",
    remedy: "A steward looks at it, and accepts it: headwater corrections accept.",
  },
  UNDECIDED_ORIGIN: {
    what: "Nobody decided what of an origin is personal.",
    remedy: "Classify its personal paths, or say that it has none: headwater classify not-personal DATASET.",
  },
  OPEN_PROPOSAL: {
    what: "A path looks personal, and nobody decided about it.",
    remedy: "Decide about the path: headwater classify confirm, or headwater classify reject.",
  },
  POSSIBLE_COPY: {
    what: "A dataset is probably a copy of another, and nobody decided about it.",
    remedy: "Decide about the copy: headwater copies confirm, or headwater copies refuse.",
  },
};
