/** What goes to the child and comes back: one line of JSON, then bytes as they are, so that nobody parses megabytes. */
export function packMessage(head: object, body: Uint8Array): [Uint8Array, Uint8Array] {
  return [Buffer.from(`${JSON.stringify(head)}\n`), body];
}

/** Undefined when it is not whole. */
export function unpackMessage(message: Buffer): { head: unknown; body: Buffer } | undefined {
  const end = message.indexOf('\n');
  if (end === -1) return undefined;
  try {
    return { head: JSON.parse(message.toString('utf8', 0, end)), body: message.subarray(end + 1) };
  } catch {
    // Cut in the middle of the line, or written by somebody else.
    return undefined;
  }
}
