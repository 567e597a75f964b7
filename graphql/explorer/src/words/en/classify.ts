// English words of deciding what is personal data.
export const CLASSIFY = {
  title: "What is personal data",
  about:
    "Stewards decide; every decision has a reason and stays in the audit log. Its effect is shown before it is saved.",
  forStewards:
    "Only stewards, auditors and administrators see what is classified, and only stewards and administrators decide.",
  kinds: { classify: "Classify", confirm: "Confirm proposals", reject: "Reject proposals" },
  effect: "What it changes",
  preview: "preview",
  decisions: (count: number) =>
    count === 0
      ? "Nothing is decided that is not in force already."
      : count === 1
        ? "1 decision:"
        : `${count} decisions:`,
  downstream: (paths: number, datasets: number) =>
    paths === 0
      ? "Nothing is known to be made of it."
      : `${paths} paths in ${datasets} datasets are made of it:`,
  influenced: "only influenced",
  incomplete: "The lineage from there is incomplete: more may be made of it.",
  tooMany: (shown: number, all: number) => `What is downstream is shown for ${shown} of ${all} paths.`,
  save: "Save",
  leave: "Leave it",
  saved: (count: number) =>
    count === 0
      ? "Nothing had to be saved."
      : count === 1
        ? "1 decision is saved."
        : `${count} decisions are saved.`,
  undo: "Undo",
  undone: "taken back in the explorer",
  isUndone: "It is taken back.",
  path: (place: string) => `Classify ${place}`,
  pathButton: "Classify it",
  undecided: "Nobody has decided about it.",
  notPersonal: "not personal",
  categories: "Categories",
  seeEffect: "See the effect",
  isNotPersonal: "It is not personal",
  proposals: "Proposals",
  proposalsMean: "Paths that look personal, and that nobody decided on.",
  noProposals: "No path without a class looks personal.",
  all: "All that are listed",
  these: {
    confirm: (count: number) => `Confirm ${count}`,
    reject: (count: number) => `Reject ${count}`,
  },
  sources: { STEWARD: "steward", RULE: "rule", TAG: "tag" },
  confidence: { LIKELY: "likely", POSSIBLE: "possible" },
  unseen: "Sources that nobody looked through",
  unseenMeans: "Until somebody looked through a source, answers that pass it are not complete.",
  allSeen: "Somebody looked through all sources that are listed.",
  looked: "Looked through: nothing else is personal",
};
