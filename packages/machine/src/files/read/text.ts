import { isUtf8 } from 'node:buffer';
import { quote, Refusal } from '../../confine/refusal.ts';

const sampleBytes = 8192;

/** A NUL near the beginning, as git decides it. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, sampleBytes).includes(0);
}

/** Refuses what cannot be shown as text without loss. `shown` is the path as the model knows it. */
export function requireText(bytes: Uint8Array, shown: string): void {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new Refusal(`${quote(shown)} is UTF-16 text; only UTF-8 can be read and changed here.`);
  if (isBinary(bytes)) throw new Refusal(`${quote(shown)} is a binary file; only text can be used here.`);
  if (!isUtf8(bytes))
    throw new Refusal(
      `${quote(shown)} is not UTF-8 text, so that it cannot be read or changed without loss.`,
    );
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Keeps a byte order mark, unlike most ways to decode. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
