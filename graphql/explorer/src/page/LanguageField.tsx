// The choice of the page's language, each by its own name.
import { LANGUAGE_NAMES, type Language } from "../words/languages";

interface Props {
  readonly label: string;
  readonly language: Language;
  readonly change: (language: Language) => void;
}

export function LanguageField({ label, language, change }: Props) {
  return (
    <label className="language">
      {label}
      <select value={language} onChange={(event) => change(event.target.value as Language)}>
        {(Object.keys(LANGUAGE_NAMES) as Language[]).map((each) => (
          <option key={each} value={each} lang={each}>
            {LANGUAGE_NAMES[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
