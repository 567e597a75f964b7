// The view of runs: those of a job, those that used a dataset, or all jobs with their newest run.
import { useAddress } from "../page/address";
import { DatasetPage } from "./DatasetPage";
import { JobList } from "./JobList";
import { JobPage } from "./JobPage";

export function RunsView() {
  const [{ job, dataset }] = useAddress();
  if (job) {
    return <JobPage key={JSON.stringify(job)} job={job} />;
  }
  return dataset ? <DatasetPage key={JSON.stringify(dataset)} dataset={dataset} /> : <JobList />;
}
