// A way of personal data, step by step, with jobs and transformations.

import { jobTitle } from "../lineage/job_titles";
import { type PathRef, readableSteps } from "../lineage/names";
import { useAddress } from "../page/address";
import { useWords } from "../words/words";
import type { RouteStep } from "./ways";

export function Witness({ steps }: { steps: readonly RouteStep[] }) {
  const { privacy, server } = useWords();
  const [, go] = useAddress();
  return (
    <ol className="witness" aria-label={privacy.holdings.way(steps.length)}>
      {steps.map((step) => (
        <li key={JSON.stringify([step.source, step.target, step.job])}>
          <span>
            {nameOf(step.source)} → <strong>{nameOf(step.target)}</strong>
          </span>
          {step.transformations?.map((each) => (
            <span key={JSON.stringify(each)} className="how">
              {[
                server.subtype(each.subtype),
                ...each.manipulation.map(server.manipulation),
                ...(each.access ? [server.subtype(each.access)] : []),
              ].join(" · ")}
            </span>
          ))}
          <span className="by">
            {privacy.holdings.by}{" "}
            <button
              type="button"
              className="link"
              onClick={() =>
                go({ view: "runs", job: { namespace: step.job.namespace, name: step.job.name } })
              }
            >
              {jobTitle(step.job.name)}
            </button>
          </span>
        </li>
      ))}
    </ol>
  );
}

/** A place as people read it: the dataset, and the path. */
export function nameOf({ name, path, label }: RouteStep["source"]): string {
  return path.length > 0 ? `${name} ${label}` : name;
}

/** The same for a place whose path has no label. */
export function placeName({ name, path }: PathRef): string {
  return [name, readableSteps(path).join(".")].filter(Boolean).join(" ");
}
