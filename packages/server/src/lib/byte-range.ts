/** The bytes of a file that are requested; the end is excluded. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Reads a header `Range`. Undefined for the whole file, even if a range was asked for that we do not support or the file does not have. */
export function readByteRange(header: string | undefined, length: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const start = Math.max(0, length - Number(last));
    return Number(last) > 0 ? { start, end: length } : undefined;
  }
  const start = Number(first);
  const end = last === '' ? length : Math.min(Number(last) + 1, length);
  return start < end ? { start, end } : undefined;
}
