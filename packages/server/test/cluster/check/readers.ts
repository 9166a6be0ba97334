import { isDeepStrictEqual } from 'node:util';
import type { History } from '../history.ts';
import type { ReaderView } from '../reader-view.ts';
import type { Stored, StoredConversation } from './stored.ts';

const turnEnds = ['turn.completed', 'turn.paused', 'turn.interrupted', 'turn.failed'];
const ofNoTurn = ['message.operator', 'conversation.needs_human'];

/** Readers saw exactly the events of the log, in order. */
export function checkReaders({ conversations }: Stored, history: History): void {
  for (const { name, conversationId, view } of history.followers) {
    const conversation = conversations.get(conversationId);
    if (!conversation) continue;
    checkView(name, conversation, view, history);
    if (view.lastId() !== conversation.lastSequence) {
      history.find({
        what: `${name} is at event ${view.lastId()} of ${conversation.lastSequence} at the end`,
        ids: [name, conversationId],
      });
    }
    for (const messageId of view.previews.keys()) {
      history.find({ what: `${name} still shows a preview`, ids: [name, conversationId, messageId] });
    }
  }
  for (const { tag, turnId, conversationId, view, isComplete } of history.sentTurns) {
    const conversation = conversations.get(conversationId);
    if (!conversation) continue;
    checkView(tag, conversation, view, history);
    if (isComplete) checkTurn(tag, turnId, conversation, view, history);
  }
}

function checkView(
  name: string,
  { id, events }: StoredConversation,
  view: ReaderView,
  history: History,
): void {
  for (const fault of view.faults) history.find({ what: `${name}: ${fault}`, ids: [name, id] });
  const log = new Map(events.map((event) => [event.id, event]));
  const lastInLog = events.at(-1)?.id ?? 0;
  for (const seen of view.durable) {
    const stored = log.get(seen.id ?? 0);
    // A truncation removed it later; the log itself is checked for gaps without one.
    if (!stored && (seen.id ?? 0) < lastInLog) continue;
    if (stored?.event === seen.event && isDeepStrictEqual(stored.data, seen.data)) continue;
    history.find({
      what: `${name} saw another event ${seen.id} (${seen.event}) than the log has (${stored?.event})`,
      ids: [name, id],
      detail: `${JSON.stringify(seen.data)}\n${JSON.stringify(stored?.data)}`,
    });
  }
  for (const { from, to } of view.gaps) {
    for (let number = from; number <= to; number += 1) {
      if (log.has(number)) history.find({ what: `${name} got a gap over event ${number}`, ids: [name, id] });
    }
  }
}

/** A sender whose stream ended saw its turn whole, and what operators wrote meanwhile. */
function checkTurn(
  tag: string,
  turnId: string,
  { id, events }: StoredConversation,
  view: ReaderView,
  history: History,
): void {
  const seen = new Set(view.durable.map((event) => event.id));
  const first = view.durable[0]?.id ?? 0;
  const end = view.durable.findLast(({ event }) => turnEnds.includes(event))?.id ?? 0;
  for (const event of events) {
    if (event.id < first || event.id > end) continue;
    const belongs = event.turnId === turnId || ofNoTurn.includes(event.event);
    if (belongs && !seen.has(event.id)) {
      history.find({ what: `${tag} did not see event ${event.id} (${event.event})`, ids: [tag, id, turnId] });
    }
  }
}
