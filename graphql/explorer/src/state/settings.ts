// What the server says in the page itself.
export interface Settings {
  /** The addresses of scripts for workers, by their names. */
  readonly workers: Readonly<Record<"layout", string>>;
  readonly version: string;
  /** How people sign in; null where nobody has to. */
  readonly signIn: SignInSettings | null;
  /** Whether the page is in a frame of another site's page, and shows the picture alone. */
  readonly embedded: boolean;
}

export interface SignInSettings {
  /** Whether API keys are accepted. */
  readonly keys: boolean;
  /** The OpenID provider; null without one. */
  readonly provider: ProviderSettings | null;
}

export interface ProviderSettings {
  readonly issuer: string;
  /** The provider's name for this page, a public client. */
  readonly client: string;
  readonly scopes: string;
  readonly algorithms: readonly string[];
  /** Whether the server accepts ID tokens rather than access tokens. */
  readonly idToken: boolean;
  /** Null while the provider cannot be reached. */
  readonly addresses: { readonly authorize: string; readonly token: string } | null;
}

export const settings: Settings = JSON.parse(
  globalThis.document?.getElementById("settings")?.textContent ?? '{"workers":{}}',
);
