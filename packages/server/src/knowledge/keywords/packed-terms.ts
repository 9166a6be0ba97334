import type { TextTerms } from './terms.ts';

/** Terms on their way to the database: thousands of passages wait there at once, and the service only passes them on. */
export interface PackedTerms {
  length: number;
  /** Eight bytes each, as base64. */
  terms: string;
  /** In the same order, with commas between them. */
  frequencies: string;
}

export function packTerms({ length, frequencies }: TextTerms): PackedTerms {
  const bytes = Buffer.from(BigInt64Array.from(frequencies.keys()).buffer);
  return { length, terms: bytes.toString('base64'), frequencies: [...frequencies.values()].join(',') };
}

export function unpackTerms({ terms }: PackedTerms): BigInt64Array {
  // Copied, because numbers of eight bytes must lie where eight divides.
  return new BigInt64Array(Uint8Array.from(Buffer.from(terms, 'base64')).buffer);
}
