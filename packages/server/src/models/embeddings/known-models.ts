const dimensions: Readonly<Record<string, number>> = {
  'openai/text-embedding-3-small': 1536,
  'openai/text-embedding-3-large': 3072,
  'openai/text-embedding-ada-002': 1536,
  // They give as many as they are asked for: half of the most they have, at nearly the same quality.
  'google/gemini-embedding-001': 1536,
  'google/gemini-embedding-2': 1536,
};

/** Undefined for a model that nobody knows: its first answer tells. */
export function dimensionsOf(id: string): number | undefined {
  return dimensions[id];
}
