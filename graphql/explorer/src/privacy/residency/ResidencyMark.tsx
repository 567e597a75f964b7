// The mark at a card: in which countries its personal data are, and whether they may be there.
import { useWords } from "../../words/words";
import { type CardResidency, SIGNS } from "./verdicts";

const SHOWN = 2;

export function ResidencyMark({ residency: { verdict, countries } }: { residency: CardResidency }) {
  const { residency } = useWords();
  const text = residency.mark(countries.join(", ") || residency.notStated, residency.verdicts[verdict]);
  const short = countries.slice(0, SHOWN).join(" ") + (countries.length > SHOWN ? " …" : "");
  return (
    <span className={`residency ${verdict}`} title={text}>
      <span aria-hidden="true">
        {short} {SIGNS[verdict]}
      </span>
      <span className="unseen">{text}</span>
    </span>
  );
}

/** What the signs mean. */
export function ResidencyLegend() {
  const { residency } = useWords();
  return (
    <>
      <span aria-hidden="true">{residency.title}:</span>
      <ul aria-label={residency.legend}>
        {(["WITHIN", "OUTSIDE", "NOT_KNOWN"] as const).map((verdict) => (
          <li key={verdict} title={residency.meaning[verdict]}>
            <span className={`residency ${verdict}`}>
              <span aria-hidden="true">{SIGNS[verdict]}</span> {residency.verdicts[verdict]}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
