import type { Approval, ApprovalAnswer, ApprovalContext, ApprovalResponse } from '@svc/contract/approvals';
import { AppError, notFound } from '../app-error.ts';
import type { BotService } from '../bots/service.ts';
import type { Clock } from '../clock.ts';
import type { ConversationService } from '../conversations/service.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { lockEncryptionKey } from '../database/key-lock.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { EventBus } from '../events/bus.ts';
import { type NewEvent, numbered, type StreamEvent } from '../events/event.ts';
import { eventLog } from '../events/log.ts';
import type { RecordAnswer } from '../idempotency/service.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Fingerprint, ToolService } from '../tools/service.ts';
import { checkAnswer, expiry, resolutionOf } from './answer.ts';
import { type ExpiryReason, expiryReasons } from './expiry-reasons.ts';
import { createFingerprints } from './fingerprints.ts';
import { type ApprovalRow, approvalStore, type Resolution } from './store.ts';
import { toWire } from './wire.ts';

export { type ExpiryReason, expiryReasons, isToolChange } from './expiry-reasons.ts';
export { type KeptFingerprint, resealFingerprints } from './fingerprints.ts';
export type { ApprovalRow } from './store.ts';

/** A call that needs a person's word. */
export interface ApprovalRequest {
  id: string;
  toolCallId: string;
  toolType: string;
  toolName: string;
  arguments: Record<string, unknown>;
  argumentsSchema: Record<string, unknown>;
  context: ApprovalContext;
  /** What is approved besides the arguments; undefined when the tool is gone already. */
  fingerprint: Fingerprint | undefined;
  expiresAt: Date;
}

export interface TurnPlace {
  workspaceId: string;
  conversationId: string;
  turnId: string;
  botId: string;
}

type BotPlace = Pick<TurnPlace, 'workspaceId' | 'botId'>;

/** Filled in by the turns feature, which stands above this one. */
export interface TurnGate {
  /** Lets a paused turn go on, in the caller's transaction. What it returns is done after the commit. */
  resume(tx: Transaction, place: TurnPlace): Promise<{ events: StreamEvent[]; start(): void }>;
}

/** Tells people outside, later and in the background. */
export interface ApprovalAnnouncer {
  /** Takes note in the caller's transaction: who is told, is told only of what was really asked. */
  announce(tx: Transaction, place: TurnPlace, approvalIds: readonly string[]): Promise<void>;
}

export interface ApprovalDependencies {
  database: Database;
  bus: EventBus;
  conversations: Pick<ConversationService, 'getRow' | 'findLastUserMessage'>;
  bots: Pick<BotService, 'getRow'>;
  tools: Pick<ToolService, 'isUnchanged'>;
  box: Pick<SecretBox, 'seal' | 'open'>;
  gate: TurnGate;
  notices: ApprovalAnnouncer;
  clock: Clock;
}

export type ApprovalService = ReturnType<typeof createApprovalService>;

const expiredAtOnce = 100;
const keyMissing =
  'This node lacks the encryption key of this request, so it cannot approve it. Try again soon, or deny it.';

