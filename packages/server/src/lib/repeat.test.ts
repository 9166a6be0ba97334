import { pino } from 'pino';
import { expect, it } from 'vitest';
import { repeat } from './repeat.ts';

it('runs a round at once when asked, and once more if one is already running', async () => {
  const rounds: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => void rounds.push(resolve));
  const repetition = repeat({
    name: 'x',
    everyMilliseconds: 3_600_000,
    log: pino({ level: 'silent' }),
    work,
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  repetition.runNow();
  repetition.runNow();
  repetition.runNow();
  expect(rounds).toHaveLength(1);
  rounds[0]?.();
  await settle();
  expect(rounds).toHaveLength(2);
  repetition.runNow();
  const stopped = repetition.stop();
  repetition.runNow();
  rounds[1]?.();
  await stopped;
  await settle();
  expect(rounds).toHaveLength(2);
});
