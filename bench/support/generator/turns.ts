import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TurnsJob, TurnsOutcome } from './job.ts';
import { spread } from './spread.ts';
import { type Message, runTurn, type Turn } from './turn.ts';

/** Several turns at once, each stream one after the other. */
export async function runTurns(job: TurnsJob): Promise<TurnsOutcome> {
  const { streams, until, spreadMilliseconds = 0 } = job;
  const turns: Turn[] = [];
  const started = performance.now();
  let begun = 0;
  let last = started;

  const isUnfinished = () =>
    'turns' in until ? begun < until.turns : performance.now() - started < until.seconds * 1000;

  async function runStream(index: number): Promise<void> {
    await delay((spreadMilliseconds * index) / streams);
    let ofStream = 0;
    while (isUnfinished()) {
      begun += 1;
      turns.push(await runTurn(messageOf(job, { number: begun, stream: index, ofStream })));
      ofStream += 1;
      last = performance.now();
    }
  }

  await Promise.all(Array.from({ length: streams }, (_, index) => runStream(index)));
  const lags = turns.flatMap((turn) => turn.lags);
  return {
    turns: turns.length,
    milliseconds: last - started,
    first: spread(turns.map((turn) => turn.first)),
    whole: spread(turns.map((turn) => turn.whole)),
    ...(lags.length > 0 && { lag: spread(lags) }),
  };
}

interface Position {
  /** Among all turns, and among those of its stream. */
  number: number;
  ofStream: number;
  stream: number;
}

function messageOf(job: TurnsJob, { number, stream, ofStream }: Position): Message {
  const { url, headers, endMark, newUsers, conversations, streams } = job;
  const urls = typeof url === 'string' ? [url] : url;
  const conversation = conversations?.[(stream + ofStream * streams) % conversations.length];
  return {
    url: urls[number % urls.length] ?? '',
    headers,
    endMark,
    body: {
      ...job.body,
      ...(newUsers && { external_user_id: randomUUID() }),
      ...(conversation !== undefined && { conversation_id: conversation }),
    },
  };
}
