// How records are named: by file and position in it, from 1.
export interface RecordPlace {
  readonly file: string;
  readonly position: number;
}

/** Records that are named as `FILE:POSITION`, one in each line. */
export function placesOf(text: string): RecordPlace[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.lastIndexOf(":");
      return { file: line.slice(0, Math.max(at, 0)), position: Number.parseInt(line.slice(at + 1), 10) || 0 };
    });
}

export function placeText(place: RecordPlace): string {
  return `${place.file}:${place.position}`;
}
