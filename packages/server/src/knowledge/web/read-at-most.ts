export interface ReadLimits {
  maxBytes: number;
  /** This much is always read. */
  fewBytes: number;
  /** Awaited before more than that is read. */
  onMany(): Promise<void>;
}

/** Reads the beginning of a body; stopping early closes the connection. */
export async function readAtMost(
  { body }: Response,
  { maxBytes, fewBytes, onMany }: ReadLimits,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isMany = false;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
    if (size <= fewBytes || isMany) continue;
    isMany = true;
    await onMany();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}
