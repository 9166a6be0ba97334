import { isReasoningModel, seesImages } from '../openai/model-family.ts';
import { isOpenAi } from '../openai/own-address.ts';
import { withLongContext } from '../prices.ts';
import type { Provider } from './provider.ts';

/** Reasoning models send nothing while they think, unless the organisation is verified for summaries. */
const silentThinkingMs = 300_000;

/** OpenAI, and any server that speaks its wire. */
export const openai: Provider = {
  name: 'openai',
  // A local server may need no key.
  access: { keyVariable: 'OPENAI_API_KEY', urlVariable: 'OPENAI_BASE_URL', isKeyRequired: false },
  chat: {
    defaultModel: 'gpt-5.6-terra',
    capabilities: ({ baseUrl }, modelName) => ({
      jsonMode: isOpenAi(baseUrl),
      instructions: true,
      images: seesImages(modelName, isOpenAi(baseUrl)),
    }),
    timeLimits: (modelName) => (isReasoningModel(modelName) ? { firstTokenMs: silentThinkingMs } : {}),
    load: async () => (await import('../openai/openai-attempt.ts')).createOpenAiAttempt,
    windows: {
      'gpt-6': { contextWindow: 1_050_000, maxOutputTokens: 128_000 },
      'gpt-5.6': { contextWindow: 1_050_000, maxOutputTokens: 128_000 },
      'gpt-5.5': { contextWindow: 1_050_000, maxOutputTokens: 128_000 },
      'gpt-5.4': { contextWindow: 1_050_000, maxOutputTokens: 128_000 },
      'gpt-5.4-mini': { contextWindow: 400_000, maxOutputTokens: 128_000 },
      'gpt-5.4-nano': { contextWindow: 400_000, maxOutputTokens: 128_000 },
      'gpt-5': { contextWindow: 400_000, maxOutputTokens: 128_000 },
      'gpt-5-chat': { contextWindow: 128_000, maxOutputTokens: 16_384 },
      'gpt-4.1': { contextWindow: 1_047_576, maxOutputTokens: 32_768 },
      'gpt-4o': { contextWindow: 128_000, maxOutputTokens: 16_384 },
      'gpt-4-turbo': { contextWindow: 128_000, maxOutputTokens: 4_096 },
      'gpt-4': { contextWindow: 8_192, maxOutputTokens: 4_096 },
      'gpt-3.5-turbo': { contextWindow: 16_385, maxOutputTokens: 4_096 },
      o1: { contextWindow: 200_000, maxOutputTokens: 100_000 },
      o3: { contextWindow: 200_000, maxOutputTokens: 100_000 },
      'o4-mini': { contextWindow: 200_000, maxOutputTokens: 100_000 },
    },
  },
  embeddings: {
    defaultModel: 'text-embedding-3-small',
    // Another server may have other embedding models, or none: there the model has to be named.
    offersDefault: ({ apiKey, baseUrl }) => apiKey !== undefined && isOpenAi(baseUrl),
    dimensions: {
      'text-embedding-3-small': 1536,
      'text-embedding-3-large': 3072,
      'text-embedding-ada-002': 1536,
    },
    // Far below the limit of 8,191 tokens, even where every character is a token.
    maxCharacters: 8_000,
    batchSize: 64,
    load: async () => (await import('../embeddings/openai-embeddings.ts')).createOpenAiEmbeddings,
  },
  prices: {
    'gpt-6.1-sol': { input: 2, cachedInput: 0.1, output: 10 },
    'gpt-5.6-sol': withLongContext(272_000, [5, 0.5, 30], [10, 1, 45]),
    'gpt-5.6': withLongContext(272_000, [5, 0.5, 30], [10, 1, 45]),
    'gpt-5.6-terra': withLongContext(272_000, [2, 0.2, 12], [4, 0.4, 18]),
    'gpt-5.6-luna': withLongContext(272_000, [0.2, 0.02, 1.2], [0.4, 0.04, 1.8]),
    'gpt-5.5': withLongContext(272_000, [5, 0.5, 30], [10, 1, 45]),
    'gpt-5.4': withLongContext(272_000, [2.5, 0.25, 15], [5, 0.5, 22.5]),
    'gpt-5.4-mini': { input: 0.75, cachedInput: 0.075, output: 4.5 },
    'gpt-5.4-nano': { input: 0.2, cachedInput: 0.02, output: 1.25 },
    'gpt-5.3-codex': { input: 1.75, cachedInput: 0.175, output: 14 },
    'gpt-5.2': { input: 1.75, cachedInput: 0.175, output: 14 },
    'gpt-5.1': { input: 1.25, cachedInput: 0.125, output: 10 },
    'gpt-5': { input: 1.25, cachedInput: 0.125, output: 10 },
    'gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 },
    'gpt-5-nano': { input: 0.05, cachedInput: 0.005, output: 0.4 },
    'gpt-4.1': { input: 2, cachedInput: 0.5, output: 8 },
    'gpt-4.1-mini': { input: 0.4, cachedInput: 0.1, output: 1.6 },
    'gpt-4.1-nano': { input: 0.1, cachedInput: 0.025, output: 0.4 },
    'gpt-4o': { input: 2.5, cachedInput: 1.25, output: 10 },
    'gpt-4o-mini': { input: 0.15, cachedInput: 0.075, output: 0.6 },
    o3: { input: 2, cachedInput: 0.5, output: 8 },
    'o3-mini': { input: 1.1, cachedInput: 0.55, output: 4.4 },
    'o4-mini': { input: 1.1, cachedInput: 0.275, output: 4.4 },
    'text-embedding-3-small': { input: 0.02, cachedInput: 0.02, output: 0 },
    'text-embedding-3-large': { input: 0.13, cachedInput: 0.13, output: 0 },
    'text-embedding-ada-002': { input: 0.1, cachedInput: 0.1, output: 0 },
  },
};
