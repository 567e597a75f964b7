// English words of residency: in which countries personal data are, and whether they may be there.
export const RESIDENCY = {
  title: "Countries",
  verdicts: { WITHIN: "within", OUTSIDE: "outside", NOT_KNOWN: "not known" },
  meaning: {
    WITHIN: "The data are only in countries that the policies permit.",
    OUTSIDE: "The data are in a country that a policy does not permit.",
    NOT_KNOWN: "It is not known whether the data may be where they are.",
  },
  mark: (countries: string, verdict: string) => `Countries: ${countries}, ${verdict}`,
  notStated: "not stated",
  stated: (countries: string) => `Stated: ${countries}`,
  outside: (countries: string) => `not permitted: ${countries}`,
  by: (policies: readonly string[]) => `by ${policies.map((each) => `“${each}”`).join(", ")}`,
  reasons: {
    NO_POLICY: "no policy says in which countries these data may be",
    UNSTATED_LOCATION: "it is not stated in which country the dataset or a recipient is",
    UNCLEAR_COUNTRY: "the stated country of a recipient is no code of ISO 3166-1",
    INCOMPLETE: "the lineage, or what is personal, is not known completely",
  },
  none: "No personal data are known to be here.",
  doubtful: "But something is not known: there may be some.",
  legend: "Countries of personal data",
};
