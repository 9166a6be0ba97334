/** The number of vectors in a block of a segment. Only the last block grows, so that a large segment is never copied. */
export const perBlock = 4_096;
export const growth = 1.25;
/** Bytes per vector for its key and position. */
export const bytesPerRow = 400;

/** The memory of a number of vectors, including spare room. */
export function bytesOf(vectors: number, dimensions: number): number {
  const room = vectors + Math.min(Math.ceil(vectors * (growth - 1)), perBlock);
  return room * dimensions * Float32Array.BYTES_PER_ELEMENT + vectors * bytesPerRow;
}
