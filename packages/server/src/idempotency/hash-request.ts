import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson } from './canonical-json.ts';

/** A text that is longer is not put into words with the rest: a document of 32 MB would hold up everybody for half a second. */
const longText = 256 * 1024;

/** Equal for equal requests. Long texts are read piece by piece, and others get their turn in between. */
export async function hashRequest(fingerprint: unknown): Promise<string> {
  const digests = new Map<string, string>();
  for (const text of longTextsIn(fingerprint)) digests.set(text, `{"sha256":"${await digestOf(text)}"}`);
  return createHash('sha256').update(canonicalJson(fingerprint, digests)).digest('hex');
}

async function digestOf(text: string): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < text.length; start += longText) {
    // In units of 16 bits, so that a cut through a pair of them loses nothing.
    hash.update(text.slice(start, start + longText), 'utf16le');
    await nextTurn();
  }
  return hash.digest('hex');
}

function longTextsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length > longText ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(longTextsIn);
}
