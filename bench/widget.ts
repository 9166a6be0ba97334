import type { Section } from './chat/section.ts';
import type { Benchmark } from './support/benchmark.ts';
import { runSections } from './support/run-sections.ts';
import { counting } from './widget/counting.ts';
import { flood } from './widget/flood.ts';
import { twoNodes } from './widget/two-nodes.ts';

const sections: Record<string, Section> = { counting, flood, 'two-nodes': twoNodes };

/** What limits on the messages of end users cost, and whether they are exact. */
export const widget: Benchmark = (options) => runSections('widget', sections, options);
