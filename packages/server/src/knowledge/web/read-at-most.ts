/** The beginning of a body; leaving it early closes the connection. */
export async function readAtMost(
  { body }: Response,
  mostBytes: number,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, mostBytes), isCut: size > mostBytes };
}
