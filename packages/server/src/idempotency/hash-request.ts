import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { canonicalJson } from './canonical-json.ts';

/** Longer texts are hashed separately: serializing a document of 32 MB in one go would block the process for half a second. */
const chunkLength = 256 * 1024;

/** Equal for equal requests. Long texts are hashed in chunks, and other requests run in between. */
export async function hashRequest(fingerprint: unknown): Promise<string> {
  const digests = new Map<string, string>();
  for (const text of longTextsIn(fingerprint)) digests.set(text, `{"sha256":"${await digestOf(text)}"}`);
  return createHash('sha256').update(canonicalJson(fingerprint, digests)).digest('hex');
}

async function digestOf(text: string): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < text.length; start += chunkLength) {
    // As UTF-16, so that cutting a surrogate pair in two loses nothing.
    hash.update(text.slice(start, start + chunkLength), 'utf16le');
    await yieldToOthers();
  }
  return hash.digest('hex');
}

function longTextsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length > chunkLength ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(longTextsIn);
}
