// German words that say whether a picture is complete.
import type { COMPLETENESS as WORDS } from "../en/completeness";

export const COMPLETENESS: typeof WORDS = {
  complete: "Vollständig: Es ist nichts bekannt, das fehlt.",
  noGaps: "Keine Lücken, soweit es gezeigt wird.",
  unknown: (count) => `${count} nicht bekannt.`,
  beyond: (datasets) =>
    datasets === 1 ? "Es geht hinter 1 Datensatz weiter." : `Es geht hinter ${datasets} Datensätzen weiter.`,
  where: "Wo etwas nicht bekannt ist",
  unsettled: "Teile der Antwort waren noch nicht da: Was fehlt, ist nicht bekannt.",
};
