// Asks the process that the page is from.
export interface Problem {
  readonly message: string;
  readonly hint: string;
  readonly code: string;
}

interface Failure {
  readonly message?: string;
  readonly detail?: string;
  readonly title?: string;
  readonly hint?: string;
  readonly code?: string;
  readonly extensions?: { readonly hint?: string; readonly code?: string };
}

/** The answer to a GraphQL query, or what kept it from being one. */
export async function ask<Data>(
  query: string,
  variables: unknown,
  key: string,
): Promise<{ data: Data | null; problem: Problem | null }> {
  try {
    const response = await fetch("/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ query, variables }),
    });
    const body = (await response.json()) as { data?: Data | null; errors?: readonly Failure[] } & Failure;
    const failure = body.errors?.[0] ?? (response.ok ? null : body);
    return { data: failure ? null : (body.data ?? null), problem: failure && problemOf(failure) };
  } catch (error) {
    return { data: null, problem: { message: String(error), hint: "", code: "" } };
  }
}

function problemOf(failure: Failure): Problem {
  return {
    message: failure.message ?? failure.detail ?? failure.title ?? "",
    hint: failure.extensions?.hint ?? failure.hint ?? "",
    code: failure.extensions?.code ?? failure.code ?? "",
  };
}
