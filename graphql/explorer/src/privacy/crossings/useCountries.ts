// Countries in the reader's language.
import { usePreferences } from "../../state/preferences";
import { useWords } from "../../words/words";

/** The names of countries by their codes; a code that no country has stands for itself. */
export function countryNames(codes: readonly string[], language: string): string {
  const names = new Intl.DisplayNames([language], { type: "region" });
  return codes.map((code) => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code)).join(", ");
}

/** The same in the language of the page, with a text where none is stated. */
export function useCountries(): (codes: readonly string[]) => string {
  const [{ language }] = usePreferences();
  const { residency } = useWords();
  return (codes) => countryNames(codes, language) || residency.notStated;
}
