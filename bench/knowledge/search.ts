import { createRetrieval } from '../../packages/server/src/knowledge/retrieval/retrieve.ts';
import type { Comparison, Result } from '../support/compare.ts';
import { percentile } from '../support/numbers.ts';
import { bareScan } from './bare-scan.ts';
import { dimensions, fillWorkspace, questionOf } from './fill.ts';
import type { Section } from './section.ts';
import { openStage, type Stage } from './stage.ts';
import { withVectorsAtHand } from './vectors-at-hand.ts';

const signal = new AbortController().signal;

/** A search over more and more chunks, beside a loop over the same vectors that does nothing else. */
export const search: Section = async ({ cleanUp, quick, say }) => {
  const stage = await openStage(cleanUp);
  const comparisons: Comparison[] = [];
  for (const chunks of quick ? [1_000] : [1_000, 10_000, 100_000]) {
    say(`Search: making ${chunks} chunks`);
    const model = stage.embedders.current().id;
    // As many vectors as the built-in model makes of a passage of 1,200 characters.
    const shape = { chunks, vectorsPerChunk: 3, vectors: 'anywhere' } as const;
    const { workspaceId } = await fillWorkspace(stage.database, model, shape);
    say(`Search: asking ${chunks} chunks`);
    comparisons.push(await measure(stage, workspaceId, chunks));
  }
  return comparisons;
};

async function measure(stage: Stage, workspaceId: string, chunks: number): Promise<Comparison> {
  const indexOnly = createRetrieval({ ...stage, embedders: withVectorsAtHand(stage.embedders, anyVector) });
  const whole = createRetrieval(stage);
  const ask = (retrieval: typeof whole) => async (number: number) => {
    await retrieval.search({ workspaceId, query: questionOf(number), limit: 6 }, signal);
  };
  const loading = await timesOf(1, ask(indexOnly));
  const scan = await bareScan(stage.database, workspaceId, dimensions);
  const [bare, ours] = await inTurn(200, (number) => scan(anyVector(number)), ask(indexOnly));
  const embedded = await timesOf(100, ask(whole));
  const row = (label: string, share: number): Result => {
    const baseline = percentile(bare, share);
    const value = percentile(ours, share);
    return { label, digits: 2, baseline, ours: value, ratio: value / baseline };
  };
  return {
    title: `Search among ${chunks.toLocaleString('en')} chunks, milliseconds, beside a bare scan of the vectors`,
    results: [
      row('p50, both legs', 0.5),
      { ...row('p95, both legs', 0.95), ...(chunks === 10_000 && { goal: { most: 50 } }) },
      row('p99, both legs', 0.99),
      {
        label: 'p50, with the built-in embedding of the question',
        digits: 2,
        ours: percentile(embedded, 0.5),
      },
      {
        label: 'p99, with the built-in embedding of the question',
        digits: 2,
        ours: percentile(embedded, 0.99),
      },
      { label: 'the first search, which loads the vectors', digits: 0, ours: loading[0] ?? Number.NaN },
    ],
  };
}

function anyVector(seed: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, at) =>
    Math.sin((seed + 1) * (at + 1) * 12.9898),
  );
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** A machine's speed drifts: the two alternate. Sorted. */
async function inTurn(
  times: number,
  one: (number: number) => Promise<void> | void,
  other: (number: number) => Promise<void> | void,
): Promise<[number[], number[]]> {
  const [left, right]: [number[], number[]] = [[], []];
  for (let number = 0; number < times; number += 1) {
    left.push(await timeOf(one, number));
    right.push(await timeOf(other, number));
  }
  const sorted = (list: number[]) => list.toSorted((first, second) => first - second);
  return [sorted(left), sorted(right)];
}

/** Sorted. */
async function timesOf(times: number, work: (number: number) => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  for (let number = 0; number < times; number += 1) taken.push(await timeOf(work, number));
  return taken.toSorted((first, second) => first - second);
}

async function timeOf(work: (number: number) => Promise<void> | void, number: number): Promise<number> {
  const started = performance.now();
  await work(number);
  return performance.now() - started;
}
