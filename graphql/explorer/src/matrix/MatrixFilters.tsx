// The filters of the matrix: by category, special categories, data subject and owner.
import { type Only, useAddress } from "../page/address";
import { useAnswer } from "../server/useAnswer";
import { useWords, type Words } from "../words/words";

const UNOWNED = "";
const ANY = "\u0000any";

export function MatrixFilters() {
  const { privacy, server } = useWords();
  const [{ only, influenced, asOf }, go] = useAddress();
  const { data } = useAnswer("ExposureMatrix", { influenced, asOf, first: 1, after: null });
  const choices = data?.exposureMatrix.choices;
  const { matrix } = privacy;
  const choose = (change: Partial<Only>) => go({ only: { ...only, ...change } });
  return (
    <>
      <Choice
        label={matrix.only.category}
        any={matrix.only.anyCategory}
        values={choices?.categories ?? []}
        value={only.category}
        named={server.category}
        onChoose={(category) => choose({ category })}
      />
      <label title={matrix.only.specialMeans}>
        <input
          type="checkbox"
          checked={only.special}
          onChange={(event) => choose({ special: event.target.checked })}
        />
        {matrix.only.special}
      </label>
      {((choices?.subjects.length ?? 0) > 0 || only.subject !== null) && (
        <Choice
          label={matrix.only.subject}
          any={matrix.only.anySubject}
          values={choices?.subjects ?? []}
          value={only.subject}
          named={server.subject}
          onChoose={(subject) => choose({ subject })}
        />
      )}
      <Choice
        label={matrix.only.owner}
        any={matrix.only.anyOwner}
        values={[...(choices?.owners ?? []), UNOWNED]}
        value={only.owner}
        unstated={matrix.only.noOwner}
        onChoose={(owner) => choose({ owner })}
      />
      {only.subject !== null && <p className="doubt">{matrix.only.subjectMeans}</p>}
      {only.special && <p className="doubt">{matrix.only.specialMeans}</p>}
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly any: string;
  readonly values: readonly string[];
  readonly value: string | null;
  /** What a value is called. */
  readonly named?: (value: string) => string;
  /** The name of the empty value. */
  readonly unstated?: string;
  readonly onChoose: (value: string | null) => void;
}

function Choice({ label, any, values, value, named, unstated, onChoose }: ChoiceProps) {
  const known = value === null || values.includes(value) ? values : [value, ...values];
  return (
    <label>
      {label}
      <select
        value={value ?? ANY}
        onChange={({ target }) => onChoose(target.value === ANY ? null : target.value)}
      >
        <option value={ANY}>{any}</option>
        {known.map((each) => (
          <option key={each} value={each}>
            {named?.(each) ?? (each || unstated)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What is filtered, in words. */
export function onlyText(only: Only, { privacy: { matrix }, server }: Words): string[] {
  const named = [
    [matrix.only.category, only.category && server.category(only.category)],
    [matrix.only.subject, only.subject && server.subject(only.subject)],
    [matrix.only.owner, only.owner === UNOWNED ? matrix.only.noOwner : only.owner],
  ] as const;
  return [
    ...named.flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`])),
    ...(only.special ? [matrix.only.special] : []),
  ];
}
