// The choices of the picture: level, direction, number of steps, influences.
import type { Level, Way } from "../lineage/names";
import { useWords } from "../words/words";
import { MOST_DEPTH, useAddress } from "./address";

export function Toolbar() {
  const words = useWords();
  const [address, go] = useAddress();
  if (!address.dataset) {
    return null;
  }
  return (
    <div className="toolbar" role="toolbar" aria-label={words.picture}>
      <button type="button" onClick={() => go({ dataset: null, path: [] })}>
        {words.wholeStore}
      </button>
      <Choice
        label={words.level}
        value={address.level}
        names={words.levels}
        onChoose={(level: Level) => go({ level })}
      />
      <Choice label={words.way} value={address.way} names={words.ways} onChoose={(way: Way) => go({ way })} />
      <label>
        {words.depth}
        <input
          type="number"
          min={1}
          max={MOST_DEPTH}
          value={address.depth}
          onChange={(event) => go({ depth: event.target.valueAsNumber || 1 })}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={address.influences}
          onChange={(event) => go({ influences: event.target.checked })}
        />
        {words.influences}
      </label>
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly names: Readonly<Record<T, string>>;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ label, value, names, onChoose }: ChoiceProps<T>) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.target.value as T)}>
        {(Object.keys(names) as T[]).map((each) => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
