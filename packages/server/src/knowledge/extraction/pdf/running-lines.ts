import type { Line } from './lines.ts';

const outermost = 2;
/** The share of the page's height at the top and at the bottom. */
const margin = 0.1;
const minPages = 3;
const minShare = 0.6;

export interface PageOfLines {
  height: number;
  lines: readonly Line[];
}

/** Removes the headers, footers and page numbers that most pages have. */
export function withoutRunningLines(pages: readonly PageOfLines[]): Line[][] {
  const written = pages.filter(({ lines }) => lines.length > 0);
  const seen = new Map<string, number>();
  for (const page of written) {
    for (const key of new Set(outer(page).map(keyOf))) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const least = Math.max(minPages, written.length * minShare);
  return pages.map((page) => {
    const running = new Set(outer(page).filter((line) => (seen.get(keyOf(line)) ?? 0) >= least));
    return page.lines.filter((line) => !running.has(line));
  });
}

/** The highest and the lowest lines in the margins; drawing order says nothing about position. */
function outer({ height, lines }: PageOfLines): Line[] {
  const top = lines.filter(({ y }) => y > height * (1 - margin)).toSorted((a, b) => b.y - a.y);
  const bottom = lines.filter(({ y }) => y < height * margin).toSorted((a, b) => a.y - b.y);
  return [...top.slice(0, outermost), ...bottom.slice(0, outermost)];
}

/** Page numbers differ, but their position does not. */
function keyOf({ text, y }: Line): string {
  return `${Math.round(y / 4)} ${text.replaceAll(/\d+/g, '#')}`;
}
