// The mark of findings at a row or card; it opens the only one, or the list of those that are there.
import { START, useAddress } from "../page/address";
import type { FindingsAt } from "../privacy/findings/places";
import { useWords } from "../words/words";

export function FindingMark({ findings: { count, only, place } }: { findings: FindingsAt }) {
  const { privacy } = useWords();
  const [, go] = useAddress();
  return (
    <button
      type="button"
      className="finding-mark nopan"
      aria-label={privacy.findings.here(count)}
      title={privacy.findings.here(count)}
      onClick={() => go({ view: "findings", finding: only, place: only === null ? place : START.place })}
    >
      !
    </button>
  );
}
