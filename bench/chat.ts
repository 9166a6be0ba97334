import { atOnce } from './chat/at-once.ts';
import { growth } from './chat/growth.ts';
import { idleReaders } from './chat/idle-readers.ts';
import { memory } from './chat/memory.ts';
import { paced } from './chat/paced.ts';
import type { Section } from './chat/section.ts';
import { start } from './chat/start.ts';
import { transactions } from './chat/transactions.ts';
import type { BenchmarkOptions } from './support/benchmark.ts';

const sections: Record<string, Section> = {
  start,
  'at-once': atOnce,
  paced,
  transactions,
  memory,
  'idle-readers': idleReaders,
  growth,
};

/** A message and its reply, beside a bare relay of the model's stream that writes two rows with `pg`. */
export async function chat({ only, show, ...options }: BenchmarkOptions): Promise<void> {
  const unknown = only.filter((name) => !(name in sections));
  if (unknown.length > 0) {
    throw new Error(`chat has no part ${unknown.join(', ')}: they are ${Object.keys(sections).join(', ')}.`);
  }
  for (const [name, section] of Object.entries(sections)) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const comparison of await section(options)) show(comparison);
  }
}
