import { createConversations } from '../chat/create-conversations.ts';
import { type Spread, secondsPerTurn, tokensPerTurn } from '../support/generator/job.ts';
import { residentKilobytes } from '../support/process-figures.ts';
import { measureUse, type Parts, type ProcessorUse } from '../support/processor-use.ts';
import type { MeasuredProcess } from '../support/start-process.ts';
import type { Fleet, Stage } from './stage.ts';

export interface Readers {
  at: MeasuredProcess;
  /** Of each conversation. */
  count?: number;
  measureEvery?: number;
}

export interface FollowOptions {
  fleet: Fleet;
  conversations: number;
  readers: readonly Readers[];
  /** How many turns run at a time, all on the fleet's first node. */
  streams: number;
  /** How many turns each stream sends, one after the other, to its conversations round robin. */
  turns: number;
  parts: Parts;
  /** Its memory is read while the readers are connected. */
  memoryOf?: MeasuredProcess;
}

export interface FollowOutcome extends ProcessorUse {
  /** How many tokens the model wrote. */
  tokens: number;
  /** Milliseconds from the model's write of a token to its arrival at the sender of the message. */
  senderLag: Spread;
  /** The same at the readers; left out if none is measured. */
  lag?: Spread;
  statements: number;
  megabytes?: number;
}

/** Turns of 60 tokens, one every 20 ms, in new conversations with readers. */
export async function follow(
  { generators, postgres }: Stage,
  options: FollowOptions,
): Promise<FollowOutcome> {
  const { fleet, conversations: count, readers, streams, turns, parts } = options;
  const [sending, reading] = generators;
  const conversations = await createConversations(fleet, 'paced', count);
  const job = fleet.job('paced');
  for (const { at, count: each = 1, measureEvery } of readers) {
    await reading.run({
      kind: 'open-readers',
      url: at.url,
      headers: job.headers,
      paths: conversations.flatMap((id) =>
        Array.from({ length: each }, () => `/api/v1/chat/stream?conversation_id=${id}`),
      ),
      // With two processes behind one port, each then has one of the two readers.
      inOrder: each === 2,
      ...(measureEvery !== undefined && { measureEvery }),
    });
  }
  const { database } = fleet.connection;
  const before = await postgres.readTotals(database);
  const { outcome, ...use } = await measureUse(parts, () =>
    sending.run({
      ...job,
      body: { message: 'Where is my parcel?', external_user_id: 'customer-17' },
      conversations,
      streams,
      until: { turns: streams * turns },
      spreadMilliseconds: secondsPerTurn * 1000,
    }),
  );
  const after = await postgres.readTotals(database);
  const kilobytes = options.memoryOf && (await residentKilobytes(options.memoryOf.pid));
  const tokens = outcome.turns * tokensPerTurn;
  const measured = readers.reduce((sum, reader) => sum + measuredPerConversation(reader), 0);
  const lag =
    measured > 0 ? await reading.run({ kind: 'reader-lags', tokens: tokens * measured }) : undefined;
  const opened = count * readers.reduce((sum, { count: each = 1 }) => sum + each, 0);
  const stayed = await reading.run({ kind: 'close-readers' });
  if (stayed !== opened) throw new Error(`${opened - stayed} readers were cut off.`);
  if (!outcome.lag) throw new Error('The model does not say when it wrote a token.');
  return {
    ...use,
    tokens,
    senderLag: outcome.lag,
    ...(lag && { lag }),
    statements: after.statements - before.statements,
    ...(kilobytes !== undefined && { megabytes: kilobytes / 1024 }),
  };
}

function measuredPerConversation({ count = 1, measureEvery }: Readers): number {
  return measureEvery === undefined ? 0 : count / measureEvery;
}
