// The names of categories of personal data; their keys are written beside them where people write keys.
import { useWords } from "../words/words";

interface Props {
  readonly keys: readonly string[];
  readonly written?: boolean;
}

export function Categories({ keys, written }: Props) {
  const { server } = useWords();
  return keys.map((key, at) => (
    <span key={key} title={key}>
      {at > 0 && ", "}
      {server.category(key)}
      {written && (
        <>
          {" "}
          <code>{key}</code>
        </>
      )}
    </span>
  ));
}
