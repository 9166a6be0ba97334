import type { Section } from './chat/section.ts';
import { firstPaint } from './console/first-paint.ts';
import { longConversation } from './console/long-conversation.ts';
import type { Benchmark } from './support/benchmark.ts';
import { runSections } from './support/run-sections.ts';

const sections: Record<string, Section> = {
  'first-paint': firstPaint,
  'long-conversation': longConversation,
};

/** How long a person at the console waits, in a real browser. */
export const consolePages: Benchmark = (options) => runSections('console', sections, options);
