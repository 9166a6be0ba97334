import type { Section } from './chat/section.ts';
import type { Benchmark } from './support/benchmark.ts';
import { runSections } from './support/run-sections.ts';
import { activity } from './voice/activity.ts';
import { codecs } from './voice/codecs.ts';
import { greeting } from './voice/greeting.ts';
import { interruptions } from './voice/interruptions.ts';
import { local } from './voice/local.ts';
import { pacing } from './voice/pacing.ts';
import { turns } from './voice/turns.ts';

const sections: Record<string, Section> = { turns, local, interruptions, pacing, greeting, activity, codecs };

/** Phone calls: how long callers wait, how soon they are heard, and how evenly they are spoken to. */
export const voice: Benchmark = (options) => runSections('voice', sections, options);
