// Requests to the server: kept operations by their names, over POST.
import type { Operations } from "./generated";
import { authorization, refuse, session } from "./session";

export type Operation = keyof Operations;
export type Variables<Name extends Operation> = Operations[Name]["variables"];
export type Answer<Name extends Operation> = Operations[Name]["answer"];

/** An error that the server reports, or that keeps the page from reaching it. */
export class ServerError extends Error {
  constructor(
    message: string,
    /** The error's code, such as UNKNOWN_DATASET; UNREACHABLE where no answer came. */
    readonly code: string,
    /** What to do about it; empty where nothing is known. */
    readonly hint: string,
  ) {
    super(message);
  }
}

const OUTAGES: ReadonlySet<string> = new Set([
  "UNREACHABLE",
  "STORE_UNAVAILABLE",
  "STOPPING",
  "502",
  "503",
  "504",
]);

/** Whether the server, or its store, is away for now, so that the same question may be answered later. */
export function isOutage(error: unknown): boolean {
  return error instanceof ServerError && OUTAGES.has(error.code);
}

interface Problem {
  readonly message?: string;
  readonly detail?: string;
  readonly title?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly extensions?: { readonly code?: string; readonly hint?: string };
}

/** The answer to a kept operation; throws `ServerError`. */
export async function ask<Name extends Operation>(
  operationName: Name,
  variables: Variables<Name>,
  signal?: AbortSignal,
  credential = session().credential,
): Promise<Answer<Name>> {
  const response = await post({ operationName, variables }, credential, signal);
  const body = (await response.json().catch(() => ({}))) as {
    data?: Answer<Name> | null;
    errors?: readonly Problem[];
  } & Problem;
  if (response.status === 401) {
    refuse(credential);
  }
  const problem = body.errors?.[0] ?? (response.ok ? undefined : body);
  if (problem || !body.data) {
    throw errorOf(problem ?? {}, response.status);
  }
  return body.data;
}

async function post(body: unknown, credential: string | null, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch("/graphql", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...authorization(credential),
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    throw new ServerError("the server does not answer", "UNREACHABLE", "");
  }
}

function errorOf(problem: Problem, status: number): ServerError {
  const message = problem.message ?? problem.detail ?? problem.title ?? `the server answered ${status}`;
  const code = problem.extensions?.code ?? problem.code ?? String(status);
  return new ServerError(message, code, problem.extensions?.hint ?? problem.hint ?? "");
}
