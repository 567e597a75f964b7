// English words of where a job's program is, and of the runs of a dataset.
export const PROGRAM = {
  madeBy: "Made by",
  owner: "Owner",
  noOwner: "not stated",
  place: "Source",
  repository: "Repository",
  version: "Version",
  line: (line: number) => `line ${line}`,
  statement: "Statement",
  none: "The job does not report its program.",
  newestRuns: "Newest runs",
  allRuns: "Show its runs",
  failedTests: "Failed quality tests",
  failedTestOf: (test: string, dataset: string) => `${test} of ${dataset}`,
  runState: (state: string) => `Newest run: ${state}`,
};
