// The switch that colours the picture by forms of personal data, and what the colours mean.
import { useAddress } from "../page/address";
import { Compact } from "../page/Compact";
import { Problem } from "../page/Problem";
import { FormLetter } from "../privacy/FormMark";
import { FORMS } from "../privacy/forms";
import { ResidencyLegend } from "../privacy/residency/ResidencyMark";
import { useWords } from "../words/words";
import type { PictureForms } from "./usePictureForms";

export function PictureLegend({ forms }: { forms: PictureForms }) {
  const words = useWords();
  const { privacy } = words;
  const [{ exposure }, go] = useAddress();
  const { whole, loading, errors, cut, unmarked } = forms;
  return (
    <div className="privacy-legend">
      <label>
        <input
          type="checkbox"
          checked={exposure}
          onChange={(event) => go({ exposure: event.target.checked })}
        />
        {privacy.show}
      </label>
      {exposure && loading && <output>{words.loading}</output>}
      {exposure && errors.map((error) => <Problem key={error.message} error={error} />)}
      {exposure && whole && whole.classification.attributes === 0 && (
        <p className="doubt" role="alert">
          {privacy.nothingClassified}
        </p>
      )}
      {exposure && whole && whole.classification.attributes > 0 && (
        <>
          <Compact label={privacy.legend} chosen={privacy.findings.forms}>
            <ul aria-label={privacy.legend}>
              {FORMS.filter((form) => form !== "INFLUENCED").map((form) => (
                <li key={form} title={privacy.meaning[form]}>
                  <FormLetter form={form} /> <span aria-hidden="true">{privacy.forms[form]}</span>
                </li>
              ))}
            </ul>
            {forms.residency && <ResidencyLegend />}
          </Compact>
          <p className={whole.complete ? "quiet" : "doubt"}>
            {whole.complete ? privacy.unmarked : privacy.incomplete(whole.incomplete.length)}{" "}
            {cut && privacy.cut} {unmarked > 0 && privacy.notAll(unmarked)}
          </p>
        </>
      )}
    </div>
  );
}
