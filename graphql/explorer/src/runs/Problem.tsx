// What went wrong, and what to do about it.
import type { ServerError } from "../server/client";
import { useWords } from "../words/words";

export function Problem({ error }: { readonly error: ServerError }) {
  const words = useWords();
  return (
    <div className="problem" role="alert">
      <h3>{words.errorTitle}</h3>
      <p>{error.message}</p>
      {error.hint && <p>{error.hint}</p>}
    </div>
  );
}
