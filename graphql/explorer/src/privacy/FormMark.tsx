// A form of personal data as a letter or a word on its colour.
import { useWords } from "../words/words";
import type { Form } from "./forms";

export function FormLetter({ form }: { form: Form }) {
  const { privacy } = useWords();
  const text = privacy.holds(privacy.forms[form]);
  return (
    <span className={`form letter ${form}`} title={text}>
      <span aria-hidden="true">{privacy.letters[form]}</span>
      <span className="unseen">{text}</span>
    </span>
  );
}

export function FormWord({ form }: { form: Form }) {
  const { privacy } = useWords();
  return (
    <span className={`form ${form}`} title={privacy.meaning[form]}>
      {privacy.forms[form]}
    </span>
  );
}
