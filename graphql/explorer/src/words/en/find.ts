// English words of the box that finds things by name.
export const FIND = {
  label: "Find datasets, paths, jobs, owners, tags",
  placeholder: "Find …  ( / )",
  results: "Results",
  recent: "Chosen before",
  clear: "Forget these",
  kinds: { DATASET: "Dataset", JOB: "Job", PATH: "Path" },
  by: { NAME: "name", PATH: "path", TAG: "tag", OWNER: "owner" },
  matched: (what: string, text: string) => `${what}: ${text}`,
  similar: (name: string) => `similar name: ${name}`,
  searching: "Searching …",
  nothing: (text: string) => `Nothing known is named like “${text}”.`,
  count: (count: number) => (count === 1 ? "1 result" : `${count} results`),
  more: "There are more: type more of the name.",
};
