import { knownCostOf, sumCosts } from '../../billing/billing.service.ts';
import { newId } from '../../lib/new-id.ts';
import { addUsage, noUsage } from '../../models/add-usage.ts';
import type { TurnState } from '../state.ts';
import type { OpenToolCall, ToolCallApproval } from '../tool-calls/tool-call.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import { LeaseLost, type TurnLease } from './lease.ts';

/** Reads the stored state of a turn, and begins its next reply under a new id if one is due. */
export async function loadState(lease: TurnLease, dependencies: TurnDependencies): Promise<TurnState> {
  const { database, bots, runs, conversations, billing } = dependencies;
  const { workspaceId, conversationId, turnId } = lease;
  const turn = await turnStore.find(database.within(workspaceId), workspaceId, turnId);
  if (!turn || turn.fence !== lease.fence) throw new LeaseLost();
  const calls = await openCalls(lease, dependencies);
  // While calls are open the next reply has not begun, so there is no preview to retract.
  const replyIds =
    calls.length > 0
      ? turn.replyIds
      : await turnStore.beginReply(database.within(lease.workspaceId), lease, newId());
  if (!replyIds) throw new LeaseLost();
  const history = await conversations.history(workspaceId, conversationId);
  const records = await billing.usageOfTurn(workspaceId, conversationId, turnId);
  return {
    bot: await bots.getRow(workspaceId, turn.botId, turn.options.bot_version),
    run: await runs.find(workspaceId, turnId),
    ...history,
    calls,
    functions: undefined,
    passages: undefined,
    steps: turn.steps,
    replyIds,
    usage: records.reduce((sum, used) => addUsage(sum, used), noUsage),
    cost: sumCosts(records.map(knownCostOf)),
    ended: false,
    paused: false,
  };
}

/** Calls without a result, with their approvals. */
async function openCalls(
  lease: TurnLease,
  { conversations, approvals }: TurnDependencies,
): Promise<OpenToolCall[]> {
  const rows = await conversations.listUnfinishedCalls(lease.workspaceId, lease.turnId);
  if (rows.length === 0) return [];
  const answers = await approvals.listOfTurn(lease.workspaceId, lease.turnId);
  return rows.map((row) => ({
    ...row,
    status: row.status === 'started' ? 'started' : 'proposed',
    approval: approvalOf(row.id),
  }));

  function approvalOf(callId: string): ToolCallApproval | undefined {
    const answer = answers.find(({ toolCallId, isQuestion }) => toolCallId === callId && !isQuestion);
    return answer && { ...answer, fingerprint: approvals.fingerprintOf(answer) };
  }
}
