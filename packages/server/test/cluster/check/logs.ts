import type { History } from '../history.ts';
import type { Stored, StoredConversation } from './stored.ts';

const ends = ['turn.completed', 'turn.interrupted', 'turn.failed'];

/** Every log is whole, and the messages are those that it announces. */
export function checkLogs({ conversations, turns }: Stored, history: History): void {
  for (const conversation of conversations.values()) {
    checkNumbers(conversation, history);
    checkMessages(conversation, history);
    checkTurns(conversation);
  }

  /** A turn starts once, ends once and in the way that its row says, unless a truncation removed that. */
  function checkTurns({ id, events }: StoredConversation): void {
    const isTruncated = events.some(({ event }) => event === 'conversation.truncated');
    const seen = new Map<string, { started: number; ended: string[] }>();
    for (const { event, turnId } of events) {
      if (turnId === null) continue;
      const of = seen.get(turnId) ?? { started: 0, ended: [] };
      seen.set(turnId, of);
      if (of.ended.length > 0 && !ends.includes(event)) {
        history.find({ what: `${event} comes after the end of its turn`, ids: [id, turnId] });
      }
      if (event === 'turn.started') of.started += 1;
      if (ends.includes(event)) of.ended.push(event.slice('turn.'.length));
    }
    for (const turn of turns.values()) {
      if (turn.conversation_id !== id) continue;
      const { started, ended } = seen.get(turn.id) ?? { started: 0, ended: [] };
      const isWhole = started === 1 && ended.length === 1 && ended[0] === turn.status;
      const isCut = isTruncated && started <= 1 && ended.length === 0;
      if (isWhole || isCut) continue;
      history.find({
        what: `a turn is ${turn.status}, but its log has ${started} starts and the ends [${ended.join(', ')}]`,
        ids: [id, turn.id],
      });
    }
  }
}

/** The numbers count from 1 without a gap, except for ranges that a truncation removed. */
function checkNumbers({ id, events, lastSequence }: StoredConversation, history: History): void {
  let last = 0;
  for (const event of events) {
    const isNext = event.id === last + 1;
    if (!isNext && !(event.id > last && event.event === 'conversation.truncated')) {
      history.find({ what: `event ${event.id} of a log comes after ${last}`, ids: [id] });
    }
    last = event.id;
  }
  if (last !== lastSequence) {
    history.find({ what: `a log ends at ${last}, its conversation at ${lastSequence}`, ids: [id] });
  }
}

function checkMessages({ id, events, messages, messageCount }: StoredConversation, history: History): void {
  const announced = new Map<string, string[]>();
  for (const { event, data } of events) {
    const message = event === 'turn.started' ? data.user_message : data.message;
    if (!['turn.started', 'message.completed', 'message.operator'].includes(event)) continue;
    announced.set(message.id, [...(announced.get(message.id) ?? []), message.content]);
  }
  const spoken = messages.filter(({ role }) => role !== 'tool');
  const order = [...announced.keys()];
  if (spoken.some((message, index) => order[index] !== message.id)) {
    history.find({ what: 'messages are in another order than their events', ids: [id] });
  }
  for (const message of spoken) {
    const contents = announced.get(message.id) ?? [];
    announced.delete(message.id);
    if (contents.length === 1 && contents[0] === message.content) continue;
    history.find({
      what: `a message of role ${message.role} has ${contents.length} events, or other text`,
      ids: [id, message.id],
      detail: `${message.content}\n${contents.join('\n')}`,
    });
  }
  for (const messageId of announced.keys()) {
    history.find({ what: 'an event announces a message that does not exist', ids: [id, messageId] });
  }
  if (messages.length !== messageCount) {
    history.find({ what: `${messages.length} messages, but the count says ${messageCount}`, ids: [id] });
  }
}
