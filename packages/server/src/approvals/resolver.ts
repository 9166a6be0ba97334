import { isDeepStrictEqual } from 'node:util';
import type { ApprovalAnswer, ApprovalResponse, ApprovalStatus } from '@svc/contract/approvals';
import { recordChange } from '../audit/audit.service.ts';
import type { Transaction } from '../database/database.ts';
import { type NewEvent, numbered } from '../events/event.ts';
import { eventLog } from '../events/event-log.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import { AppError, notFound } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import type { Fingerprint } from '../tools/tools.service.ts';
import { checkAnswer, expiry, resolutionOf } from './answer.ts';
import { describeResolver, resolverId } from './answered-by.ts';
import { resolutionByGrant } from './approvals.service.ts';
import { type ApprovalRow, approvalStore, type NamedApproval, type Resolution } from './approvals.store.ts';
import { resolvedEvents, toDetail } from './approvals.wire.ts';
import { type ExpiryReason, expiryReasons } from './expiry-reasons.ts';
import { isCovered } from './grants/is-covered.ts';
import { isSameTool } from './grants/tool-grants.service.ts';
import type { MachineOfTurn, ResumeTurn } from './resume-approved-turn.ts';

export interface ApprovalResolverDependencies
  extends Pick<
    Services,
    'approvalGrants' | 'approvals' | 'clock' | 'database' | 'feed' | 'machines' | 'toolGrants' | 'tools'
  > {
  resumeTurn: ResumeTurn;
  machineOfTurn: MachineOfTurn;
}

export type ApprovalResolver = ReturnType<typeof createApprovalResolver>;

const expiryBatchSize = 100;
const keyMissing =
  'This node lacks the encryption key of this request, so it cannot approve it. Try again soon, or deny it.';

const signInForMachine =
  'This call works on a paired machine. To approve it, sign in as somebody who may use the machine; a link can only deny it.';

