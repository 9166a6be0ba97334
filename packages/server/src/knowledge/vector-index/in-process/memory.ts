/** Vectors in one block of a segment. Only the last block ever grows, so that a large segment is never copied. */
export const perBlock = 4_096;
export const growth = 1.25;
/** What is known of a vector beside its numbers. */
export const bytesPerRow = 400;

/** What so many vectors take, with what there is room for beside them. */
export function bytesOf(vectors: number, dimensions: number): number {
  const room = vectors + Math.min(Math.ceil(vectors * (growth - 1)), perBlock);
  return room * dimensions * Float32Array.BYTES_PER_ELEMENT + vectors * bytesPerRow;
}
