// The form: which question, and what it takes; below it the answer.

import { type FormEvent, useState } from "react";
import { Answer } from "./Answer";
import type { Problem } from "./ask";
import { Became } from "./Became";
import { Descendants } from "./Descendants";
import { usePageWords } from "./language";
import { Persons } from "./Persons";
import { placeText, type RecordPlace } from "./places";
import { type Answered, answered, type Kind, type Name, QUESTIONS, type Values } from "./questions";
import { Usage } from "./Usage";

const settings: { keys?: boolean } = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");
const KINDS = Object.keys(QUESTIONS) as Kind[];
const NOTHING: Values = {
  output: "",
  text: "",
  through: false,
  records: "",
  people: "",
  key: "",
  person: "",
};
const EXAMPLES: Readonly<Partial<Record<Name, string>>> = {
  output: "/lake/by_user",
  text: 'user/id_str="lp", tweets[2..3]/text',
  records: "/lake/tweets/part-00000.parquet:12",
  people: "/lake/tweets",
  key: "user.id_str",
  person: "lp",
};

export function Question() {
  const words = usePageWords();
  const given = new URLSearchParams(location.search);
  const [apiKey, setApiKey] = useState("");
  const [kind, setKind] = useState<Kind>("why");
  const [values, setValues] = useState<Values>({ ...NOTHING, output: given.get("output") ?? "" });
  const [found, setFound] = useState<Answered | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asking, setAsking] = useState(false);
  async function ask(asked: Kind, about: Values) {
    setAsking(true);
    const answer = await answered(asked, about, apiKey.trim());
    setAsking(false);
    setFound(answer.found);
    setProblem(answer.problem);
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    ask(kind, values);
  }
  function choose(other: Kind) {
    setKind(other);
    setFound(null);
    setProblem(null);
  }
  function follow(place: RecordPlace) {
    const about = { ...values, records: placeText(place) };
    setValues(about);
    choose("everywhere");
    ask("everywhere", about);
  }
  return (
    <main>
      <h1>{words.title}</h1>
      <form onSubmit={submit}>
        {settings.keys && (
          <Field label={words.apiKey} type="password" value={apiKey} change={setApiKey} required />
        )}
        <div className="field">
          <label htmlFor="question">{words.question}</label>
          <select id="question" value={kind} onChange={(event) => choose(event.target.value as Kind)}>
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {words.questions[each]}
              </option>
            ))}
          </select>
        </div>
        {QUESTIONS[kind].map((name) => (
          <Taken
            key={name}
            name={name}
            values={values}
            change={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <button type="submit" disabled={asking}>
          {asking ? words.asking : words.ask}
        </button>
      </form>
      {problem && (
        <p className="error" role="alert">
          {words.codes[problem.code] && `${words.codes[problem.code]}: `}
          {problem.message || words.noAnswer}
          {problem.hint && <span> — {problem.hint}</span>}
        </p>
      )}
      {found && (
        <section aria-live="polite">
          <Found found={found} follow={follow} />
        </section>
      )}
    </main>
  );
}

function Found({
  found,
  follow,
}: {
  readonly found: Answered;
  readonly follow: (place: RecordPlace) => void;
}) {
  switch (found.kind) {
    case "why":
      return <Answer answer={found.answer} follow={follow} />;
    case "became":
      return <Became answer={found.answer} dropped={found.dropped} />;
    case "everywhere":
    case "subject":
      return <Descendants answer={found.answer} />;
    case "breach":
      return <Persons answer={found.answer} />;
    case "usage":
      return <Usage answer={found.answer} />;
  }
}

interface TakenProps {
  readonly name: Name;
  readonly values: Values;
  readonly change: (value: string | boolean) => void;
}

function Taken({ name, values, change }: TakenProps) {
  const words = usePageWords();
  const value = values[name];
  if (typeof value === "boolean") {
    return (
      <label className="choice">
        <input type="checkbox" checked={value} onChange={(event) => change(event.target.checked)} />
        {words[name]}
      </label>
    );
  }
  if (name === "records") {
    return (
      <label className="field">
        {words.records}
        <textarea
          rows={2}
          required
          spellCheck={false}
          placeholder={EXAMPLES.records}
          value={value}
          onChange={(event) => change(event.target.value)}
        />
      </label>
    );
  }
  return (
    <Field
      label={words[name]}
      placeholder={EXAMPLES[name]}
      value={value}
      change={change}
      required={name !== "text"}
    />
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly type?: string;
  readonly placeholder?: string | undefined;
  readonly required?: boolean;
}

function Field({ label, change, ...input }: FieldProps) {
  return (
    <label className="field">
      {label}
      <input
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => change(event.target.value)}
        {...input}
      />
    </label>
  );
}
