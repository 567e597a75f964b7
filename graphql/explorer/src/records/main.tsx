// The page of `headwater records serve`: which records of the sources a value was made of, with their paths marked.
import "./records.css";

import { type FormEvent, useLayoutEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { LanguageField } from "../page/LanguageField";
import { Answer, type RecordsAnswer } from "./Answer";
import { ask, type Problem } from "./ask";
import { LanguageContext, languageOf, PAGES, usePageWords } from "./language";

const WHY = `query Why($output: String!, $text: String, $through: Boolean!) {
  why(output: $output, text: $text, through: $through) { rows total steps { number title }
  stages { output steps { number title } } unknown { file reason }
  records { source file position value unread paths { path contributes accessedBy manipulatedBy } } } }`;
const settings: { keys?: boolean } = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");

function Page() {
  const [language, setLanguage] = useState(() => languageOf(location.search, navigator.languages));
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    document.title = PAGES[language].title;
  }, [language]);
  return (
    <LanguageContext value={language}>
      <LanguageField label={PAGES[language].language} language={language} change={setLanguage} />
      <Question />
    </LanguageContext>
  );
}

function Question() {
  const words = usePageWords();
  const [key, setKey] = useState("");
  const [output, setOutput] = useState(() => new URLSearchParams(location.search).get("output") ?? "");
  const [text, setText] = useState("");
  const [through, setThrough] = useState(false);
  const [answer, setAnswer] = useState<RecordsAnswer | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asking, setAsking] = useState(false);
  async function submit(event: FormEvent) {
    event.preventDefault();
    setAsking(true);
    const variables = { output, text: text.trim() || null, through };
    const found = await ask<{ why: RecordsAnswer }>(WHY, variables, key.trim());
    setAsking(false);
    setAnswer(found.data?.why ?? null);
    setProblem(found.problem);
  }
  return (
    <main>
      <h1>{words.title}</h1>
      <form onSubmit={submit}>
        {settings.keys && <Field label={words.key} type="password" value={key} change={setKey} required />}
        <Field label={words.output} placeholder="/lake/by_user" value={output} change={setOutput} required />
        <Field
          label={words.pattern}
          placeholder='user/id_str="lp", tweets[2..3]/text'
          value={text}
          change={setText}
        />
        <label className="choice">
          <input type="checkbox" checked={through} onChange={(event) => setThrough(event.target.checked)} />
          {words.through}
        </label>
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
      {answer && <Answer answer={answer} />}
    </main>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly type?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
}

function Field({ label, change, ...input }: FieldProps) {
  return (
    <label>
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

const root = document.getElementById("records");
if (root) {
  createRoot(root).render(<Page />);
}
