import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionFailure, isDeadlock, type Transaction } from '../../database/database.ts';
import { type NewEvent, numbered } from '../../events/event.ts';
import { parseUsd } from '../../lib/money.ts';
import { LeaseLost, logIds, type TurnLease } from '../run/lease.ts';
import { costOfAll } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import type { StepChanges, TraceEntry } from './step-changes.ts';

export interface StepToWrite extends StepChanges {
  /** More writes in the same transaction; the events that it returns come before the step's own. */
  within?: (tx: Transaction) => Promise<NewEvent[] | undefined>;
  /** Writes that need what the step wrote; skipped if the lease was lost. */
  afterwards?: (tx: Transaction) => Promise<void>;
  /** Called after the commit, just before the events are published. */
  beforePublish?: () => void;
}

/**
 * Writes a step and publishes its events. Waits while the database is away, because the reply was paid for. Throws LeaseLost if
 * another node has the turn. Returns the number of the first of the step's own events.
 */
export async function writeStep(
  lease: TurnLease,
  dependencies: Pick<TurnDependencies, 'database' | 'feed' | 'billing' | 'traces' | 'log'>,
  { beforePublish, ...write }: StepToWrite,
): Promise<number> {
  const trace = await cleanTrace(lease, dependencies, write.trace);
  const usage = write.usage.filter(({ isPaid }) => !isPaid);
  const { first, events } = await writePatiently(lease, dependencies, { ...write, trace, usage });
  beforePublish?.();
  const published = numbered(events, first, lease.turnId);
  dependencies.feed.publish(lease.conversationId, published, lease.workspaceId);
  return first + events.length - write.events.length;
}

/** Done here, so that no step can be traced with a secret or without limits. */
async function cleanTrace(
  lease: TurnLease,
  { traces, log }: Pick<TurnDependencies, 'traces' | 'log'>,
  entries: TraceEntry[],
): Promise<TraceEntry[]> {
  return entries.length === 0 ? [] : patiently(lease, log, () => traces.clean(lease, entries));
}

interface Written {
  first: number;
  events: readonly NewEvent[];
}

/** Retries while the database is away, and after a deadlock. The work must be repeatable. */
export async function patiently<Result>(
  lease: Pick<TurnLease, 'turnId' | 'options'>,
  log: TurnDependencies['log'],
  work: (attempt: number) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isConnectionFailure(error) && !isDeadlock(error)) throw error;
      log.warn({ err: error, ...logIds(lease) }, 'A turn waits for the database.');
      await sleep(Math.min(100 * 2 ** attempt, 2_000));
    }
  }
}

function writePatiently(
  lease: TurnLease,
  dependencies: Pick<TurnDependencies, 'database' | 'billing' | 'log'>,
  write: Omit<StepToWrite, 'beforePublish'>,
): Promise<Written> {
  const { database, log } = dependencies;
  return patiently(lease, log, async (attempt) => {
    const written = await writeOnce(lease, dependencies, write);
    if (written) return written;
    // An earlier attempt may have been stored although its answer was lost.
    const first =
      attempt > 0 ? await turnStore.findWritten(database.within(lease.workspaceId), lease, write) : undefined;
    if (first !== undefined) return { first, events: write.events };
    throw new LeaseLost();
  });
}

/** Without money to settle or more to write, the statement is a transaction of its own. */
async function writeOnce(
  lease: TurnLease,
  { database, billing }: Pick<TurnDependencies, 'database' | 'billing'>,
  { within, afterwards, ...write }: Omit<StepToWrite, 'beforePublish'>,
): Promise<Written | undefined> {
  if (!lease.isMetered && !within && !afterwards) {
    const first = await turnStore.writeStep(database.acrossWorkspaces, lease, write);
    return first === undefined ? undefined : { first, events: write.events };
  }
  const writeAll = async (tx: Transaction): Promise<Written> => {
    const before = (await within?.(tx)) ?? [];
    const events = [...before, ...write.events];
    const messages = write.messages.map(({ message, event }) => ({ message, event: event + before.length }));
    const first = await turnStore.writeStep(tx, lease, { ...write, events, messages });
    // Rolls back what `within` wrote.
    if (first === undefined) throw new LeaseLost();
    await afterwards?.(tx);
    if (lease.isMetered) await settle(tx, lease, billing, write);
    return { first, events };
  };
  try {
    return await database.within(lease.workspaceId).transaction(writeAll);
  } catch (error) {
    if (error instanceof LeaseLost) return undefined;
    throw error;
  }
}

/** Charges what was spent, and releases what was reserved on the turn. */
export async function settle(
  tx: Transaction,
  lease: TurnLease,
  billing: TurnDependencies['billing'],
  { usage }: Pick<StepChanges, 'usage'>,
): Promise<void> {
  const reserved = parseUsd(await turnStore.clearReservation(tx, lease));
  await billing.settle(tx, lease.workspaceId, reserved, costOfAll(usage));
}
