import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Retention,
  type RetentionKind,
  type RetentionPreview,
  type RetentionProposal,
  type RetentionUpdate,
  retentionKinds,
  usualAuditDays,
} from '@svc/contract/retention';
import { recordChange } from '../audit/audit.service.ts';
import type { Queryable } from '../database/database.ts';
import type { Services } from '../services.ts';
import { cutoffOf } from './expired-rows.store.ts';
import { type RetentionDays, type RetentionRow, retentionStore } from './retention.store.ts';
import { createRetentionBatches, ruleOf } from './retention-batches.ts';

export type RetentionService = ReturnType<typeof createRetentionService>;

/** A preview looks at this many rows of a kind at most. */
const maxCounted = 10_000;
/** Workspaces whose batches take turns. */
const pageSize = 50;
/** When a workspace in which a batch failed is tried again. */
const retryMilliseconds = 600_000;

const usualDays: RetentionDays = {
  conversationsDays: null,
  tracesDays: null,
  eventsDays: null,
  recordingsDays: null,
  auditDays: usualAuditDays,
};

/** How long a workspace keeps what happens in it. */
export function createRetentionService(
  dependencies: Pick<Services, 'clock' | 'database' | 'erasure' | 'log'> & Partial<Pick<Services, 'meters'>>,
) {
  const { database, clock, log } = dependencies;
  const deleteNext = createRetentionBatches(dependencies);
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;

  /** One batch of each workspace. False if none had anything to do. */
  async function deleteInTurn(workspaceIds: readonly string[]): Promise<boolean> {
    let isAnyDone = false;
    for (const workspaceId of workspaceIds) {
      if (isStopping()) return false;
      const startedAt = performance.now();
      try {
        isAnyDone = (await deleteNext(workspaceId)) || isAnyDone;
      } catch (error) {
        log.warn(
          { err: error, workspace_id: workspaceId },
          'Old data of a workspace could not be deleted; it is tried again later.',
        );
        const dueAt = new Date(clock.now().getTime() + retryMilliseconds);
        await retentionStore.update(database.within(workspaceId), workspaceId, { dueAt });
      }
      await pause(performance.now() - startedAt);
    }
    return isAnyDone;
  }

  /** The database has as long for others as a batch took. */
  async function pause(milliseconds: number): Promise<void> {
    try {
      await sleep(milliseconds, undefined, { signal: stopping.signal });
    } catch (error) {
      if (!isStopping()) throw error;
    }
  }

  return {
    async get(workspaceId: string): Promise<Retention> {
      return toWire(await retentionStore.find(database.within(workspaceId), workspaceId));
    },

    /** The next batches obey it, those of a round in progress too. */
    replace(workspaceId: string, update: RetentionUpdate): Promise<Retention> {
      return database.within(workspaceId).transaction(async (tx) => {
        await retentionStore.addMissing(tx, workspaceId, clock.now());
        const before = await retentionStore.lock(tx, workspaceId);
        await retentionStore.update(tx, workspaceId, { ...toDays(update), dueAt: clock.now() });
        await recordChange(tx, workspaceId, {
          action: 'retention.updated',
          object: { id: workspaceId },
          before: toWireDays(before ?? usualDays),
          after: update,
        });
        return toWire(await retentionStore.find(tx, workspaceId));
      });
    },

    /** What a round with these settings would delete if it began now. */
    async preview(workspaceId: string, proposal: RetentionProposal): Promise<RetentionPreview> {
      const query = database.within(workspaceId);
      const stored = toWireDays((await retentionStore.find(query, workspaceId)) ?? usualDays);
      const days = toDays({ ...stored, ...proposal });
      const now = clock.now();
      const kinds: RetentionPreview['kinds'] = [];
      for (const kind of retentionKinds)
        kinds.push(await previewKind(query, workspaceId, kind, { days, now }));
      return { kinds };
    },

    /** Deletes what is due in each workspace, in turn and a batch at a time, until nothing is left or `stop` is called. */
    async round(): Promise<void> {
      const across = database.acrossWorkspaces;
      await retentionStore.addMissingAcrossWorkspaces(across, clock.now());
      for (let isAnyDone = true; isAnyDone && !isStopping(); )
        isAnyDone = await deleteInTurn(
          await retentionStore.listDueAcrossWorkspaces(across, clock.now(), pageSize),
        );
    },

    /** Begins no further batch. */
    stop(): void {
      stopping.abort();
    },
  };
}

async function previewKind(
  query: Queryable,
  workspaceId: string,
  kind: RetentionKind,
  given: { days: RetentionDays; now: Date },
): Promise<RetentionPreview['kinds'][number]> {
  const days = given.days[`${kind}Days`];
  const rule = await ruleOf(query, workspaceId, kind, given);
  if (!rule) {
    const oldest = await retentionStore.findOldest(query, workspaceId, kind);
    return { kind, days, deleted: 0, is_at_least: false, oldest_kept: toTime(oldest) };
  }
  const { deleted, isAtLeast, oldestKept } = await retentionStore.count(query, workspaceId, rule, maxCounted);
  // Beyond those that were counted, older ones may stay.
  const next =
    oldestKept === null && !isAtLeast
      ? await retentionStore.findOldest(query, workspaceId, kind, cutoffOf(rule))
      : oldestKept;
  return { kind, days, deleted, is_at_least: isAtLeast, oldest_kept: toTime(next) };
}

function toTime(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString();
}

function toDays(days: RetentionUpdate): RetentionDays {
  return {
    conversationsDays: days.conversations_days,
    tracesDays: days.traces_days,
    eventsDays: days.events_days,
    recordingsDays: days.recordings_days,
    auditDays: days.audit_days,
  };
}

function toWireDays(days: RetentionDays): RetentionUpdate {
  return {
    conversations_days: days.conversationsDays,
    traces_days: days.tracesDays,
    events_days: days.eventsDays,
    recordings_days: days.recordingsDays,
    audit_days: days.auditDays,
  };
}

function toWire(row: RetentionRow | undefined): Retention {
  return { ...toWireDays(row ?? usualDays), last_round: row?.lastRound ?? null };
}
