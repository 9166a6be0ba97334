import type { Provider } from './provider.ts';

/** Needs no key and no network: quotes passages, and embeds English. */
export const builtin: Provider = {
  name: 'builtin',
  chat: {
    defaultModel: 'extractive',
    capabilities: () => ({ jsonMode: false, instructions: false, images: false }),
    load: async () => (await import('../builtin/extractive-attempt.ts')).createExtractiveAttempt,
    windows: { extractive: { contextWindow: 1_000_000, maxOutputTokens: 4_000 } },
  },
  embeddings: {
    defaultModel: 'sentence-encoder',
    dimensions: { 'sentence-encoder': 512 },
    // It reads 128 of its tokens, which are about four characters of English each.
    maxCharacters: 480,
    // A question waits for the batch before it: small ones cost little and keep that short.
    batchSize: 2,
    load: async () => (await import('../embeddings/builtin/sentence-encoder.ts')).createSentenceEncoder,
  },
};
