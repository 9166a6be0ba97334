import type { Approval, ApprovalContext, ApprovalDetail, ApprovalsQuery } from '@svc/contract/approvals';
import type { Queryable, Transaction } from '../database/database.ts';
import { lockEncryptionKey } from '../database/key-lock.ts';
import { inPages, type ListPages } from '../database/list-page.ts';
import type { NewEvent } from '../events/event.ts';
import { invalid, notFound } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import type { Fingerprint } from '../tools/tools.service.ts';
import { expiry, unanswered } from './answer.ts';
import {
  type ApprovalFilter,
  type ApprovalRow,
  approvalStore,
  type Resolution,
  type ResolvedCursor,
} from './approvals.store.ts';
import { resolvedEvents, toDetail, toWire } from './approvals.wire.ts';
import { type ExpiryReason, expiryReasons } from './expiry-reasons.ts';
import { createFingerprints } from './fingerprints.ts';
import { granterOf } from './grants/approval-grants.service.ts';
import type { GrantRow } from './grants/approval-grants.store.ts';
import type { PausedTurn } from './resume-approved-turn.ts';

export type { ApprovalRow, Resolution } from './approvals.store.ts';
export { type ExpiryReason, expiryReasons, isToolChange } from './expiry-reasons.ts';
export { type KeptFingerprint, resealFingerprints } from './fingerprints.ts';
export type { MachineOfTurn, PausedTurn, ResumeTurn } from './resume-approved-turn.ts';

/** A call that needs approval. */
export interface ApprovalRequest {
  id: string;
  toolCallId: string;
  toolType: string;
  toolName: string;
  /** What it would do, as a sentence with `{{parameter}}` in it. */
  titleTemplate: string | null;
  arguments: Record<string, unknown>;
  argumentsSchema: Record<string, unknown>;
  context: ApprovalContext;
  /** The tool as it was proposed; undefined if it is gone already. */
  fingerprint: Fingerprint | undefined;
  /** What the decision is based on, for the call when it runs; never shown. */
  basis: Record<string, unknown> | null;
  /** Its tool lets people change the arguments by the link of a notice. */
  linkEdit: boolean;
  /** Asked by a tool while it runs: the answer is what the person fills in, and the turn is not paused for it. */
  isQuestion: boolean;
  expiresAt: Date;
  grantable: ApprovalRow['grantable'];
  toolGrantable: ApprovalRow['toolGrantable'];
  /** Allows it, so that nobody is asked. */
  grant: Given | undefined;
}

/** A grant, of whichever kind. */
type Given = Pick<GrantRow, 'id' | 'memberId' | 'keyId'>;

/** The resolution of a call that a grant covers. */
export function resolutionByGrant(grant: Given, now: Date): Resolution {
  return {
    ...unanswered,
    status: 'approved',
    resolvedAt: now,
    resolvedBy: granterOf(grant),
    grantId: grant.id,
  };
}

interface BotAtVersion extends Pick<PausedTurn, 'workspaceId' | 'botId'> {
  /** Null or left out: the current one. */
  botVersion?: number | null;
}

/** Notifies people outside, in the background. */
export interface ApprovalAnnouncer {
  /** Enqueues the notices in the caller's transaction, so that no one is notified of a request that was not stored. */
  announce(tx: Transaction, turn: PausedTurn, approvalIds: readonly string[]): Promise<void>;
}

export interface ApprovalDependencies
  extends Pick<Services, 'bots' | 'box' | 'clock' | 'conversations' | 'database' | 'tools'> {
  notices: ApprovalAnnouncer;
}

export type ApprovalService = ReturnType<typeof createApprovalService>;

const resolvedPageSize = 50;

