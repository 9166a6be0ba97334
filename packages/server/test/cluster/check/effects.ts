import type { History } from '../history.ts';
import type { Effect } from '../stage/effects-server.ts';
import type { Stored } from './stored.ts';

/** No call took effect twice, none without permission, and none that is reported as done is missing. */
export function checkEffects(stored: Stored, effects: readonly Effect[], history: History): void {
  const byRef = new Map<string, Effect[]>();
  for (const effect of effects) byRef.set(effect.ref, [...(byRef.get(effect.ref) ?? []), effect]);
  const approvalOf = new Map([...stored.approvals.values()].map((entry) => [entry.tool_call_id, entry]));
  const known = new Set<string>();
  for (const call of stored.calls) {
    known.add(call.ref);
    const done = byRef.get(call.ref) ?? [];
    const ids = [call.ref, call.id, call.turn_id, call.conversation_id];
    history.count(`calls: ${call.status}`);
    if (done.length > 1) history.find({ what: `a call took effect ${done.length} times`, ids });
    if (call.status === 'ok' && done.length === 0) {
      history.find({ what: 'a call is reported as done, but never arrived', ids });
    }
    if (['denied', 'proposed'].includes(call.status) && done.length > 0) {
      history.find({ what: `a call took effect, but is ${call.status}`, ids });
    }
    if (call.status === 'error') history.find({ what: 'a call is reported as failed', ids });
    if (!call.needs_approval || done.length === 0) continue;
    const approval = approvalOf.get(call.id);
    const note = approval?.status === 'approved_edited' ? approval.note : 'proposed';
    const isAllowed = approval?.status === 'approved' || approval?.status === 'approved_edited';
    if (isAllowed && done[0]?.note === note) continue;
    history.find({ what: `a call ran as ${done[0]?.note}, but its approval is ${approval?.status}`, ids });
  }
  for (const [ref, done] of byRef) {
    if (known.has(ref)) continue;
    // Calls of removed messages are removed with them.
    if (done.length > 1) history.find({ what: 'a call took effect twice', ids: [ref] });
    else history.count('effects of removed calls');
  }
}
