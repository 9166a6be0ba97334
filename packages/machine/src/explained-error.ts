/** A problem that the person at the terminal can solve: its message is printed without a stack. */
export class ExplainedError extends Error {
  override name = 'ExplainedError';
}

/** An error and its causes in one line. */
export function explain(error: unknown): string {
  const messages: string[] = [];
  let current: unknown = error;
  while (current instanceof Error) {
    // Node reports a failed connection to several addresses as an error without a message.
    const message = current.message || (current as NodeJS.ErrnoException).code;
    if (message) messages.push(message);
    current = current.cause;
  }
  return messages.join(': ') || String(error);
}
