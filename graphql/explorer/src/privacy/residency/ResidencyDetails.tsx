// In which countries the personal data of the selected dataset are, by category, with the policies that say so.

import type { DatasetRef } from "../../lineage/names";
import { useAddress } from "../../page/address";
import { Categories } from "../../page/Categories";
import { Problem } from "../../page/Problem";
import { useWords } from "../../words/words";
import { useResidency } from "./useResidency";
import { isIn, type Resident, SIGNS } from "./verdicts";

export function ResidencyDetails({ dataset }: { dataset: DatasetRef }) {
  const words = useWords();
  const { residency } = words;
  const [{ exposure, asOf }] = useAddress();
  const { data, error, isLoading } = useResidency(exposure, asOf);
  if (!exposure) {
    return null;
  }
  const residents = data?.residents.filter(isIn(dataset)) ?? [];
  return (
    <section className="residency-details">
      <h3>{residency.title}</h3>
      {isLoading && <output>{words.loading}</output>}
      {error && <Problem error={error} />}
      {data && residents.length === 0 && (
        <p className="quiet">
          {residency.none} {!data.whole.complete && residency.doubtful}
        </p>
      )}
      <ul>
        {residents.map((each) => (
          <li key={each.category}>
            <ResidentText resident={each} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ResidentText({ resident }: { resident: Resident }) {
  const { residency, privacy } = useWords();
  const { category, countries, forms, outside, policies, unknown, verdict } = resident;
  const reasons: Readonly<Record<string, string>> = residency.reasons;
  return (
    <>
      <p>
        <span className={`residency ${verdict}`} title={residency.meaning[verdict]}>
          <span aria-hidden="true">{SIGNS[verdict]}</span> {residency.verdicts[verdict]}
        </span>{" "}
        <strong>
          <Categories keys={[category]} />
        </strong>{" "}
        <span className="quiet">{forms.map((form) => privacy.forms[form]).join(", ")}</span>
      </p>
      <p className="quiet">
        {residency.stated(countries.join(", ") || residency.notStated)}
        {outside.length > 0 && `; ${residency.outside(outside.join(", "))}`}
        {policies.length > 0 && `; ${residency.by(policies)}`}
        {unknown.map((each) => `; ${reasons[each] ?? each}`)}
      </p>
    </>
  );
}
