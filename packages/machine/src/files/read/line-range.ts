import { boundaryBefore } from '../../commands/output/utf8-boundary.ts';

const maxBytes = 256 * 1024;
const newline = 0x0a;

/** Picks lines out of chunks of a file and counts all lines, while it keeps only what it picks, up to a limit. */
export function createLineRange(start: number, end: number) {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 1;
  let lastLine = start - 1;
  let isFull = false;
  let total = 0;
  let lastByte = newline;

  function keep(piece: Uint8Array): void {
    if (isFull) return;
    const room = maxBytes - keptBytes;
    const taken = Buffer.from(piece.subarray(0, room));
    isFull = piece.length > room;
    if (taken.length === 0) return;
    kept.push(taken);
    keptBytes += taken.length;
    lastLine = line;
  }

  return {
    add(chunk: Uint8Array): void {
      let from = 0;
      while (from < chunk.length) {
        const found = chunk.indexOf(newline, from);
        const to = found === -1 ? chunk.length : found + 1;
        if (line >= start && line <= end) keep(chunk.subarray(from, to));
        if (found !== -1) line += 1;
        from = to;
      }
      total += chunk.length;
      lastByte = chunk[chunk.length - 1] ?? lastByte;
    },
    end(): { bytes: Buffer; lastLine: number; totalLines: number; truncated: boolean } {
      const all = Buffer.concat(kept);
      const totalLines = total > 0 && lastByte !== newline ? line : line - 1;
      const bytes = isFull ? wholeLines(all) : all;
      const dropped =
        isFull && bytes.length < all.length && bytes.at(-1) === newline && all.at(-1) !== newline;
      return { bytes, lastLine: dropped ? lastLine - 1 : lastLine, totalLines, truncated: isFull };
    },
  };
}

/** Without the last line if it is cut off; of one long line, its complete characters. */
function wholeLines(bytes: Buffer): Buffer {
  const lastNewline = bytes.lastIndexOf(newline);
  if (lastNewline !== -1) return bytes.subarray(0, lastNewline + 1);
  return bytes.subarray(0, boundaryBefore(bytes, bytes.length));
}
