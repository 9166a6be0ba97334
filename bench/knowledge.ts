import { ingest } from './knowledge/ingest.ts';
import { quality } from './knowledge/quality.ts';
import { search } from './knowledge/search.ts';
import type { Section } from './knowledge/section.ts';
import type { BenchmarkOptions } from './support/benchmark.ts';

const sections: Record<string, Section> = { quality, search, ingest };

/** Whether the right passage is found, how quickly, and how fast documents are taken in. */
export async function knowledge({ only, show, ...options }: BenchmarkOptions): Promise<void> {
  const unknown = only.filter((name) => !(name in sections));
  if (unknown.length > 0) {
    throw new Error(
      `knowledge has no part ${unknown.join(', ')}: they are ${Object.keys(sections).join(', ')}.`,
    );
  }
  for (const [name, section] of Object.entries(sections)) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const comparison of await section(options)) show(comparison);
  }
}
