import { describe, expect, it } from 'vitest';
import { createFairTurns, type FairTurnsOptions, type MostWaiting, TooManyWaiting } from './fair-turns.ts';

const forEver = new AbortController().signal;

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Starts work that ends when it is told to, and remembers in which order it began. */
function stage(options: FairTurnsOptions) {
  const turns = createFairTurns(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    ask(name: string, signal = forEver, mostWaiting?: MostWaiting): Promise<void> {
      const [group = ''] = name.split(' ');
      const work = () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      };
      return turns.run(group, signal, work, mostWaiting);
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      await settled();
    },
  };
}

describe('fair turns', () => {
  it('let in who has least, and each group in the order in which it asked', async () => {
    const { ask, begun, end } = stage({ atOnce: 2 });
    for (const name of ['a 1', 'a 2', 'a 3', 'a 4', 'b 1', 'b 2', 'c 1']) void ask(name);
    await settled();
    expect(begun).toEqual(['a 1', 'a 2']);
    for (const name of ['a 1', 'a 2', 'b 1', 'c 1', 'a 3']) await end(name);
    expect(begun).toEqual(['a 1', 'a 2', 'b 1', 'a 3', 'c 1', 'b 2', 'a 4']);
  });

  it('keep places free for others', async () => {
    const { ask, begun, end } = stage({ atOnce: 3, perGroup: 2 });
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

  it('refuse those who would wait behind too many, of their own or of all', async () => {
    const { ask, begun, end } = stage({ atOnce: 1 });
    const most = { perGroup: 2, inAll: 3 };
    const limited = (name: string) => ask(name, forEver, most);
    for (const name of ['a 1', 'a 2', 'a 3']) void limited(name);
    await expect(limited('a 4')).rejects.toThrow(TooManyWaiting);
    void limited('b 1');
    await expect(limited('b 2')).rejects.toThrow(TooManyWaiting);
    // Neither the first of a group nor one without a limit is refused over what others ask for.
    void limited('c 1');
    void ask('a 5');
    for (const name of ['a 1', 'a 2', 'b 1', 'c 1']) await end(name);
    expect(begun).toEqual(['a 1', 'a 2', 'b 1', 'c 1', 'a 3']);
    void limited('a 6');
    for (const name of ['a 3', 'a 5']) await end(name);
    expect(begun.slice(-2)).toEqual(['a 5', 'a 6']);
  });

  it('forget who gave up, and give back the place of work that failed', async () => {
    const { ask, begun, end } = stage({ atOnce: 1 });
    const giving = new AbortController();
    void ask('a 1');
    const gaveUp = ask('b 1', giving.signal);
    void ask('b 2');
    giving.abort(new Error('enough'));
    await expect(gaveUp).rejects.toThrow('enough');
    await end('a 1');
    expect(begun).toEqual(['a 1', 'b 2']);

    const turns = createFairTurns({ atOnce: 1 });
    await expect(turns.run('a', forEver, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await turns.run('b', forEver, async () => 'yes')).toBe('yes');
  });
});
