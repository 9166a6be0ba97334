import { atOnce } from './chat/at-once.ts';
import { growth } from './chat/growth.ts';
import { idleReaders } from './chat/idle-readers.ts';
import { memory } from './chat/memory.ts';
import { paced } from './chat/paced.ts';
import type { Section } from './chat/section.ts';
import { start } from './chat/start.ts';
import { transactions } from './chat/transactions.ts';
import type { Benchmark } from './support/benchmark.ts';
import { runSections } from './support/run-sections.ts';

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
export const chat: Benchmark = (options) => runSections('chat', sections, options);
