// The words of the page of records, and of what the explorer says of it, in English.
export const KEPT_RECORDS = {
  title: "Which records made it",
  why: "It is kept beside the data. Values never come here: they are asked for where the data is.",
  folder: "Folder",
  mode: "Kept",
  modes: {
    demand: "what the inputs were",
    ends: "the sources' records of each record",
    full: "the records of every operator",
  } as Readonly<Record<string, string>>,
  records: "Records",
  refused: "Cannot be asked about",
  start: "Start this where the data is:",
  open: "Ask for its records",
  elsewhere: "The link leads to this computer, where the command serves its page unless another is given.",
};

export const RECORDS_PAGE = {
  title: "Which records made it?",
  key: "API key",
  output: "Output",
  pattern: "Pattern",
  through: "Through all jobs that were captured",
  notKnown: (file: string, reason: string) => `It is not known how ${file} was made: ${reason}.`,
  ask: "Ask",
  asking: "Asking …",
  found: (rows: string, total: string) =>
    `Records of the output: ${rows}, made of so many of the sources: ${total}.`,
  hidden: (count: string) => `Not shown: ${count}.`,
  contributes: "Contributes",
  influences: "Decided only",
  accessed: (operators: string) => `accessed by ${operators}`,
  manipulated: (operators: string) => `manipulated by ${operators}`,
  unread: (reason: string) => `The record is not shown: ${reason}.`,
  /** Why a record is not shown, as the server says it. */
  reasons: {} as Readonly<Record<string, string>>,
  whole: "the record as a whole",
  noAnswer: "no answer",
  language: "Language",
  /** What the code of an error means; the server's messages are in English. */
  codes: {} as Readonly<Record<string, string>>,
};
