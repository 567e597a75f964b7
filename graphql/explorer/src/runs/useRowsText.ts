// Row counts in the reader's language.
import { useCounted } from "../time/localised";
import { useWords } from "../words/words";
import { rowsOf } from "./figures";

/** Says the sum of the rows that are known, or that none are. */
export function useRowsText(): (used: Parameters<typeof rowsOf>[0]) => string {
  const words = useWords().runs;
  const counted = useCounted();
  return (used) => {
    const rows = rowsOf(used);
    return rows === null ? words.notKnown : counted(rows);
  };
}