/** Decides pending approvals, by an answer or because their time is up, and lets their turns continue. */
export function createApprovalResolver(dependencies: ApprovalResolverDependencies) {
  const {
    database,
    feed,
    approvals,
    approvalGrants,
    toolGrants,
    tools,
    machines,
    resumeTurn,
    machineOfTurn,
    clock,
  } = dependencies;
  return {
    /**
     * The first answer counts; the turn continues when its last approval has one. Throws ALREADY_RESOLVED if the approval was
     * answered before, and if it is no longer valid: it then expires immediately instead of at the next sweep. Throws FORBIDDEN
     * if it approves a call on a machine that they may not use.
     */
    async respond(
      workspaceId: string,
      approvalId: string,
      response: ApprovalResponse,
      by: string,
      record: RecordAnswer<ApprovalAnswer>,
    ): Promise<ApprovalAnswer> {
      const asked = await approvalStore.find(database.within(workspaceId), workspaceId, approvalId);
      if (!asked) throw notFound();
      if (asked.status !== 'pending') throw alreadyResolved(asked);
      // Read once, so that an answer that is in time when checked is still in time when written.
      const now = clock.now();
      if (asked.expiresAt > now) await checkAnswer(asked, response);
      const outcome = await database.within(workspaceId).transaction(async (tx) => {
        const row = await approvalStore.lock(tx, workspaceId, approvalId);
        if (!row) throw notFound();
        // Another answer came first, which is read again below with the name of the person.
        if (row.status !== 'pending') return undefined;
        const problem = await whyInvalid(tx, row, response, by, now);
        const resolution = problem ? expiry(problem, now) : resolutionOf(response, by, now);
        const grant = problem || !response.grant ? undefined : await give(tx, row, response, by, now);
        const done = await resolveIn(tx, row, resolution, grant?.events);
        // A late answer is an error, and errors are not recorded.
        const answer = { id: row.id, status: resolution.status, ...(grant && { grant_id: grant.id }) };
        if (!problem) {
          await recordAnswer(tx, row, resolution);
          await record(tx, answer);
        }
        return { answer, publish: done };
      });
      outcome?.publish();
      if (outcome && outcome.answer.status !== 'expired') return outcome.answer;
      const stored = await approvalStore.find(database.within(workspaceId), workspaceId, approvalId);
      throw stored ? alreadyResolved(stored) : notFound();
    },

    /** Expires approvals that nobody answered in time. */
    async expire(): Promise<void> {
      const expired = await approvalStore.listExpiredAcrossWorkspaces(
        database.acrossWorkspaces,
        clock.now(),
        expiryBatchSize,
      );
      for (const row of expired) {
        const outcome = await database.within(row.workspaceId).transaction(async (tx) => {
          const held = await approvalStore.lock(tx, row.workspaceId, row.id);
          if (held?.status !== 'pending') return undefined;
          return resolveIn(tx, held, expiry(expiryReasons.late, clock.now()));
        });
        outcome?.();
      }
    },
  };

  /** An approval counts only if it is in time and the tool has not changed since the call was proposed. */
  async function whyInvalid(
    tx: Transaction,
    row: ApprovalRow,
    { action, text }: ApprovalResponse,
    by: string,
    now: Date,
  ): Promise<ExpiryReason | undefined> {
    if (row.expiresAt <= now) return expiryReasons.late;
    if (action === 'deny') {
      if (text) await requireMachinesOfBot(tx, row, by);
      return undefined;
    }
    const fingerprint = approvals.fingerprintOf(row);
    // While the key is being changed another node may have it: the approval stays pending until it expires.
    if (fingerprint === 'locked') throw new AppError('NOT_READY', { message: keyMissing });
    const problem = await approvals.toolProblem(row, fingerprint, tx);
    if (!problem && fingerprint !== 'none') await requireMachine(tx, row, fingerprint, by);
    if (!problem && action === 'approve_edited') await requireMachinesOfBot(tx, row, by);
    return problem;
  }

  /** A bot that works on machines reads what people write in their answers, even those to its other calls. */
  async function requireMachinesOfBot(tx: Transaction, row: ApprovalRow, by: string): Promise<void> {
    const { workspaceId, botId } = row;
    await tools.requireMachines(tx, workspaceId, [botId], resolverId(by)).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'FORBIDDEN')) throw error;
      const message = `${error.message} You can answer only without text or changes.`;
      throw new AppError('FORBIDDEN', { message, details: [{ path: 'text', message }] });
    });
  }

  /** Whoever approves a call, or changes it, decides what happens on its machine, so they must be allowed to use it. */
  async function requireMachine(tx: Transaction, row: ApprovalRow, fingerprint: Fingerprint, by: string) {
    const { workspaceId, botId, botVersion: version, toolType } = row;
    if (!tools.worksOnMachine(toolType)) return;
    const callerId = resolverId(by);
    if (callerId === undefined) throw new AppError('FORBIDDEN', { message: signInForMachine });
    const ofTool = await tools.machineOf(tx, { workspaceId, botId, version }, fingerprint);
    const machineId = ofTool ?? (await machineOfTurn(tx, row));
    if (machineId === undefined) return;
    try {
      await machines.requireUse(workspaceId, machineId, { callerId, botId: undefined }, tx);
    } catch (error) {
      // Nothing runs on a machine that is gone.
      if (error instanceof AppError && error.code === 'NOT_FOUND') return;
      if (!(error instanceof AppError && error.code === 'FORBIDDEN')) throw error;
      const message = `${error.message} You can only deny this call.`;
      throw new AppError('FORBIDDEN', { message, details: [{ path: 'action', message }] });
    }
  }

  /** Stores a grant and approves what waits in the same turn and is covered by it. */
  async function give(
    tx: Transaction,
    row: ApprovalRow,
    { grant: scope, grant_expires_in: seconds }: ApprovalResponse,
    by: string,
    now: Date,
  ) {
    if (scope === undefined) return undefined;
    const ofTool = scope === 'bot' ? await toolGrants.create(tx, row, seconds, by) : undefined;
    const onMachine = scope === 'bot' ? undefined : await approvalGrants.create(tx, row, scope, by);
    const grant = ofTool ?? onMachine;
    if (!grant) return undefined;
    const waiting = await approvalStore.lockOthersPending(tx, row);
    const ids = waiting.flatMap(({ id, grantable, toolGrantable, expiresAt }) => {
      const isIncluded =
        (ofTool && toolGrantable && isSameTool(toolGrantable, ofTool)) ||
        (onMachine && grantable && isCovered(grantable, onMachine));
      return isIncluded && expiresAt > now ? [id] : [];
    });
    const resolution = resolutionByGrant(grant, now);
    const covered = ids.length > 0 ? await approvalStore.resolve(tx, row.workspaceId, ids, resolution) : [];
    return { id: grant.id, events: resolvedEvents(covered) };
  }

  /** Returns what to do after the commit. */
  async function resolveIn(
    tx: Transaction,
    row: ApprovalRow,
    resolution: Resolution,
    more: readonly NewEvent[] = [],
  ) {
    const resolved = await approvalStore.resolve(tx, row.workspaceId, [row.id], resolution);
    const events = [...resolvedEvents(resolved), ...more];
    const { conversationId, turnId } = row;
    // Of two concurrent answers one must find that it is the last. Appending the event locks the conversation's row until the
    // commit, so the second answer counts only when it can see the first. If they were counted before the event is appended,
    // both could see the other one as pending, and the turn would stay paused forever.
    const first = await eventLog.append(tx, { conversationId, turnId, events });
    const isLast = (await approvalStore.countPending(tx, row.workspaceId, { turnId })) === 0;
    const resumed = isLast ? await resumeTurn(tx, row) : undefined;
    return () => {
      const all = [...numbered(events, first, turnId), ...(resumed?.events ?? [])];
      feed.publish(conversationId, all, row.workspaceId);
      resumed?.start();
    };
  }
}

