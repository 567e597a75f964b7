// The moment of the lineage: a slider over the versions of the dataset with "now" at its right end, an exact time, and
// the earlier moment to compare with.
import { useEffect, useState } from "react";
import type { DatasetRef } from "../lineage/names";
import { useAddress } from "../page/address";
import { Compact } from "../page/Compact";
import { useWords } from "../words/words";
import { useMomentText } from "./localised";
import { asLocal, type Moment, placeOf, useMoments } from "./moments";

/** How long the slider rests before the lineage of its moment is asked for. */
const REST = 250;

export function TimeBar() {
  const [{ dataset }] = useAddress();
  return dataset && <BarOf key={JSON.stringify(dataset)} dataset={dataset} />;
}

function BarOf({ dataset }: { dataset: DatasetRef }) {
  const words = useWords();
  const momentText = useMomentText();
  const [{ asOf, since }, go] = useAddress();
  const { data: moments = [], error, isLoading, hasNextPage, fetchNextPage } = useMoments(dataset);
  return (
    <Compact
      label={words.time.title}
      chosen={[asOf ? momentText(asOf) : words.time.now, ...(since ? [words.time.differences] : [])].join(
        " · ",
      )}
    >
      <fieldset className="time-bar">
        <legend className="unseen">{words.time.title}</legend>
        {hasNextPage && (
          <button type="button" onClick={() => fetchNextPage()}>
            {words.time.older}
          </button>
        )}
        {error && <span role="alert">{words.server.error(error.message, error.code)}</span>}
        {!isLoading && !error && moments.length === 0 && <span>{words.time.noVersions}</span>}
        {moments.length > 0 && (
          <Slider moments={moments} more={hasNextPage} asOf={asOf} onMove={(at) => go({ asOf: at })} />
        )}
        <Exact label={words.time.exact} at={asOf} onChoose={(at) => go({ asOf: at })} />
        {asOf && (
          <button type="button" onClick={() => go({ asOf: null })}>
            {words.time.toNow}
          </button>
        )}
        <Earlier moments={moments} asOf={asOf} since={since} onChoose={(at) => go({ since: at })} />
      </fieldset>
    </Compact>
  );
}

interface SliderProps {
  readonly moments: readonly Moment[];
  /** Whether there are older ones, so that their number is not known. */
  readonly more: boolean;
  readonly asOf: string | null;
  readonly onMove: (at: string | null) => void;
}

function Slider({ moments, more, asOf, onMove }: SliderProps) {
  const words = useWords();
  const momentText = useMomentText();
  const [moved, setMoved] = useState<number | null>(null);
  const current = asOf === null ? moments.length : placeOf(moments, asOf);
  const place = moved ?? Math.max(0, current);
  const moment = moments[place];
  useEffect(() => {
    if (moved === null) {
      return;
    }
    const timer = setTimeout(() => {
      onMove(moments[moved]?.at ?? null);
      setMoved(null);
    }, REST);
    return () => clearTimeout(timer);
  }, [moved, moments, onMove]);
  const at = moved === null && asOf ? asOf : moment?.at;
  const version =
    moved === null && current < 0
      ? words.time.beforeFirst
      : more
        ? ""
        : words.time.version(place + 1, moments.length);
  const text = at ? [momentText(at), version].filter(Boolean).join(" · ") : words.time.now;
  return (
    <label className="time-slider">
      {words.time.moment}
      <input
        type="range"
        min={0}
        max={moments.length}
        value={place}
        aria-valuetext={text}
        onChange={(event) => setMoved(event.target.valueAsNumber)}
      />
      <output title={moment?.job}>{text}</output>
    </label>
  );
}

interface ExactProps {
  readonly label: string;
  readonly at: string | null;
  readonly onChoose: (at: string | null) => void;
}

/** A date and time to type. It counts when the field is left or Enter is pressed, not while it is half typed. */
function Exact({ label, at, onChoose }: ExactProps) {
  const shown = at ? asLocal(at) : "";
  const [typed, setTyped] = useState<string | null>(null);
  const take = () => {
    if (typed !== null && typed !== shown) {
      onChoose(typed ? new Date(typed).toISOString() : null);
    }
    setTyped(null);
  };
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        step={1}
        value={typed ?? shown}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => event.key === "Enter" && take()}
      />
    </label>
  );
}

interface EarlierProps {
  readonly moments: readonly Moment[];
  readonly asOf: string | null;
  readonly since: string | null;
  readonly onChoose: (since: string | null) => void;
}

function Earlier({ moments, asOf, since, onChoose }: EarlierProps) {
  const words = useWords();
  const momentText = useMomentText();
  const until = asOf === null ? moments.length - 1 : placeOf(moments, asOf);
  const earlier = moments.slice(0, Math.max(0, until)).reverse();
  const listed = earlier.some(({ at }) => at === since);
  const before =
    earlier[0]?.at ?? new Date(Date.parse(asOf ?? new Date().toISOString()) - 86_400_000).toISOString();
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={since !== null}
          onChange={(event) => onChoose(event.target.checked ? before : null)}
        />
        {words.time.compare}
      </label>
      {since && (
        <>
          <select
            aria-label={words.time.compareWith}
            value={since}
            onChange={(event) => onChoose(event.target.value)}
          >
            {!listed && (
              <option value={since}>
                {momentText(since)} ({words.time.other})
              </option>
            )}
            {earlier.map(({ at }) => (
              <option key={at} value={at}>
                {momentText(at)}
              </option>
            ))}
          </select>
          <Exact label={words.time.exactEarlier} at={since} onChoose={onChoose} />
        </>
      )}
    </>
  );
}

/** Says that a view is of a past moment, and leads back to now. */
export function PastMoment() {
  const words = useWords();
  const momentText = useMomentText();
  const [{ asOf }, go] = useAddress();
  return (
    asOf && (
      <p className="past">
        {words.time.past(momentText(asOf))}{" "}
        <button type="button" onClick={() => go({ asOf: null })}>
          {words.time.toNow}
        </button>
      </p>
    )
  );
}
