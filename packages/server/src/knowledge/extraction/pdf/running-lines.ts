import type { Line } from './lines.ts';

const outermost = 2;
const leastPages = 3;
const leastShare = 0.6;

/** Pages without the header, footer and page number that most of them carry. */
export function withoutRunningLines(pages: readonly (readonly Line[])[]): Line[][] {
  const written = pages.filter((lines) => lines.length > 0);
  const seen = new Map<string, number>();
  for (const lines of written) {
    for (const key of new Set(outer(lines).map(keyOf))) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const least = Math.max(leastPages, written.length * leastShare);
  const isRunning = (line: Line) => (seen.get(keyOf(line)) ?? 0) >= least;
  return pages.map((lines) => {
    const atEdge = new Set(outer(lines));
    return lines.filter((line) => !(atEdge.has(line) && isRunning(line)));
  });
}

/** Highest and lowest: the order of drawing says nothing about where they stand. */
function outer(lines: readonly Line[]): Line[] {
  const byHeight = lines.toSorted((a, b) => b.y - a.y);
  return [...byHeight.slice(0, outermost), ...byHeight.slice(-outermost)];
}

/** Page numbers differ, their place does not. */
function keyOf({ text, y }: Line): string {
  return `${Math.round(y / 4)} ${text.replaceAll(/\d+/g, '#')}`;
}
