import type { Database } from '../database/database.ts';
import { createGrowingLru } from '../lib/growing-lru.ts';
import type { Log } from '../lib/log.ts';
import { newId } from '../lib/new-id.ts';
import { oneAtATime } from '../lib/one-at-a-time.ts';
import { waitAtMost } from '../lib/wait-at-most.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { nodeCommandStore, type SentCommand } from './node-commands.store.ts';

export { commandsChannel } from './node-commands.store.ts';

/** A kind of commands, with what they say and what a node answers that has carried one out. */
export interface CommandKind<Content extends object, Outcome = undefined> {
  /** Nodes of other releases use it too, so it never changes. */
  readonly name: string;
  /** Never set: for the compiler. */
  readonly types?: { content: Content; outcome: Outcome };
}

export const otherNodes = Symbol('all other nodes');

/**
 * How nodes tell each other to do something, with Redis and without: a command is a row that its recipient deletes. Those of one
 * node to another arrive once and in their order, as soon as the database has them, unless the node is lost or PostgreSQL crashes.
 */
export interface NodeCommands {
  /** Carries out commands of this kind from now on, until the returned function is called. Those without a handler are dropped. */
  handle<Content extends object, Outcome>(
    kind: CommandKind<Content, Outcome>,
    work: (content: Content, from: string) => Promise<Outcome> | Outcome,
  ): () => void;
  send<Content extends object>(
    kind: CommandKind<Content, unknown>,
    to: string | typeof otherNodes,
    content: Content,
    options?: { isDispensable?: boolean; traceParent?: string | undefined },
  ): void;
  /** What the node answers; undefined if it is gone, has failed or takes too long. It may carry out the command even so. */
  ask<Content extends object, Outcome>(
    kind: CommandKind<Content, Outcome>,
    to: string,
    content: Content,
    withinMs: number,
  ): Promise<Outcome | undefined>;
  /** Takes what has arrived, in the background. */
  collect(): void;
  /** Periodically: removes what is for nodes that are lost. */
  removeLeft(): Promise<void>;
  /** Sends what is queued, if the database accepts it, and takes no more. */
  close(): Promise<void>;
}

interface Command {
  /** Unset in commands of the previous release. */
  id?: string;
  kind: string;
  from: string;
  /** Of commands that are to be answered. */
  askId?: string;
  /** Of commands that belong to a trace. */
  traceParent?: string;
}

const outcomeKind: CommandKind<{ answerTo: string; outcome: unknown }> = { name: 'outcome' };

/** A command has up to 8 MB, which is what machines may send: few of them at a time are held in memory. */
const batchSize = 16;
/** While the database is away, this much is kept for it, and less of what is dispensable. */
const maxQueuedCharacters = 32_000_000;
const maxQueuedBeforeDispensable = 1_000_000;
const retryMs = 1_000;
const maxKnown = 10_000;

export interface NodeCommandsDependencies {
  database: Database;
  log: Log;
  telemetry?: Pick<Telemetry, 'nodeCommand'>;
}

export function createNodeCommands(
  { database, log, telemetry = noTelemetry }: NodeCommandsDependencies,
  nodeId: string,
): NodeCommands {
  const handlers = new Map<string, (content: never, from: string) => unknown>();
  const asked = new Map<string, (outcome: unknown) => void>();
  /** Commands are stored or listed again if the answer of the database was lost. */
  const known = createGrowingLru<true, string | number>(maxKnown);
  let queue: SentCommand[] = [];
  let queuedCharacters = 0;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const sending = oneAtATime('commands to other nodes', log, () =>
    orTryAgain(async () => {
      while (queue.length > 0) await sendBatch();
    }),
  );

  const collecting = oneAtATime('commands of other nodes', log, () =>
    orTryAgain(async () => {
      while (!isClosed && (await takeBatch()));
    }),
  );

  async function orTryAgain(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isClosed) retry ??= setTimeout(tryAgain, retryMs).unref();
      throw error;
    }
  }

  function tryAgain(): void {
    retry = undefined;
    sending.run();
    collecting.run();
  }

  async function sendBatch(): Promise<void> {
    const batch = queue.slice(0, batchSize);
    await nodeCommandStore.addAcrossWorkspaces(database.acrossWorkspaces, nodeId, batch);
    queue = queue.slice(batch.length);
    queuedCharacters -= batch.reduce((sum, { payload }) => sum + payload.length, 0);
  }

  /** Whether there may be more. */
  async function takeBatch(): Promise<boolean> {
    const rows = await nodeCommandStore.listAcrossWorkspaces(database.acrossWorkspaces, nodeId, batchSize);
    if (rows.length === 0) return false;
    for (const row of rows) {
      const { id = row.id, ...command } = row.payload as Command;
      if (!known.has(id)) void carryOut(command);
      known.set(id, true);
    }
    const ids = rows.map(({ id }) => id);
    await nodeCommandStore.deleteAcrossWorkspaces(database.acrossWorkspaces, ids);
    return rows.length === batchSize;
  }

  async function carryOut({
    kind,
    from,
    askId,
    traceParent,
    ...content
  }: Omit<Command, 'id'>): Promise<void> {
    const handle = async () => handlers.get(kind)?.(content as never, from);
    try {
      const outcome = await (traceParent ? telemetry.nodeCommand(kind, traceParent, handle) : handle());
      if (askId !== undefined && outcome !== undefined) send(outcomeKind, from, { answerTo: askId, outcome });
    } catch (error) {
      log.error({ err: error, kind, from }, 'A command of another node failed.');
    }
  }

  const send: NodeCommands['send'] = (kind, to, content, { isDispensable = false, traceParent } = {}) => {
    // Releases before this one read a frame in every command, and pass over an empty one.
    const envelope = { id: newId(), kind: kind.name, from: nodeId, traceParent };
    const payload = JSON.stringify({ frame: {}, ...content, ...envelope });
    const limit = isDispensable ? maxQueuedBeforeDispensable : maxQueuedCharacters;
    if (queuedCharacters + payload.length > limit) {
      if (!isDispensable)
        log.warn(
          { kind: kind.name },
          'Too much waits for the database: a command to another node was dropped.',
        );
      return;
    }
    queue.push({ toNode: to === otherNodes ? null : to, payload });
    queuedCharacters += payload.length;
    sending.run();
  };

  handlers.set(outcomeKind.name, ({ answerTo, outcome }: { answerTo: string; outcome: unknown }) =>
    asked.get(answerTo)?.(outcome),
  );

  return {
    handle({ name }, work) {
      handlers.set(name, work);
      return () => void handlers.delete(name);
    },
    send,
    async ask<Outcome>(kind: CommandKind<object, Outcome>, to: string, content: object, withinMs: number) {
      const askId = newId();
      const { promise, resolve } = Promise.withResolvers<unknown>();
      asked.set(askId, resolve);
      send(kind, to, { ...content, askId });
      const isAnswered = await waitAtMost(withinMs, promise);
      asked.delete(askId);
      return isAnswered ? ((await promise) as Outcome) : undefined;
    },
    collect: collecting.run,
    removeLeft: () => nodeCommandStore.deleteLeftAcrossWorkspaces(database.acrossWorkspaces),
    async close() {
      isClosed = true;
      clearTimeout(retry);
      if (queue.length > 0) sending.run();
      await Promise.all([sending.idle(), collecting.idle()]);
    },
  };
}
