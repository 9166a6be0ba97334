import { parseArgs } from 'node:util';
import { bots } from './bots.ts';
import { chat } from './chat.ts';
import { consolePages } from './console.ts';
import { fairness } from './fairness.ts';
import { knowledge } from './knowledge.ts';
import { knowledgeLarge } from './knowledge-large.ts';
import { nodes } from './nodes.ts';
import type { Benchmark, BenchmarkOptions } from './support/benchmark.ts';
import { createCleanUp } from './support/clean-up.ts';
import type { Comparison } from './support/compare.ts';
import { missesGoal } from './support/goal.ts';
import { renderTable } from './support/table.ts';
import { voice } from './voice.ts';
import { widget } from './widget.ts';

const benchmarks: Record<string, Benchmark> = {
  bots,
  chat,
  console: consolePages,
  fairness,
  knowledge,
  'knowledge-large': knowledgeLarge,
  nodes,
  voice,
  widget,
};
/** Benchmarks with many contenders per round, which would take too long otherwise. */
const shorter: Record<string, { rounds: number; seconds: number }> = { nodes: { rounds: 2, seconds: 1 } };

const usage = `npm run bench -- [NAME…] [--rounds N] [--seconds N] [--quick] [--only PART]… [--strict]

Names: ${Object.keys(benchmarks).join(', ')}
(all of them when none is given, except for knowledge-large, which needs DATABASE_URL).
--quick measures little of everything: to see that it works, not to judge by.
--only measures one part of a benchmark that has several; may be repeated.
--strict ends with 1 when a goal is missed.`;

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((name) => !(name in benchmarks));
  const { quick, only } = values;
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
  if (values.help || unknown.length > 0 || !((rounds ?? 1) >= 1 && (seconds ?? 1) >= 1)) {
    console.log(unknown.length > 0 ? `There is no benchmark ${unknown.join(', ')}.\n\n${usage}` : usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const usualNames = Object.keys(benchmarks).filter(
    (name) => name !== 'knowledge-large' || process.env.DATABASE_URL,
  );
  const chosen = positionals.length > 0 ? positionals : usualNames;
  for (const name of chosen) {
    if (process.exitCode === 130) return;
    const usual = quick ? { rounds: 1, seconds: 1 } : (shorter[name] ?? { rounds: 5, seconds: 3 });
    const pace = { rounds: rounds ?? usual.rounds, seconds: seconds ?? usual.seconds };
    const missed = await runOne(name, { ...pace, quick, only });
    if (missed && values.strict) process.exitCode = 1;
  }
}

async function runOne(
  name: string,
  pace: Pick<BenchmarkOptions, 'rounds' | 'seconds' | 'quick' | 'only'>,
): Promise<boolean> {
  const benchmark = benchmarks[name];
  if (!benchmark) throw new Error(`There is no benchmark ${name}.`);
  const cleanUp = createCleanUp();
  try {
    let missed = false;
    const show = (comparison: Comparison) => {
      console.log(`\n${renderTable(comparison)}`);
      missed ||= comparison.results.some((result) => missesGoal(result));
    };
    await benchmark({ cleanUp, ...pace, say: (text) => console.error(text), show });
    return missed;
  } catch (error) {
    // Ctrl-C ended the processes: failures caused by that are not reported.
    if (process.exitCode !== 130) throw error;
    return false;
  } finally {
    await cleanUp.run();
  }
}

await run();
