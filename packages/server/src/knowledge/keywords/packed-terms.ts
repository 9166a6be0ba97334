import type { TextTerms } from './terms.ts';

/** Terms on their way to the database, packed because the service holds those of thousands of passages at once. */
export interface PackedTerms {
  length: number;
  /** Eight bytes each, as base64. */
  terms: string;
  /** In the same order, separated by commas. */
  frequencies: string;
}

export function packTerms({ length, frequencies }: TextTerms): PackedTerms {
  const bytes = Buffer.from(BigInt64Array.from(frequencies.keys()).buffer);
  return { length, terms: bytes.toString('base64'), frequencies: [...frequencies.values()].join(',') };
}

export function unpackTerms({ terms }: PackedTerms): BigInt64Array {
  // Copied, because 64-bit numbers must be aligned to eight bytes.
  return new BigInt64Array(Uint8Array.from(Buffer.from(terms, 'base64')).buffer);
}
