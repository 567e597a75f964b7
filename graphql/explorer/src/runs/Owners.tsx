// Who is responsible for a dataset or a job, as a line of a list of facts.
import { useWords } from "../words/words";

interface Props {
  readonly owners: readonly { readonly name: string; readonly type: string | null }[];
}

export function Owners({ owners }: Props) {
  const words = useWords().program;
  const named = owners.map(({ name, type }) => (type ? `${name} (${type})` : name));
  return (
    <>
      <dt>{words.owner}</dt>
      <dd>{named.join(", ") || <span className="quiet">{words.noOwner}</span>}</dd>
    </>
  );
}