export function createApprovalService(dependencies: ApprovalDependencies) {
  const { database, bus, conversations, bots, tools, gate, notices, clock } = dependencies;
  const fingerprints = createFingerprints(dependencies.box);
  return {
    async *listPending(workspaceId: string, conversationId: string | undefined): ListPages<Approval> {
      if (conversationId !== undefined) await conversations.getRow(workspaceId, conversationId);
      return yield* inPages(
        (after) => approvalStore.listPendingPage(database.query, workspaceId, conversationId, after),
        (rows) => rows.map(toWire),
      );
    },

    /** How many a conversation waits for. */
    async countPending(workspaceId: string, conversationId: string): Promise<number> {
      await conversations.getRow(workspaceId, conversationId);
      return approvalStore.countPending(database.query, workspaceId, { conversationId });
    },

    listOfTurn(workspaceId: string, turnId: string): Promise<ApprovalRow[]> {
      return approvalStore.listOfTurn(database.query, workspaceId, turnId);
    },

    /** What a call was approved as. */
    fingerprintOf: fingerprints.open,

    /** Stores the requests in the caller's transaction and returns the events that announce them. */
    async request(tx: Transaction, place: TurnPlace, requests: ApprovalRequest[]): Promise<NewEvent[]> {
      const { workspaceId, conversationId, turnId, botId } = place;
      await lockEncryptionKey(tx);
      const rows = requests.map(({ fingerprint, ...request }) => ({
        ...request,
        fingerprint: fingerprint ? fingerprints.seal({ id: request.id, workspaceId }, fingerprint) : null,
        conversationId,
        turnId,
        botId,
        createdAt: clock.now(),
      }));
      await approvalStore.insert(tx, workspaceId, rows);
      await notices.announce(
        tx,
        place,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => ({
        type: 'approval.requested',
        data: { approval: toWire({ ...row, ...unanswered, workspaceId }) },
      }));
    },

    /**
     * One answer counts; the turn goes on when its last approval has one. Throws ALREADY_RESOLVED for what was answered before,
     * and for what holds no longer: that becomes `expired` there and then, so that nobody waits for the next sweep.
     */
    async respond(
      workspaceId: string,
      approvalId: string,
      response: ApprovalResponse,
      by: string,
      record: RecordAnswer<ApprovalAnswer>,
    ): Promise<ApprovalAnswer> {
      const asked = await approvalStore.find(database.query, workspaceId, approvalId);
      if (!asked) throw notFound();
      if (asked.status !== 'pending') throw alreadyResolved(asked);
      // One moment for all of it: what was in time when it was checked is so when it is written.
      const now = clock.now();
      if (asked.expiresAt > now) await checkAnswer(asked, response);
      const outcome = await database.transaction(async (tx) => {
        const row = await approvalStore.lock(tx, workspaceId, approvalId);
        if (!row) throw notFound();
        if (row.status !== 'pending') throw alreadyResolved(row);
        const problem = await whyItHoldsNoLonger(tx, row, response, now);
        const resolution = problem ? expiry(problem, now) : resolutionOf(response, by, now);
        const done = await resolveIn(tx, row, resolution);
        // An answer that came too late is an error, and those are not kept.
        if (!problem) await record(tx, { id: row.id, status: resolution.status });
        return done;
      });
      const resolved = outcome();
      if (resolved.status === 'expired') throw alreadyResolved(resolved);
      return { id: resolved.id, status: resolved.status };
    },

    /** What nobody answered in time counts as denied. */
    async expire(): Promise<void> {
      const expired = await approvalStore.listExpiredAcrossWorkspaces(
        database.query,
        clock.now(),
        expiredAtOnce,
      );
      for (const row of expired) {
        const outcome = await database.transaction(async (tx) => {
          const held = await approvalStore.lock(tx, row.workspaceId, row.id);
          if (held?.status !== 'pending') return undefined;
          return resolveIn(tx, held, expiry(expiryReasons.late, clock.now()));
        });
        outcome?.();
      }
    },

    /** Withdraws what a turn still asks, in the caller's transaction; returns the events that say so. */
    async withdrawOfTurn(
      tx: Transaction,
      workspaceId: string,
      turnId: string,
      status: 'cancelled' | 'expired',
    ): Promise<NewEvent[]> {
      const ids = (await approvalStore.listOfTurn(tx, workspaceId, turnId)).map((row) => row.id);
      if (ids.length === 0) return [];
      const now = clock.now();
      const cancelled: Resolution = { ...unanswered, status: 'cancelled', resolvedAt: now };
      const resolution = status === 'expired' ? expiry(expiryReasons.overdue, now) : cancelled;
      return resolvedEvents(await approvalStore.resolve(tx, workspaceId, ids, resolution));
    },

    /** Why an approved call may not run; undefined when its tool is still the bot's and configured as it was. */
    toolProblem: (place: BotPlace, fingerprint: Fingerprint | 'none'): Promise<ExpiryReason | undefined> =>
      toolProblem(database.query, place, fingerprint),

    /** Takes back what was approved, in the caller's transaction; returns the events. */
    async revoke(
      tx: Transaction,
      workspaceId: string,
      ids: string[],
      reason: ExpiryReason,
    ): Promise<NewEvent[]> {
      const resolution = expiry(reason, clock.now());
      return resolvedEvents(await approvalStore.revoke(tx, workspaceId, ids, resolution));
    },

    /** What a signed link leads to; the signature was checked. */
    findLinked(approvalId: string): Promise<ApprovalRow | undefined> {
      return approvalStore.findAcrossWorkspaces(database.query, approvalId);
    },

    /** Who asks, and what they were asked, for somebody who knows nothing but the approval. */
    async surroundings(row: ApprovalRow): Promise<{ botName: string; lastMessage: string | undefined }> {
      const bot = await bots.getRow(row.workspaceId, row.botId);
      const lastMessage = await conversations.findLastUserMessage(row.workspaceId, row);
      return { botName: bot.name, lastMessage };
    },
  };

  /** An answer that lets a call run counts only in time, and for the tool as it was when the call was proposed. */
  async function whyItHoldsNoLonger(
    tx: Transaction,
    row: ApprovalRow,
    { action }: ApprovalResponse,
    now: Date,
  ): Promise<ExpiryReason | undefined> {
    if (row.expiresAt <= now) return expiryReasons.late;
    if (action === 'deny') return undefined;
    const fingerprint = fingerprints.open(row);
    // While a key is changed node by node another one can answer: the approval stays pending, at most until it expires.
    if (fingerprint === 'locked') throw new AppError('NOT_READY', { message: keyMissing });
    return toolProblem(tx, row, fingerprint);
  }

  async function toolProblem(
    query: Queryable,
    { workspaceId, botId }: BotPlace,
    fingerprint: Fingerprint | 'none',
  ): Promise<ExpiryReason | undefined> {
    if (fingerprint === 'none') return expiryReasons.unverifiable;
    const isSame = await tools.isUnchanged(query, workspaceId, botId, fingerprint);
    return isSame ? undefined : expiryReasons.changed;
  }

  /** Returns what is to happen once the transaction is committed. */
  async function resolveIn(
    tx: Transaction,
    row: ApprovalRow,
    resolution: Resolution,
  ): Promise<() => ApprovalRow> {
    const events = resolvedEvents(await approvalStore.resolve(tx, row.workspaceId, [row.id], resolution));
    const { conversationId, turnId } = row;
    // Of two answers at once one must find itself the last. Writing the event takes the conversation's row and keeps it until
    // the commit, so whoever comes second counts only after the other's answer is there to be seen. Counted before the event is
    // written, both could find the other one still pending, and the turn would rest for ever.
    const first = await eventLog.append(tx, { conversationId, turnId, events });
    const isLast = (await approvalStore.countPending(tx, row.workspaceId, { turnId })) === 0;
    const resumed = isLast ? await gate.resume(tx, row) : undefined;
    return () => {
      bus.publish(conversationId, [...numbered(events, first, turnId), ...(resumed?.events ?? [])]);
      resumed?.start();
      return { ...row, ...resolution };
    };
  }
}

const unanswered: Resolution = {
  status: 'pending',
  editedArguments: null,
  reason: null,
  resolvedAt: null,
  resolvedBy: null,
};

function resolvedEvents(rows: ApprovalRow[]): NewEvent[] {
  return rows.map((row) => ({ type: 'approval.resolved', data: { approval: toWire(row) } }));
}

function alreadyResolved(row: ApprovalRow): AppError {
  const { id, status, reason, resolved_at, resolved_by } = toWire(row);
  const isExpired = status === 'expired' && reason !== null;
  return new AppError('ALREADY_RESOLVED', {
    ...(isExpired && { message: `This request is no longer valid, and nothing runs: ${reason}` }),
    details: [{ id, status, reason, resolved_at, resolved_by }],
  });
}
