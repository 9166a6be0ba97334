/** A message to or from the child: one line of JSON, then raw bytes, so that megabytes need no parsing. */
export function packMessage(head: object, body: Uint8Array): [Uint8Array, Uint8Array] {
  return [Buffer.from(`${JSON.stringify(head)}\n`), body];
}

/** Undefined when it is incomplete. */
export function unpackMessage(message: Buffer): { head: unknown; body: Buffer } | undefined {
  const end = message.indexOf('\n');
  if (end === -1) return undefined;
  try {
    return { head: JSON.parse(message.toString('utf8', 0, end)), body: message.subarray(end + 1) };
  } catch {
    // The line was cut off, or something else was written.
    return undefined;
  }
}
