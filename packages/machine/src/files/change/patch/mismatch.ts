/** A file, and whether its lines may be quoted. */
export interface QuotedFile {
  shown: string;
  hasSecrets: boolean;
}

/** Comparing every place with every line would take too long beyond this. */
const maxComparisons = 5_000_000;
const maxQuoted = 200;

export function quoteLine(line: string): string {
  return JSON.stringify(line.slice(0, maxQuoted));
}

/** Says which of the wanted lines is not in the file where most of the others are. */
export function describeMismatch(
  lines: readonly string[],
  wanted: readonly string[],
  { hasSecrets }: QuotedFile,
  near: number,
): string {
  const bare = lines.map((line) => line.trimEnd());
  const sought = wanted.map((line) => line.trimEnd());
  const start = closest(bare, sought, near);
  const isAt = (index: number) => start !== undefined && bare[start + index] === sought[index];
  const wrong = Math.max(
    sought.findIndex((_, index) => !isAt(index)),
    0,
  );
  const expected = quoteLine(wanted[wrong] ?? '');
  if (start === undefined) return `No line of the file is ${expected}.`;
  const number = start + wrong + 1;
  if (number > lines.length) return `${expected} would come after the end of the file.`;
  const actual = hasSecrets ? '' : ` ${quoteLine(lines[number - 1] ?? '')}`;
  return `Line ${number} of the file is${actual || ' different'}, not ${expected}.`;
}

/** Where most of the lines match; undefined if none does anywhere. */
function closest(lines: readonly string[], wanted: readonly string[], near: number): number | undefined {
  const compared = wanted.slice(0, Math.max(1, Math.floor(maxComparisons / (lines.length + 1))));
  let best: { start: number; score: number } | undefined;
  for (let start = 0; start < lines.length; start += 1) {
    const score = compared.filter((line, index) => line !== '' && lines[start + index] === line).length;
    const isNearer = best?.score === score && Math.abs(start - near) < Math.abs(best.start - near);
    if (score > (best?.score ?? 0) || (score > 0 && isNearer)) best = { start, score };
  }
  return best?.start;
}
