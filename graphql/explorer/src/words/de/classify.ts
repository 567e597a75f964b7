// German words of deciding what is personal data.
import type { CLASSIFY as EN } from "../en/classify";

export const CLASSIFY: typeof EN = {
  title: "Was personenbezogen ist",
  about:
    "Stewards entscheiden; jede Entscheidung hat eine Begründung und bleibt im Prüfprotokoll. Ihre Wirkung sehen Sie, bevor Sie speichern.",
  forStewards:
    "Nur Stewards, Prüfer und Administratoren sehen, was eingestuft ist, und nur Stewards und Administratoren entscheiden.",
  kinds: { classify: "Einstufen", confirm: "Vorschläge bestätigen", reject: "Vorschläge ablehnen" },
  effect: "Was sich ändert",
  preview: "Vorschau",
  decisions: (count) =>
    count === 0
      ? "Es wird nichts entschieden, was nicht schon gilt."
      : count === 1
        ? "1 Entscheidung:"
        : `${count} Entscheidungen:`,
  downstream: (paths, datasets) =>
    paths === 0
      ? "Es ist nichts bekannt, das daraus gemacht wird."
      : `${paths} Pfade in ${datasets} Datensätzen werden daraus gemacht:`,
  influenced: "nur beeinflusst",
  incomplete: "Die Herkunft von dort ist unvollständig: Es kann mehr daraus gemacht sein.",
  tooMany: (shown, all) => `Was daraus wird, ist für ${shown} von ${all} Pfaden gezeigt.`,
  save: "Speichern",
  leave: "Lassen",
  saved: (count) =>
    count === 0
      ? "Es war nichts zu speichern."
      : count === 1
        ? "1 Entscheidung ist gespeichert."
        : `${count} Entscheidungen sind gespeichert.`,
  undo: "Rückgängig",
  undone: "im Explorer zurückgenommen",
  isUndone: "Es ist zurückgenommen.",
  path: (place) => `${place} einstufen`,
  pathButton: "Einstufen",
  undecided: "Darüber hat niemand entschieden.",
  notPersonal: "nicht personenbezogen",
  categories: "Kategorien",
  seeEffect: "Wirkung zeigen",
  isNotPersonal: "Ist nicht personenbezogen",
  proposals: "Vorschläge",
  proposalsMean: "Pfade, die personenbezogen aussehen und über die niemand entschieden hat.",
  noProposals: "Kein Pfad ohne Einstufung sieht personenbezogen aus.",
  all: "Alle aufgeführten",
  these: {
    confirm: (count) => `${count} bestätigen`,
    reject: (count) => `${count} ablehnen`,
  },
  sources: { STEWARD: "Steward", RULE: "Regel", TAG: "Kennzeichnung" },
  confidence: { LIKELY: "wahrscheinlich", POSSIBLE: "möglich" },
  unseen: "Quellen, die niemand durchgesehen hat",
  unseenMeans:
    "Bis jemand eine Quelle durchgesehen hat, sind Antworten, die über sie führen, nicht vollständig.",
  allSeen: "Alle aufgeführten Quellen sind durchgesehen.",
  looked: "Durchgesehen: sonst nichts Personenbezogenes",
};
