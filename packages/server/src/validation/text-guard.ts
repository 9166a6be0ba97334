import { AppError, invalid } from '../app-error.ts';

const deepest = 64;

/**
 * PostgreSQL can not store the character U+0000 nor half a surrogate pair, and deeply nested JSON overflows the stack
 * of whoever walks it next. Refused here, once, for every body and query.
 */
export function guardText(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string') return guardString(value, path);
  if (value === null || typeof value !== 'object') return;
  if (depth >= deepest) {
    throw new AppError('VALIDATION_FAILED', {
      message: `The body is nested more than ${deepest} levels deep.`,
    });
  }
  for (const [key, entry] of Object.entries(value)) {
    const inner = path ? `${path}.${key}` : key;
    guardString(key, inner.toWellFormed().replaceAll('\0', ''));
    guardText(entry, inner, depth + 1);
  }
}

function guardString(text: string, path: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalid(path || 'body', 'must be well-formed text without the character U+0000');
  }
}
