// What a person calls a job of Spark, by the table of the Python package: `etl: write people`.
import verbs from "../../../../facets/headwater_facets/job_verbs.json";

const COMMAND = /^execute_(\w+)_command$/;
const VERBS = verbs.map(([pattern, verb]) => ({ pattern: new RegExp(`^(?:${pattern})$`), verb }));

/** The title of the job with that name: the name, if it is none that an agent in Spark gives. */
export function jobTitle(name: string): string {
  const parts = name.split(".");
  for (const [at, part] of parts.entries()) {
    const verb = at > 0 ? verbOf(part) : undefined;
    if (verb) {
      return `${parts.slice(0, at).join(".")}: ${verb} ${parts.slice(at + 1).join(".")}`.trim();
    }
  }
  return name;
}

function verbOf(part: string): string | undefined {
  const command = COMMAND.exec(part)?.[1];
  const found = VERBS.find(({ pattern }) => pattern.test(command ?? part))?.verb;
  if (command) {
    return found ?? command.replaceAll("_", " ");
  }
  return part.includes("_") ? found : undefined;
}
