// Where a job's program is: its owners, the line in its repository, and the statement that it executes.

import type { JobRef } from "../lineage/names";
import { Problem } from "../page/Problem";
import type { Answer } from "../server/client";
import { useAnswer } from "../server/useAnswer";
import { useWords } from "../words/words";
import { Owners } from "./Owners";
import { webAddress } from "./web_address";

type Job = NonNullable<Answer<"Job">["job"]>;

export function ProgramOf({ job: { namespace, name } }: { readonly job: JobRef }) {
  const words = useWords();
  const { data, error, isLoading } = useAnswer("Job", { namespace, name });
  return (
    <>
      {isLoading && <p className="quiet">{words.loading}</p>}
      {error && <Problem error={error} />}
      {data?.job && <ProgramFacts job={data.job} />}
    </>
  );
}

/** The same of a job that is known already. */
export function ProgramFacts({
  job: { owners, program },
}: {
  readonly job: Pick<Job, "owners" | "program">;
}) {
  const words = useWords().program;
  return (
    <div className="program">
      <dl>
        <Owners owners={owners} />
        {program && <Place program={program} />}
      </dl>
      {!program && <p className="quiet">{words.none}</p>}
      {program?.sql && (
        <details>
          <summary>
            {words.statement} {program.dialect && <span className="quiet">{program.dialect}</span>}
          </summary>
          <pre>{program.sql}</pre>
        </details>
      )}
    </div>
  );
}

function Place({ program }: { readonly program: NonNullable<Job["program"]> }) {
  const words = useWords().program;
  const { url, path, line, repository, version, branch } = program;
  const place = [path ?? url, line !== null && words.line(line)].filter(Boolean).join(", ");
  return (
    <>
      {place && (
        <>
          <dt>{words.place}</dt>
          <dd>
            <Link to={url}>{place}</Link>
          </dd>
        </>
      )}
      {repository && (
        <>
          <dt>{words.repository}</dt>
          <dd>
            <Link to={repository}>{repository}</Link>
          </dd>
        </>
      )}
      {(version || branch) && (
        <>
          <dt>{words.version}</dt>
          <dd>{[branch, version].filter(Boolean).join(" · ")}</dd>
        </>
      )}
    </>
  );
}

function Link({ to, children }: { readonly to: string | null; readonly children: string }) {
  const address = webAddress(to);
  return address ? (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ) : (
    <span title={to ?? undefined}>{children}</span>
  );
}
