import { withLongContext } from '../prices.ts';
import type { Provider } from './provider.ts';

export const google: Provider = {
  name: 'google',
  telemetryName: 'gcp.gemini',
  access: {
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    urlVariable: 'GOOGLE_BASE_URL',
    isKeyRequired: true,
  },
  chat: {
    defaultModel: 'gemini-3.8-flash',
    capabilities: (_config, modelName) => ({
      jsonMode: true,
      instructions: true,
      images: !/^gemma-[12]/.test(modelName),
    }),
    load: async () => (await import('../ai-sdk/google-attempt.ts')).createGoogleAttempt,
    windows: {
      'gemini-': { contextWindow: 1_048_576, maxOutputTokens: 65_536 },
      'gemini-2.0': { contextWindow: 1_048_576, maxOutputTokens: 8_192 },
      'gemma-': { contextWindow: 32_768, maxOutputTokens: 8_192 },
    },
  },
  embeddings: {
    defaultModel: 'gemini-embedding-001',
    // Its models return as many as requested: half of the maximum has nearly the same quality.
    dimensions: { 'gemini-embedding-001': 1536, 'gemini-embedding-2': 1536 },
    // Its models read 2,048 tokens.
    maxCharacters: 4_000,
    batchSize: 64,
    load: async () => (await import('../embeddings/google-embeddings.ts')).createGoogleEmbeddings,
  },
  prices: {
    'gemini-4-argon': { input: 4, cachedInput: 0.2, output: 20 },
    'gemini-3.8-flash': { input: 1.5, cachedInput: 0.15, output: 7.5 },
    'gemini-3.7-flash': { input: 1.5, cachedInput: 0.15, output: 7.5 },
    'gemini-3.6-flash': { input: 1.5, cachedInput: 0.15, output: 7.5 },
    'gemini-3.5-flash': { input: 1.5, cachedInput: 0.15, output: 9 },
    'gemini-3.1-pro': withLongContext(200_000, [2, 0.2, 12], [4, 0.4, 18]),
    'gemini-3.1-flash-lite': { input: 0.25, cachedInput: 0.025, output: 1.5 },
    'gemini-3-pro': withLongContext(200_000, [2, 0.2, 12], [4, 0.4, 18]),
    'gemini-3-flash': { input: 0.5, cachedInput: 0.05, output: 3 },
    'gemini-2.5-pro': withLongContext(200_000, [1.25, 0.125, 10], [2.5, 0.25, 15]),
    'gemini-2.5-flash': { input: 0.3, cachedInput: 0.03, output: 2.5 },
    'gemini-2.5-flash-lite': { input: 0.1, cachedInput: 0.01, output: 0.4 },
    'gemini-embedding-2': { input: 0.2, cachedInput: 0.2, output: 0 },
    'gemini-embedding-001': { input: 0.15, cachedInput: 0.15, output: 0 },
  },
};
