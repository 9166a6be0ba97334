import { ConfigError } from '../config/config-error.ts';

/** An error and its causes, for a person at a terminal. */
export function explainError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const messages: string[] = [];
  let current: unknown = error;
  while (current instanceof Error) {
    // The query builder repeats the whole statement with its values, which may be secret.
    if (!current.message.startsWith('Failed query')) messages.push(current.message);
    current = current.cause;
  }
  return messages.join(' ') || String(error);
}
