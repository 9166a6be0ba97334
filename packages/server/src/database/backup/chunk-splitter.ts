const minBytes = 256 * 1024;
export const maxChunkBytes = 4 * 1024 * 1024;
/** Of these bits of the hash all are zero at a boundary, once in a megabyte. */
const boundaryBits = 20;
/** What the hash of a position depends on: 32 bits, shifted by one for each byte. */
const windowBytes = 32;

/**
 * Splits a stream of bytes where its content says so, not at fixed distances: where rows were inserted or deleted, only the
 * chunks there change, and all others stay what they were.
 */
export function createChunkSplitter(boundaries: Int32Array, onChunk: (chunk: Buffer) => void) {
  const buffer = Buffer.allocUnsafe(maxChunkBytes);
  let length = 0;
  let hash = 0;

  /** Where the current chunk ends in these bytes; undefined if it does not. */
  function findEnd(bytes: Buffer, start: number, end: number): number | undefined {
    let current = hash;
    for (let index = Math.max(start, start + minBytes - windowBytes - length); index < end; index += 1) {
      current = ((current << 1) + (boundaries[bytes[index] as number] as number)) | 0;
      if (current >>> (32 - boundaryBits) === 0 && length + index - start >= minBytes) return index + 1;
    }
    hash = current;
    return undefined;
  }

  function flush(): void {
    const chunk = Buffer.from(buffer.subarray(0, length));
    length = 0;
    hash = 0;
    onChunk(chunk);
  }

  return {
    /** The bytes may be overwritten afterwards. */
    push(bytes: Buffer): void {
      for (let start = 0; start < bytes.length; ) {
        const end = Math.min(bytes.length, start + maxChunkBytes - length);
        const boundary = findEnd(bytes, start, end);
        bytes.copy(buffer, length, start, boundary ?? end);
        length += (boundary ?? end) - start;
        start = boundary ?? end;
        if (boundary !== undefined || length === maxChunkBytes) flush();
      }
    },
    end(): void {
      if (length > 0) flush();
    },
  };
}
