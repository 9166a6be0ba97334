import type { Section } from './chat/section.ts';
import { deltas } from './nodes/deltas.ts';
import { idle } from './nodes/idle.ts';
import { readers } from './nodes/readers.ts';
import { turns } from './nodes/turns.ts';
import type { Benchmark } from './support/benchmark.ts';
import { runSections } from './support/run-sections.ts';

const sections: Record<string, Section> = { turns, deltas, readers, idle };

/** Several processes and nodes that act as one service, beside one. */
export const nodes: Benchmark = (options) => runSections('nodes', sections, options);
