// German words of the box that finds things by name.
import type { FIND as WORDS } from "../en/find";

export const FIND: typeof WORDS = {
  label: "Datensätze, Pfade, Jobs, Verantwortliche und Tags suchen",
  placeholder: "Suchen …  ( / )",
  results: "Treffer",
  recent: "Zuletzt gewählt",
  clear: "Diese vergessen",
  kinds: { DATASET: "Datensatz", JOB: "Job", PATH: "Pfad" },
  by: { NAME: "Name", PATH: "Pfad", TAG: "Tag", OWNER: "Verantwortlich" },
  matched: (what, text) => `${what}: ${text}`,
  similar: (name) => `ähnlicher Name: ${name}`,
  searching: "Sucht …",
  nothing: (text) => `Nichts Bekanntes heißt so ähnlich wie „${text}“.`,
  count: (count) => `${count} Treffer`,
  more: "Es gibt weitere: Geben Sie mehr vom Namen ein.",
};
