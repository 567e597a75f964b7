// Durations and row counts of runs as bars, oldest first. The table beside it says the same in figures.
import { useCounted } from "../time/localised";
import { useWords } from "../words/words";
import { barsOf, durationText, type Figure } from "./figures";

const WIDTH = 600;
const HEIGHT = 80;

export function HistoryChart({ figures }: { readonly figures: readonly Figure[] }) {
  const words = useWords().runs;
  const counted = useCounted();
  const charts = [
    { title: words.duration, of: (figure: Figure) => figure.seconds, text: durationText },
    {
      title: words.rowsWritten,
      of: (figure: Figure) => figure.rows,
      text: counted,
    },
  ];
  return (
    <figure className="history" role="img" aria-label={words.chart(figures.length)}>
      {charts.map(({ title, of, text }) => {
        const { bars, most } = barsOf(figures, of, WIDTH, HEIGHT);
        return (
          <div key={title}>
            <p aria-hidden="true">
              {title} <span>{bars.length ? `≤ ${text(most)}` : words.notKnown}</span>
            </p>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
              {bars.map(({ id, failed, ...place }) => (
                <rect key={id} {...place} className={failed ? "failed" : undefined} />
              ))}
            </svg>
          </div>
        );
      })}
    </figure>
  );
}