export function createApprovalService(dependencies: ApprovalDependencies) {
  const { database, conversations, bots, tools, notices, clock } = dependencies;
  const fingerprints = createFingerprints(dependencies.box);
  return {
    /** Oldest first. With names only where the caller has asked for a status. */
    async *listPending(workspaceId: string, query: ApprovalsQuery): ListPages<Approval> {
      const filter = await filterOf(workspaceId, query);
      const show = query.status === undefined ? toWire : toDetail;
      const pages = inPages(
        (after) => approvalStore.listPendingPage(database.within(workspaceId), workspaceId, filter, after),
        (rows) => rows.map(show),
      );
      return yield* query.limit === undefined ? pages : firstOf(pages, query.limit);
    },

    /** Newest answer first. */
    async listResolved(
      workspaceId: string,
      query: ApprovalsQuery,
    ): Promise<{ approvals: ApprovalDetail[]; next: string | undefined }> {
      const filter = await filterOf(workspaceId, query);
      const limit = query.limit ?? resolvedPageSize;
      const before = query.before === undefined ? undefined : readCursor(query.before);
      const rows = await approvalStore.listResolved(database.within(workspaceId), workspaceId, filter, {
        before,
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { approvals: shown.map(toDetail), next: last && writeCursor(last) };
    },

    async get(workspaceId: string, approvalId: string): Promise<ApprovalDetail> {
      const row = await approvalStore.find(database.within(workspaceId), workspaceId, approvalId);
      if (!row) throw notFound();
      return toDetail(row);
    },

    /** How many approvals a conversation waits for. */
    async countPending(workspaceId: string, conversationId: string): Promise<number> {
      await conversations.getRow(workspaceId, conversationId);
      return approvalStore.countPending(database.within(workspaceId), workspaceId, { conversationId });
    },

    /** Whatever their state, oldest first. */
    async listOfConversation(workspaceId: string, conversationId: string): Promise<ApprovalDetail[]> {
      const rows = await approvalStore.listOfConversation(
        database.within(workspaceId),
        workspaceId,
        conversationId,
      );
      return rows.map(toDetail);
    },

    listOfTurn(workspaceId: string, turnId: string): Promise<ApprovalRow[]> {
      return approvalStore.listOfTurn(database.within(workspaceId), workspaceId, turnId);
    },

    /** The tool as it was when its call was approved. */
    fingerprintOf: fingerprints.open,

    /** Stores the requests in the caller's transaction and returns the events that announce them. */
    async request(tx: Transaction, turn: PausedTurn, requests: ApprovalRequest[]): Promise<NewEvent[]> {
      const { workspaceId, conversationId, turnId, botId } = turn;
      await lockEncryptionKey(tx);
      const now = clock.now();
      const rows = requests.map(({ fingerprint, grant, ...request }) => ({
        ...request,
        ...(grant ? resolutionByGrant(grant, now) : unanswered),
        fingerprint: fingerprint ? fingerprints.seal({ id: request.id, workspaceId }, fingerprint) : null,
        conversationId,
        turnId,
        botId,
        botVersion: turn.options?.bot_version ?? null,
        createdAt: now,
      }));
      await approvalStore.insert(tx, workspaceId, rows);
      await notices.announce(
        tx,
        turn,
        rows.flatMap(({ id, status }) => (status === 'pending' ? [id] : [])),
      );
      return rows.map((row) => ({
        type: row.status === 'pending' ? 'approval.requested' : 'approval.resolved',
        data: { approval: toWire({ ...row, workspaceId }) },
      }));
    },

    /** Withdraws a request that is still pending, in the caller's transaction, and returns its event. */
    async withdraw(tx: Transaction, workspaceId: string, id: string): Promise<NewEvent[]> {
      const cancelled: Resolution = { ...unanswered, status: 'cancelled', resolvedAt: clock.now() };
      return resolvedEvents(await approvalStore.resolve(tx, workspaceId, [id], cancelled));
    },

    /** Withdraws the pending requests of a turn in the caller's transaction, and returns their events. */
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
    async toolProblem(
      { workspaceId, botId, botVersion }: BotAtVersion,
      fingerprint: Fingerprint | 'none',
      query: Queryable = database.within(workspaceId),
    ): Promise<ExpiryReason | undefined> {
      if (fingerprint === 'none') return expiryReasons.unverifiable;
      const isSame = await tools.isUnchanged(query, { workspaceId, botId, version: botVersion }, fingerprint);
      return isSame ? undefined : expiryReasons.changed;
    },

    /** Revokes approvals in the caller's transaction, and returns their events. */
    async revoke(tx: Transaction, workspaceId: string, ids: string[], reason: ExpiryReason) {
      const resolution = expiry(reason, clock.now());
      return resolvedEvents(await approvalStore.revoke(tx, workspaceId, ids, resolution));
    },

    /** The approval behind a signed link whose signature was checked. */
    findLinked(approvalId: string): Promise<ApprovalRow | undefined> {
      return approvalStore.findAcrossWorkspaces(database.acrossWorkspaces, approvalId);
    },

    /** Where notices of the approval's bot go now. */
    async noticeOf({ workspaceId, botId }: ApprovalRow) {
      return (await bots.getRow(workspaceId, botId)).settings.approval_notice ?? {};
    },

    /** The bot and the user's message, for people who see nothing but the approval. */
    async surroundings(row: ApprovalRow) {
      const bot = await bots.getRow(row.workspaceId, row.botId);
      const lastMessage = await conversations.findLastUserMessage(row.workspaceId, row);
      return { botName: bot.name, lastMessage, isOnMachine: tools.worksOnMachine(row.toolType) };
    },
  };

  async function filterOf(workspaceId: string, query: ApprovalsQuery): Promise<ApprovalFilter> {
    const { conversation_id: conversationId, bot_id: botId, tool: toolName } = query;
    if (conversationId !== undefined) await conversations.getRow(workspaceId, conversationId);
    if (botId !== undefined) await bots.getRow(workspaceId, botId);
    return { conversationId, botId, toolName };
  }
}

/** The beginning of a list. */
async function* firstOf<Item>(pages: ListPages<Item>, limit: number): ListPages<Item> {
  let left = limit;
  for (;;) {
    const { value, done } = await pages.next();
    if (done || value.length >= left) {
      await pages.return([]);
      return value.slice(0, left);
    }
    left -= value.length;
    yield value;
  }
}

/** The cursor after an approval. It contains the sort keys, so that it works even if the approval is deleted. */
function writeCursor({ id, resolvedAt }: Pick<ApprovalRow, 'id' | 'resolvedAt'>): string {
  return `${resolvedAt?.getTime() ?? 0}.${id}`;
}

/** The end of the last year that PostgreSQL and ISO 8601 write in the same way. */
const maxTime = Date.UTC(9999, 11, 31);

function readCursor(cursor: string): ResolvedCursor {
  const [time = '', id = ''] = cursor.split('.');
  const resolvedAt = new Date(Number(time));
  if (!(resolvedAt.getTime() <= maxTime) || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    throw invalid('before', 'must be the cursor of a Link header');
  }
  return { resolvedAt, id };
}
