// What is not known of the lineage into a dataset or path: why, where, and what to do about it.

import { jobTitle } from "../lineage/job_titles";
import type { Gap } from "../lineage/model";
import { readableSteps } from "../lineage/names";
import { useWords } from "../words/words";

export function Gaps({ gaps }: { gaps: readonly Gap[] }) {
  const words = useWords();
  if (gaps.length === 0) {
    return null;
  }
  return (
    <section className="gap-list">
      <h3>{words.notKnown}</h3>
      <ul>
        {gaps.map((gap) => (
          <li key={JSON.stringify(gap)}>
            <p>
              <strong>{words.reasons[gap.reason]?.what ?? words.canvas.unknownReason}</strong>{" "}
              <code>{gap.reason}</code>
            </p>
            {gap.path.length > 0 && <p className="quiet">{readableSteps(gap.path).join(".")}</p>}
            {gap.detail && <pre>{words.server.detail(gap.detail)}</pre>}
            {gap.job && <p className="quiet">{jobTitle(gap.job.name)}</p>}
            <p>{words.reasons[gap.reason]?.remedy ?? words.canvas.unknownRemedy}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
