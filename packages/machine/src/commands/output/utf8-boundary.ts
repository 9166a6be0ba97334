/** The last position up to `end` that is not inside a UTF-8 character. Bytes that are not UTF-8 are cut anywhere. */
export function boundaryBefore(bytes: Uint8Array, end: number): number {
  for (let start = end - 1; start >= 0 && start >= end - 4; start--) {
    const byte = bytes[start] ?? 0;
    if (isContinuation(byte)) continue;
    return start + lengthOf(byte) > end ? start : end;
  }
  return end;
}

/** The first position from `start` that is not inside a UTF-8 character. */
export function boundaryAfter(bytes: Uint8Array, start: number): number {
  for (let position = start; position < bytes.length && position < start + 4; position++) {
    if (!isContinuation(bytes[position] ?? 0)) return position;
  }
  return start;
}

/** Bytes that are not UTF-8 become U+FFFD, and so does NUL, which databases do not store in text. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\0', '\uFFFD');
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function lengthOf(first: number): number {
  if (first >= 0xf8) return 1;
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
