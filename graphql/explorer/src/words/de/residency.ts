// German words of residency: in which countries personal data are, and whether they may be there.
import type { RESIDENCY as WORDS } from "../en/residency";

export const RESIDENCY: typeof WORDS = {
  title: "Länder",
  verdicts: { WITHIN: "innerhalb", OUTSIDE: "außerhalb", NOT_KNOWN: "nicht bekannt" },
  meaning: {
    WITHIN: "Die Daten sind nur in Ländern, die die Richtlinien erlauben.",
    OUTSIDE: "Die Daten sind in einem Land, das eine Richtlinie nicht erlaubt.",
    NOT_KNOWN: "Es ist nicht bekannt, ob die Daten dort sein dürfen, wo sie sind.",
  },
  mark: (countries, verdict) => `Länder: ${countries}, ${verdict}`,
  notStated: "nicht angegeben",
  stated: (countries) => `Angegeben: ${countries}`,
  outside: (countries) => `nicht erlaubt: ${countries}`,
  by: (policies) => `nach ${policies.map((each) => `„${each}“`).join(", ")}`,
  reasons: {
    NO_POLICY: "keine Richtlinie legt fest, in welchen Ländern diese Daten sein dürfen",
    UNSTATED_LOCATION: "es ist nicht angegeben, in welchem Land der Datensatz oder ein Empfänger ist",
    UNCLEAR_COUNTRY: "das angegebene Land eines Empfängers ist kein Länderkürzel nach ISO 3166-1",
    INCOMPLETE: "die Herkunft, oder was personenbezogen ist, ist nicht vollständig bekannt",
  },
  none: "Hier sind keine personenbezogenen Daten bekannt.",
  doubtful: "Aber etwas ist nicht bekannt: Es können welche da sein.",
  legend: "Länder der personenbezogenen Daten",
};
