// What the server says in the page itself.
export interface Settings {
  /** The path of the page's scripts and styles. */
  readonly assets: string;
  readonly version: string;
}

export const settings: Settings = JSON.parse(document.getElementById("settings")?.textContent ?? "{}");
