import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { arriveWithin } from './arrive-within.ts';

it('hands on what arrives in time', async () => {
  const source = new PassThrough();
  const read = buffer(arriveWithin(source, 600_000));
  source.write('one ');
  source.end('two');
  expect((await read).toString()).toBe('one two');
});

it('fails when it takes too long, and leaves the source open', async () => {
  const source = new PassThrough();
  source.write('one ');
  await expect(buffer(arriveWithin(source, 10))).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  expect(source.destroyed).toBe(false);
});

it('fails with its source', async () => {
  const source = new PassThrough();
  const read = buffer(arriveWithin(source, 600_000));
  source.destroy(new Error('gone'));
  await expect(read).rejects.toThrow('gone');
});

it.each([
  ['it takes too long', () => undefined],
  ['its source fails', (source: PassThrough) => source.destroy(new Error('gone'))],
])('does no harm when it is not read and %s', async (_what, happen) => {
  const source = new PassThrough();
  const arriving = arriveWithin(source, 10);
  const closed = new Promise<void>((resolve) => {
    arriving.once('close', resolve);
  });
  happen(source);
  await closed;
  expect(arriving.destroyed).toBe(true);
});
