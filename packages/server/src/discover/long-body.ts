import { createHash } from 'node:crypto';
import { maxDocumentBytes } from '@svc/contract/discover';
import type { FieldError } from '@svc/contract/errors';
import { AppError, invalid } from '../lib/app-error.ts';
import { isObject } from '../validation/json-schema/check.ts';
import { guardText } from '../validation/text-guard.ts';
import { tooMuchJson } from './openapi/json-cost.ts';

/** A text that is too long to decode on the main thread; requests are compared by its hash and size. */
export interface LongText {
  sha256: string;
  size: number;
  /** A function, so that code that walks over a body does not walk over every byte. */
  bytes(): Uint8Array;
  /** To be called once it has been read, to make room for the next one. */
  done(): void;
}

/** What the thread sends back. */
export type BodyMessage =
  | { kind: 'read'; body: unknown; documentation?: { sha256: string; bytes: Uint8Array<ArrayBuffer> } }
  | { kind: 'refused'; message: string; details?: FieldError[] };

/** The same as for every other body. */
const limits = { values: 50_000, depth: 64 };
/** Of everything except the documentation. */
const maxOtherCharacters = 1_000_000;
/** Replaces the documentation in the body, so that the rest can be validated as usual. */
const standIn = '…';

/** Reads a body of many megabytes. Runs in a thread. */
export function readLongBody(bytes: Uint8Array): BodyMessage {
  try {
    return read(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details = error.details && { details: error.details as FieldError[] };
    return { kind: 'refused', message: error.message, ...details };
  }
}

function read(text: string): BodyMessage {
  const tooMuch = tooMuchJson(text, limits);
  if (tooMuch) throw new AppError('VALIDATION_FAILED', { message: `The body ${tooMuch}` });
  const body = parse(text);
  guardText(body);
  const { documentation, ...rest } = isObject(body) ? body : {};
  if (typeof documentation !== 'string' || JSON.stringify(rest).length > maxOtherCharacters) {
    const message = 'In a body this long, only documentation, a string, may be longer than 1 MB.';
    throw new AppError('VALIDATION_FAILED', { message });
  }
  const bytes = new TextEncoder().encode(documentation);
  if (bytes.length > maxDocumentBytes) {
    throw invalid('documentation', `must not be longer than ${maxDocumentBytes} bytes`);
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { kind: 'read', body: { ...rest, documentation: standIn }, documentation: { sha256, bytes } };
}

function parse(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw unreadable(error);
  }
  if (isObject(body) && Object.hasOwn(body, '__proto__')) throw unreadable();
  return body;
}

function unreadable(cause?: unknown): AppError {
  return new AppError('VALIDATION_FAILED', { message: 'The body could not be read as JSON.', cause });
}
