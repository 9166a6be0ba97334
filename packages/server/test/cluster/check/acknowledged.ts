import type { Acknowledged, History } from '../history.ts';
import { readDirective } from '../load/directive.ts';
import { scheduledTag } from '../load/prepare.ts';
import type { Stored } from './stored.ts';

/** Nothing that was acknowledged is lost. */
export function checkAcknowledged(stored: Stored, history: History): void {
  for (const entry of history.acknowledged) {
    const problem = problemOf(entry);
    if (problem) history.find({ what: problem, ids: idsOf(entry) });
  }

  function isTruncated(conversationId: string): boolean {
    const events = stored.conversations.get(conversationId)?.events ?? [];
    return events.some(({ event }) => event === 'conversation.truncated');
  }

  function problemOf(entry: Acknowledged): string | undefined {
    switch (entry.kind) {
      case 'message': {
        const turn = stored.turns.get(entry.turnId);
        const messages = stored.conversations.get(entry.conversationId)?.messages ?? [];
        const isThere = messages.some(({ id }) => id === entry.messageId);
        if (isThere && turn) return undefined;
        return history.removalsRequested.has(entry.messageId) ? undefined : 'an acknowledged message is lost';
      }
      case 'run': {
        const isThere = stored.runs.some(
          ({ conversation_id: id, payload }) => id === entry.conversationId && tagOf(payload) === entry.tag,
        );
        return isThere ? undefined : 'an acknowledged run is lost';
      }
      case 'answer': {
        const status = stored.approvals.get(entry.approvalId)?.status;
        if (status === entry.status) return undefined;
        // A truncation removes approvals together with their messages.
        if (status === undefined && isTruncated(entry.conversationId)) return undefined;
        return `an answer was acknowledged as ${entry.status}, but the approval is ${status}`;
      }
      case 'stop': {
        const status = stored.turns.get(entry.turnId)?.status;
        return status === 'interrupted' || status === undefined
          ? undefined
          : `a stop was acknowledged, but the turn is ${status}`;
      }
      case 'operator': {
        const messages = stored.conversations.get(entry.conversationId)?.messages ?? [];
        const isThere = messages.some(
          ({ id, content }) => id === entry.messageId && content === entry.content,
        );
        return isThere || history.removalsRequested.has(entry.messageId)
          ? undefined
          : "an operator's message is lost";
      }
      case 'truncation': {
        const messages = stored.conversations.get(entry.conversationId)?.messages ?? [];
        const left = messages.filter(({ id }) => entry.removed.includes(id));
        return left.length === 0 ? undefined : 'messages survived their truncation';
      }
      case 'revocation':
        return entry.hasStreamEnded() ? undefined : 'a stream outlived the revocation of its key';
    }
  }
}

/** No key acted twice, no turn ended in a way that no client or model caused. */
export function checkTags(stored: Stored, history: History): void {
  const turnsByTag = new Map<string, string[]>();
  const add = (tag: string | undefined, turnId: string) => {
    if (tag !== undefined && tag !== scheduledTag)
      turnsByTag.set(tag, [...(turnsByTag.get(tag) ?? []), turnId]);
  };
  for (const { id, messages, events } of stored.conversations.values()) {
    const written = new Set<string>();
    for (const { role, content, turn_id: turnId } of messages) {
      if (role === 'user' && turnId !== null) add(tagOf(content), turnId);
      if (role !== 'operator') continue;
      if (written.has(content))
        history.find({ what: `an operator's message is there twice: ${content}`, ids: [id] });
      written.add(content);
    }
    for (const { event, data, turnId } of events) {
      if (event === 'turn.failed' && turnId !== null) checkFailure(turnId, data.error?.code);
    }
  }
  for (const { payload, turn_id: turnId } of stored.runs) {
    const tag = tagOf(payload);
    add(tag, turnId);
    if (tag !== undefined && history.runsRefused.has(tag)) {
      history.find({ what: 'a run was refused with 500, but exists', ids: [tag, turnId] });
    }
  }
  for (const [tag, turnIds] of turnsByTag) {
    const different = new Set(turnIds);
    if (different.size > 1) {
      history.find({ what: 'an Idempotency-Key acted twice', ids: [tag, ...different] });
    }
    for (const turnId of different) checkInterruption(turnId);
  }
  const acknowledgedAs = new Map<string, string>();
  for (const entry of history.acknowledged) {
    if (entry.kind !== 'message') continue;
    const first = acknowledgedAs.get(entry.tag) ?? entry.turnId;
    acknowledgedAs.set(entry.tag, first);
    if (first !== entry.turnId) {
      history.find({ what: 'one Idempotency-Key got two turns', ids: [entry.tag, first, entry.turnId] });
    }
  }

  function checkInterruption(turnId: string): void {
    const turn = stored.turns.get(turnId);
    if (turn?.status !== 'interrupted' || history.stopsRequested.has(turnId)) return;
    history.find({ what: 'a turn was interrupted without a request to stop it', ids: [turnId] });
  }

  function checkFailure(turnId: string, code: string): void {
    const tag = [...turnsByTag].find(([, turnIds]) => turnIds.includes(turnId))?.[0];
    history.count(`turns failed: ${code}`);
    const isPlanned = tag !== undefined && history.plannedFailures.has(tag);
    if (isPlanned && ['MODEL_RATE_LIMITED', 'MODEL_UNAVAILABLE'].includes(code)) return;
    history.find({ what: `a turn failed with ${code}`, ids: [turnId, ...(tag === undefined ? [] : [tag])] });
  }
}

function tagOf(content: string | null): string | undefined {
  return content === null ? undefined : readDirective(content)?.tag;
}

/** What the timeline is searched for: ids and tags. */
function idsOf(entry: Acknowledged): string[] {
  const { tag, turnId, messageId, approvalId, conversationId } = entry as Partial<Record<string, string>>;
  return [tag, turnId, messageId, approvalId, conversationId].filter((id) => id !== undefined);
}
