// The colours of drawings: those of the page, as a file that leaves the page needs them.
import type { Mark } from "../time/difference";

export interface Palette {
  readonly ground: string;
  readonly surface: string;
  readonly text: string;
  readonly quiet: string;
  readonly border: string;
  readonly accent: string;
  readonly accentGround: string;
  readonly warning: string;
  readonly warningGround: string;
  readonly job: string;
  readonly jobText: string;
  readonly lineValue: string;
  readonly lineInfluence: string;
  readonly lineFaint: string;
  readonly linePruned: string;
  readonly lineLitValue: string;
  readonly lineLitInfluence: string;
  readonly markAdded: string;
  readonly markGone: string;
  readonly markChanged: string;
}

export const LIGHT: Palette = {
  ground: "#f6f7f9",
  surface: "#ffffff",
  text: "#1b2430",
  quiet: "#566173",
  border: "#c9d0da",
  accent: "#0b5fa5",
  accentGround: "#e4f0fb",
  warning: "#8a4b00",
  warningGround: "#fff1da",
  job: "#ece7f6",
  jobText: "#46317a",
  lineValue: "#7a8aa0",
  lineInfluence: "#b58a3c",
  lineFaint: "#dde2e9",
  linePruned: "#b3404a",
  lineLitValue: "#0b5fa5",
  lineLitInfluence: "#a35c00",
  markAdded: "#1a6b2f",
  markGone: "#a61b1b",
  markChanged: "#6a3fb0",
};

export const DARK: Palette = {
  ground: "#10151c",
  surface: "#1a212b",
  text: "#e8edf4",
  quiet: "#a3afc0",
  border: "#3a4656",
  accent: "#7cbcf5",
  accentGround: "#17324c",
  warning: "#f0b866",
  warningGround: "#3d2d12",
  job: "#2b2540",
  jobText: "#cfc1f5",
  lineValue: "#66768c",
  lineInfluence: "#8d6f37",
  lineFaint: "#252d38",
  linePruned: "#e28b92",
  lineLitValue: "#7cbcf5",
  lineLitInfluence: "#f0b866",
  markAdded: "#7fd697",
  markGone: "#ff9d9d",
  markChanged: "#c9a8ff",
};

export function markColour(mark: Mark, palette: Palette): string {
  return { added: palette.markAdded, gone: palette.markGone, changed: palette.markChanged }[mark];
}
