// The mark of findings at a row or card; it leads to their list.
import { useAddress } from "../../app/address";
import { useWords } from "../../words/words";

export function FindingMark({ count }: { count: number }) {
  const { privacy } = useWords();
  const [, go] = useAddress();
  return (
    <button
      type="button"
      className="finding-mark nopan"
      aria-label={privacy.findings.here(count)}
      title={privacy.findings.here(count)}
      onClick={() => go({ view: "findings" })}
    >
      !
    </button>
  );
}
