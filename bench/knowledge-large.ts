import { largeKnowledge } from './knowledge-large/large-knowledge.ts';
import type { Benchmark } from './support/benchmark.ts';

/** A million passages in PostgreSQL with pgvector, on the server that DATABASE_URL names. */
export const knowledgeLarge: Benchmark = async ({ show, ...options }) => {
  for await (const comparison of largeKnowledge(options)) show(comparison);
};
