import type { Approval, ApprovalAnswer, ApprovalContext, ApprovalResponse } from '@svc/contract/approvals';
import { AppError, notFound } from '../app-error.ts';
import type { Clock } from '../clock.ts';
import type { ConversationService } from '../conversations/service.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { EventBus } from '../events/bus.ts';
import { type NewEvent, numbered, type StreamEvent } from '../events/event.ts';
import { eventLog } from '../events/log.ts';
import { checkAnswer, resolutionOf } from './answer.ts';
import { type ApprovalRow, approvalStore, type Resolution } from './store.ts';
import { toWire } from './wire.ts';

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
  expiresAt: Date;
}

export interface TurnPlace {
  workspaceId: string;
  conversationId: string;
  turnId: string;
  botId: string;
}

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
  conversations: Pick<ConversationService, 'getRow'>;
  gate: TurnGate;
  notices: ApprovalAnnouncer;
  clock: Clock;
}

export type ApprovalService = ReturnType<typeof createApprovalService>;

const expiredAtOnce = 100;

export function createApprovalService(dependencies: ApprovalDependencies) {
  const { database, bus, conversations, gate, notices, clock } = dependencies;
  return {
    async listPending(workspaceId: string, conversationId: string | undefined): Promise<Approval[]> {
      if (conversationId !== undefined) await conversations.getRow(workspaceId, conversationId);
      return (await approvalStore.listPending(database.query, workspaceId, conversationId)).map(toWire);
    },

    listOfTurn(workspaceId: string, turnId: string): Promise<ApprovalRow[]> {
      return approvalStore.listOfTurn(database.query, workspaceId, turnId);
    },

    /** Stores the requests in the caller's transaction and returns the events that announce them. */
    async request(tx: Transaction, place: TurnPlace, requests: ApprovalRequest[]): Promise<NewEvent[]> {
      const { workspaceId, conversationId, turnId, botId } = place;
      const rows = requests.map((request) => ({
        ...request,
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

    /** One answer counts; the turn goes on when its last approval has one. */
    async respond(
      workspaceId: string,
      approvalId: string,
      response: ApprovalResponse,
      by: string,
    ): Promise<ApprovalAnswer> {
      const outcome = await database.transaction(async (tx) => {
        const row = await approvalStore.lock(tx, workspaceId, approvalId);
        if (!row) throw notFound();
        if (row.status !== 'pending') throw alreadyResolved(row);
        await checkAnswer(row, response);
        return resolveIn(tx, row, [row.id], resolutionOf(response, by, clock.now()));
      });
      return outcome();
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
          return resolveIn(tx, held, [held.id], {
            ...unanswered,
            status: 'expired',
            resolvedAt: clock.now(),
          });
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
      const resolution: Resolution = { ...unanswered, status, resolvedAt: clock.now() };
      return resolvedEvents(await approvalStore.resolve(tx, workspaceId, ids, resolution));
    },

    /** What a signed link leads to; the signature was checked. */
    findLinked(approvalId: string): Promise<ApprovalRow | undefined> {
      return approvalStore.findAcrossWorkspaces(database.query, approvalId);
    },
  };

  /** Returns what is to happen once the transaction is committed. */
  async function resolveIn(
    tx: Transaction,
    row: ApprovalRow,
    ids: string[],
    resolution: Resolution,
  ): Promise<() => ApprovalAnswer> {
    const events = resolvedEvents(await approvalStore.resolve(tx, row.workspaceId, ids, resolution));
    const { conversationId, turnId } = row;
    const first = await eventLog.append(tx, { conversationId, turnId, events });
    const isLast = (await approvalStore.countPending(tx, row.workspaceId, turnId)) === 0;
    const resumed = isLast ? await gate.resume(tx, row) : undefined;
    return () => {
      bus.publish(conversationId, [...numbered(events, first, turnId), ...(resumed?.events ?? [])]);
      resumed?.start();
      return { id: row.id, status: resolution.status };
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
  const { id, status, resolved_at, resolved_by } = toWire(row);
  return new AppError('ALREADY_RESOLVED', { details: [{ id, status, resolved_at, resolved_by }] });
}
