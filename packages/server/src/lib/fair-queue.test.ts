import { describe, expect, it } from 'vitest';
import { createFairQueue, type FairQueueOptions, TooManyWaiting, type WaitingLimits } from './fair-queue.ts';

const forEver = new AbortController().signal;

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Starts work that ends on demand, and records the order of the starts. */
function stage(options: FairQueueOptions) {
  const queue = createFairQueue(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    ask(name: string, signal = forEver, limits?: WaitingLimits): Promise<void> {
      const [group = ''] = name.split(' ');
      const work = () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      };
      return queue.run(group, signal, work, limits);
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await settled();
    },
  };
}

describe('a fair queue', () => {
  it('starts the group with the fewest running first, and each group in order', async () => {
    const { ask, begun, end } = stage({ concurrency: 2 });
    for (const name of ['a 1', 'a 2', 'a 3', 'a 4', 'b 1', 'b 2', 'c 1']) void ask(name);
    await settled();
    expect(begun).toEqual(['a 1', 'a 2']);
    for (const name of ['a 1', 'a 2', 'b 1', 'c 1', 'a 3']) await end(name);
    expect(begun).toEqual(['a 1', 'a 2', 'b 1', 'a 3', 'c 1', 'b 2', 'a 4']);
  });

  it('keeps room free for other groups', async () => {
    const { ask, begun, end } = stage({ concurrency: 3, perGroup: 2 });
    for (const name of ['a 1', 'a 2', 'a 3', 'a 4']) void ask(name);
    await settled();
    expect(begun).toEqual(['a 1', 'a 2']);
    void ask('b 1');
    await settled();
    expect(begun).toEqual(['a 1', 'a 2', 'b 1']);
    await end('b 1');
    expect(begun).toHaveLength(3);
    await end('a 2');
    expect(begun.at(-1)).toBe('a 3');
  });

  it('refuses to let too many wait, per group and in total', async () => {
    const { ask, begun, end } = stage({ concurrency: 1 });
    const most = { perGroup: 2, total: 3 };
    const limited = (name: string) => ask(name, forEver, most);
    for (const name of ['a 1', 'a 2', 'a 3']) void limited(name);
    await expect(limited('a 4')).rejects.toThrow(TooManyWaiting);
    void limited('b 1');
    await expect(limited('b 2')).rejects.toThrow(TooManyWaiting);
    // Neither the first of a group nor one without a limit is refused because of other groups.
    void limited('c 1');
    void ask('a 5');
    for (const name of ['a 1', 'a 2', 'b 1', 'c 1']) await end(name);
    expect(begun).toEqual(['a 1', 'a 2', 'b 1', 'c 1', 'a 3']);
    void limited('a 6');
    for (const name of ['a 3', 'a 5']) await end(name);
    expect(begun.slice(-2)).toEqual(['a 5', 'a 6']);
  });

  it('forgets callers that gave up, and continues after work that failed', async () => {
    const { ask, begun, end } = stage({ concurrency: 1 });
    const giving = new AbortController();
    void ask('a 1');
    const gaveUp = ask('b 1', giving.signal);
    void ask('b 2');
    giving.abort(new Error('enough'));
    await expect(gaveUp).rejects.toThrow('enough');
    await end('a 1');
    expect(begun).toEqual(['a 1', 'b 2']);

    const queue = createFairQueue({ concurrency: 1 });
    await expect(queue.run('a', forEver, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run('b', forEver, async () => 'yes')).toBe('yes');
  });
});
