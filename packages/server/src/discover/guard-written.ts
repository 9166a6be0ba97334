import { AppError } from '../lib/app-error.ts';
import { isObject } from '../validation/json-schema/check.ts';
import { guardText } from '../validation/text-guard.ts';

/** Throws VALIDATION_FAILED for a value that this service would not accept in a request body. */
export function guardWritten(value: unknown, root = ''): void {
  guardText(value, root);
  if (!hasRefusedKey(value)) return;
  const message = `${root || 'The reply'} has a key __proto__ or constructor.prototype, which no body may have.`;
  throw new AppError('VALIDATION_FAILED', { message });
}

/** Keys that the body parser refuses. The value was already checked for its size and depth. */
function hasRefusedKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  const own = Object.hasOwn(value, 'constructor') ? (value.constructor as unknown) : undefined;
  if (isObject(own) && Object.hasOwn(own, 'prototype')) return true;
  return Object.values(value).some(hasRefusedKey);
}
