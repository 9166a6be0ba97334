import type { BenchmarkOptions } from './benchmark.ts';
import type { Comparison } from './compare.ts';

type SectionOptions = Omit<BenchmarkOptions, 'only' | 'show'>;

/** Measures the chosen parts of a benchmark one after the other, or all of them, and shows each as soon as it is done. */
export async function runSections(
  benchmark: string,
  sections: Record<string, (options: SectionOptions) => Promise<Comparison[]>>,
  { only, show, ...options }: BenchmarkOptions,
): Promise<void> {
  const unknown = only.filter((name) => !(name in sections));
  if (unknown.length > 0) {
    const known = Object.keys(sections).join(', ');
    throw new Error(`${benchmark} has no part ${unknown.join(', ')}: they are ${known}.`);
  }
  for (const [name, section] of Object.entries(sections)) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const comparison of await section(options)) show(comparison);
  }
}
