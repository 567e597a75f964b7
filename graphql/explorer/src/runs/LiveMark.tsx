// Whether what is shown is up to date by itself.
import { useWords } from "../words/words";
import type { Live } from "./news";

export function LiveMark({ live }: { readonly live: Live }) {
  const words = useWords().runs;
  return (
    <output className={`live ${live.connection}`}>
      <span aria-hidden="true">●</span> {words.live[live.connection]}
      {live.missed > 0 && ` – ${words.missed(live.missed)}`}
    </output>
  );
}
