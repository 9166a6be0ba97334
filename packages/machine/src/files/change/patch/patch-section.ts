import type { StructuredPatch } from 'diff';

/** A part of a file that a patch changes. The numbers of lines are as the patch states them. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with a space, `-`, `+` or `\`. */
  lines: string[];
  /** Found by its lines alone, because the patch does not say where it is. */
  isUnnumbered?: true;
  /** Lines of the file that come before it, the outermost first. */
  anchors?: string[];
  /** It is the end of the file. */
  isAtEnd?: true;
}

/** What a patch does to one file. */
export type PatchSection = Partial<Omit<StructuredPatch, 'hunks'>> & {
  hunks: Hunk[];
  /** Not of a diff: names have no prefixes, and a file is deleted whatever its content is. */
  isOfEnvelope?: true;
};

/** A hunk with the right counts for its lines. */
export function hunkOf(lines: string[], place: Partial<Hunk> = {}): Hunk {
  const count = (signs: string) => lines.filter((line) => signs.includes(line[0] ?? ' ')).length;
  return { oldStart: 1, newStart: 1, ...place, oldLines: count(' -'), newLines: count(' +'), lines };
}
