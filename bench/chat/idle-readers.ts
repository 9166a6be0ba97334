import { setTimeout as delay } from 'node:timers/promises';
import { residentKilobytes } from '../support/process-figures.ts';
import { createConversations } from './create-conversations.ts';
import type { Section } from './section.ts';
import { type Contender, onStage, type Stage } from './stage.ts';

/** Long enough for a heartbeat to every reader, which comes every 15 seconds. */
const restMilliseconds = 20_000;
const warmUpTurns = 200;

/** What an idle reader costs. */
export const idleReaders: Section = ({ quick, say }) =>
  onStage(async (stage) => {
    const { baseline, ours } = stage;
    const count = quick ? 1_000 : 10_000;
    const rest = quick ? 3_000 : restMilliseconds;
    const ids = await createConversations(ours, 'at-once', count);
    const ourPaths = ids.map((id) => `/api/v1/chat/stream?conversation_id=${id}`);
    const left = await perReader(
      stage,
      baseline,
      ids.map(() => '/stream'),
      rest,
    );
    say(`Idle readers: the relay's ${count} were measured`);
    const right = await perReader(stage, ours, ourPaths, rest);
    return [
      {
        title: `${count} idle readers, each of a conversation of its own`,
        results: [
          {
            label: 'KB/reader',
            digits: 1,
            baseline: left,
            ours: right,
            ratio: right / left,
            goal: { most: 25 },
          },
        ],
      },
    ];
  });

async function perReader(stage: Stage, contender: Contender, paths: string[], rest: number): Promise<number> {
  const { generators } = stage;
  const { headers, ...job } = contender.job('at-once');
  const open = (list: string[]) => {
    const half = Math.ceil(list.length / 2);
    const halves = [list.slice(0, half), list.slice(half)];
    return Promise.all(
      generators.map((generator, index) =>
        generator.run({ kind: 'open-readers', url: contender.url, headers, paths: halves[index] ?? [] }),
      ),
    );
  };
  const close = () => Promise.all(generators.map((generator) => generator.run({ kind: 'close-readers' })));
  await generators[0].run({ ...job, headers, streams: 16, until: { turns: warmUpTurns } });
  await open(paths.slice(0, 200));
  await close();
  await delay(rest);
  const before = (await residentKilobytes(contender.pid)) ?? Number.NaN;
  await open(paths);
  await delay(rest);
  const after = (await residentKilobytes(contender.pid)) ?? Number.NaN;
  const stayed = (await close()).reduce((sum, number) => sum + number, 0);
  if (stayed !== paths.length) throw new Error(`${paths.length - stayed} readers were cut off.`);
  return (after - before) / paths.length;
}
