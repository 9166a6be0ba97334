import { expect, it } from 'vitest';
import { createUploadQueue, type NewUpload } from './upload-queue.ts';

/** Files whose sending ends when the test says so. */
function stage() {
  const busy: boolean[] = [];
  const queue = createUploadQueue((isBusy) => busy.push(isBusy));
  const sent = new Map<string, { done: () => void; fail: () => void; progress: (share: number) => void }>();
  const file = (name: string, error?: string): NewUpload => ({
    workspaceId: 'w',
    name,
    error,
    send: (progress, signal) =>
      new Promise<void>((resolve, reject) => {
        sent.set(name, { done: resolve, fail: () => reject(new Error(`no ${name}`)), progress });
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    explain: (failure) => (failure as Error).message,
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  const shown = () => queue.list().map(({ name, progress, error }) => [name, progress, error]);
  return { queue, sent, file, settled, shown, busy };
}

it('sends two files at a time; one that fails or is refused does not stop the others', async () => {
  const { queue, sent, file, settled, shown, busy } = stage();
  queue.add([file('a'), file('x', 'too large'), file('b'), file('c')]);
  queue.add([file('d')]);
  expect([...sent.keys()]).toEqual(['a', 'b']);
  sent.get('a')?.fail();
  sent.get('b')?.progress(0.5);
  await settled();
  expect([...sent.keys()]).toEqual(['a', 'b', 'c']);
  expect(shown()).toEqual([
    ['a', 0, 'no a'],
    ['x', 0, 'too large'],
    ['b', 0.5, undefined],
    ['c', 0, undefined],
    ['d', 0, undefined],
  ]);
  for (const name of ['b', 'c']) sent.get(name)?.done();
  await settled();
  sent.get('d')?.done();
  await settled();
  expect(shown()).toEqual([
    ['a', 0, 'no a'],
    ['x', 0, 'too large'],
  ]);
  expect(busy.at(-1)).toBe(false);
});

it('cancels a file, on its way or waiting', async () => {
  const { queue, sent, file, settled, shown, busy } = stage();
  queue.add([file('a'), file('b'), file('c')]);
  const keyOf = (name: string) => queue.list().find((one) => one.name === name)?.key ?? '';
  queue.remove(keyOf('c'));
  queue.remove(keyOf('a'));
  await settled();
  expect([...sent.keys()]).toEqual(['a', 'b']);
  expect(shown()).toEqual([['b', 0, undefined]]);
  expect(busy.at(-1)).toBe(true);
  sent.get('b')?.done();
  await settled();
  expect(busy.at(-1)).toBe(false);
});
