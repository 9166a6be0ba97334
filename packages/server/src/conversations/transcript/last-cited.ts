/** `[1]`, `[2, 3]` */
const marks = /\[\d{1,3}(?:, \d{1,3})*\]/g;

/** How many citations the beginning of a reply uses: they are numbered in the order in which they are used. */
export function lastCited(text: string): number {
  const numbers = text.match(marks)?.flatMap((mark) => mark.match(/\d+/g) ?? []) ?? [];
  return numbers.reduce((last, number) => Math.max(last, Number(number)), 0);
}
