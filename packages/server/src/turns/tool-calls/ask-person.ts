import { setTimeout as sleep } from 'node:timers/promises';
import { numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import { newId } from '../../lib/new-id.ts';
import type { BoundFunction, PersonAnswer, Question } from '../../tools/tools.service.ts';
import { storableJson } from '../../validation/storable.ts';
import { LeaseLost, type TurnLease } from '../run/lease.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import type { OpenToolCall } from './tool-call.ts';

const answeredWithinMilliseconds = 10 * 60_000;
const lookEveryMilliseconds = 1_000;

/**
 * Asks a person something that a call needs while it runs, in the form of an approval. The turn keeps running, because the tool
 * waits with an open connection: after a crash the question is void, and the call unknown. Throws LeaseLost if another node has
 * the turn.
 */
export async function askPerson(
  lease: TurnLease,
  call: OpenToolCall,
  bound: BoundFunction,
  { message, schema }: Question,
  { approvals, database, feed, clock }: TurnDependencies,
  signal: AbortSignal,
): Promise<PersonAnswer> {
  const { workspaceId, conversationId, turnId } = lease;
  const id = newId();
  const request = {
    id,
    toolCallId: call.id,
    toolType: call.toolType,
    toolName: call.name,
    titleTemplate: bound.approvalTitle ?? null,
    arguments: {},
    argumentsSchema: storableJson(schema),
    context: storableJson({ kind: 'call' as const, summary: message }),
    fingerprint: bound.fingerprint(),
    basis: null,
    linkEdit: bound.mayEditByLink ?? false,
    isQuestion: true,
    grantable: null,
    toolGrantable: null,
    grant: undefined,
    expiresAt: new Date(clock.now().getTime() + answeredWithinMilliseconds),
  };
  const { events, first } = await database.within(workspaceId).transaction(async (tx) => {
    const requested = await approvals.request(tx, lease, [request]);
    // Rolls back the request.
    if (!(await turnStore.keep(tx, lease))) throw new LeaseLost();
    return {
      events: requested,
      first: await eventLog.append(tx, { conversationId, turnId, events: requested }),
    };
  });
  feed.publish(conversationId, numbered(events, first, turnId), workspaceId);
  try {
    for (;;) {
      const { status, edited_arguments: given, reason } = await approvals.get(workspaceId, id);
      if (status === 'approved' || status === 'approved_edited')
        return { action: 'accept', content: given ?? {} };
      if (status === 'denied') return { action: 'decline', reason };
      if (status !== 'pending') return { action: 'cancel' };
      await sleep(lookEveryMilliseconds, undefined, { signal });
    }
  } catch (error) {
    await withdraw();
    throw error;
  }

  /**
   * No one waits for the answer any more. The end of a turn withdraws its questions too, so this may find nothing to do. It needs
   * no lease: a question belongs to this node's connection, whoever has the turn now.
   */
  async function withdraw(): Promise<void> {
    const withdrawn = await database.within(workspaceId).transaction(async (tx) => {
      const resolved = await approvals.withdraw(tx, workspaceId, id);
      if (resolved.length === 0) return undefined;
      return { resolved, at: await eventLog.append(tx, { conversationId, turnId, events: resolved }) };
    });
    if (withdrawn)
      feed.publish(conversationId, numbered(withdrawn.resolved, withdrawn.at, turnId), workspaceId);
  }
}
