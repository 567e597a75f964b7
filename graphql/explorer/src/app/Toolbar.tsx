// The choices of the picture: level, direction, number of steps, influences, groups.
import { useId } from "react";

import type { Level, Way } from "../lineage/names";
import { type Address, GROUPS, isActive, MOST_DEPTH, useAddress } from "../page/address";
import { Compact } from "../page/Compact";
import type { Grouping } from "../picture/groups";
import { titlesOfOpen, withoutGroup } from "../picture/overview_picture";
import { useWords } from "../words/words";

export function Toolbar({ grouping }: { grouping: Grouping }) {
  const words = useWords();
  const [address, go] = useAddress();
  const grouped = (group: Address["group"]) =>
    group === "auto" ? words.canvas.autoGroup(words.canvas.groups[grouping]) : words.canvas.groups[group];
  const groups = (
    <label>
      {words.canvas.group}
      <select
        value={address.group}
        onChange={(event) => go({ group: event.target.value as Address["group"], open: [] })}
      >
        {GROUPS.map((each) => (
          <option key={each} value={each}>
            {grouped(each)}
          </option>
        ))}
      </select>
    </label>
  );
  const titles = titlesOfOpen(address.open);
  return (
    <div className="toolbar" role="toolbar" aria-label={words.picture}>
      {address.dataset ? (
        <>
          <button
            type="button"
            className="plain"
            onClick={() => go({ dataset: null, path: [], expanded: [] })}
          >
            <span aria-hidden="true">‹ </span>
            {words.wholeStore}
          </button>
          <Compact
            label={words.canvas.choices}
            chosen={`${words.levels[address.level]} · ${words.ways[address.way]}`}
          >
            <Choices />
            {groups}
          </Compact>
        </>
      ) : (
        groups
      )}
      {address.open.map((name, at) => (
        <button
          key={name}
          type="button"
          className="close-group"
          onClick={() => go({ open: withoutGroup(address.open, name) })}
        >
          {words.canvas.closeGroup(titles[at] ?? name)} <span aria-hidden="true">×</span>
        </button>
      ))}
    </div>
  );
}

/** What of the lineage is asked for. */
function Choices() {
  const words = useWords();
  const [address, go] = useAddress();
  return (
    <>
      <Segments
        label={words.level}
        value={address.level}
        names={words.levels}
        onChoose={(level: Level) => go({ level })}
      />
      <Segments
        label={words.way}
        value={address.way}
        names={words.ways}
        onChoose={(way: Way) => go({ way })}
      />
      <Depth depth={address.depth} onChoose={(depth) => go({ depth })} />
      <label>
        <input
          type="checkbox"
          checked={address.influences}
          onChange={(event) => go({ influences: event.target.checked })}
        />
        {words.influences}
      </label>
      <label title={address.level === "PATH" ? words.active.title : words.active.pathsOnly}>
        <input
          type="checkbox"
          checked={isActive(address)}
          disabled={address.level !== "PATH"}
          onChange={(event) => go({ active: event.target.checked })}
        />
        {words.active.only}
      </label>
    </>
  );
}

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly names: Readonly<Record<T, string>>;
  readonly onChoose: (value: T) => void;
}

/** One choice of a few, all of which are seen. */
function Segments<T extends string>({ label, value, names, onChoose }: SegmentsProps<T>) {
  const group = useId();
  return (
    <fieldset className="segments">
      <legend className="unseen">{label}</legend>
      {(Object.keys(names) as T[]).map((each) => (
        <label key={each} title={label}>
          <input
            type="radio"
            name={group}
            value={each}
            checked={each === value}
            onChange={() => onChoose(each)}
          />
          <span>{names[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Depth({ depth, onChoose }: { depth: number; onChoose: (depth: number) => void }) {
  const words = useWords();
  return (
    <div className="depth">
      <label>
        {words.depth}
        <input
          type="number"
          min={1}
          max={MOST_DEPTH}
          value={depth}
          onChange={(event) => onChoose(event.target.valueAsNumber || 1)}
        />
      </label>
      <button type="button" disabled={depth === MOST_DEPTH} onClick={() => onChoose(MOST_DEPTH)}>
        {words.canvas.allSteps}
      </button>
    </div>
  );
}