/** Which arguments were changed, not their values: those may be texts of the end user, and go with the conversation. */
function recordAnswer(tx: Transaction, row: ApprovalRow, resolution: Resolution): Promise<void> {
  const after = resolution.editedArguments ?? row.arguments;
  const names = new Set([...Object.keys(after), ...Object.keys(row.arguments)]);
  const edited = [...names].filter((name) => !isDeepStrictEqual(after[name], row.arguments[name]));
  return recordChange(tx, row.workspaceId, {
    action: 'approval.answered',
    object: { id: row.id, name: row.toolName },
    changes: [
      { field: 'status', before: row.status, after: resolution.status },
      ...(edited.length > 0 ? [{ field: 'edited_arguments', before: null, after: edited }] : []),
    ],
  });
}

const outcomes: Partial<Record<ApprovalStatus, string>> = {
  approved: 'approved',
  approved_edited: 'approved with changes',
  denied: 'denied',
};

function alreadyResolved(row: NamedApproval): AppError {
  const { id, status, reason, resolved_at, resolved_by, resolved_by_name } = toDetail(row);
  return new AppError('ALREADY_RESOLVED', {
    message: whyOver(row),
    details: [{ id, status, reason, resolved_at, resolved_by, resolved_by_name }],
  });
}

/** Says who was first and how, or why there is nothing to answer any more. */
function whyOver(row: NamedApproval): string {
  const outcome = outcomes[row.status];
  if (outcome && row.resolvedBy) return `This was already ${outcome} by ${describeResolver(row)}.`;
  if (row.status === 'cancelled') return 'This request was withdrawn, because its turn has ended.';
  return `This request is no longer valid, and nothing runs: ${row.reason ?? expiryReasons.late}`;
}
