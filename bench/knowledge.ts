import { ingest } from './knowledge/ingest.ts';
import { quality } from './knowledge/quality.ts';
import { search } from './knowledge/search.ts';
import type { Section } from './knowledge/section.ts';
import type { Benchmark } from './support/benchmark.ts';
import { runSections } from './support/run-sections.ts';

const sections: Record<string, Section> = { quality, search, ingest };

/** Whether the right passage is found, how quickly, and how fast documents are taken in. */
export const knowledge: Benchmark = (options) => runSections('knowledge', sections, options);
