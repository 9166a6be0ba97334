import { boundText } from './bound-text.ts';

/** The beginning and the end of a text, with a line between them that says how much is left out. */
export function boundEnds(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const { text: head } = boundText(text, half);
  // Bytes that continue a character cannot start one.
  const isContinuation = (index: number) => ((bytes[index] ?? 0) & 0xc0) === 0x80;
  let start = bytes.length - half;
  while (isContinuation(start)) start += 1;
  const omitted = start - Buffer.byteLength(head);
  return `${head}\n… ${omitted} bytes left out …\n${bytes.subarray(start).toString()}`;
}
