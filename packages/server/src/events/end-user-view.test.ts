import { durableEventNames, liveEventNames } from '@svc/contract/event-names';
import { describe, expect, it } from 'vitest';
import { toEndUserEvents, toEndUserMessage, toLoggedEndUserEvent } from './end-user-view.ts';
import type { EventRow, StreamEvent } from './event.ts';

const hidden = 'HIDDEN';
const id = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90';

const message = {
  id,
  role: 'assistant' as const,
  content: 'Your order is on its way.',
  tool_calls: [{ id: hidden, name: hidden, arguments: { hidden }, executed_arguments: { hidden } }],
  tool_call_id: hidden,
  citations: [
    { knowledge_id: hidden, title: 'Terms', source_url: null, quote: 'Two days.', score: 1, hidden },
  ],
  author_name: null,
  rating: null,
  interrupted: false,
  created_at: '2026-11-15T09:30:00.000Z',
  hidden,
};

/** Everything that any event has, so that each view has to choose. */
const everything = {
  turn_id: id,
  conversation_id: id,
  bot_id: id,
  message_id: id,
  after_message_id: id,
  user_message: { ...message, role: 'user' as const },
  message,
  text: 'piece',
  offset: 0,
  from: 3,
  to: 4,
  conversation_url: hidden,
  usage: { hidden },
  cost_usd: hidden,
  by: hidden,
  error: { success: false, code: 'MODEL_REJECTED', message: hidden, request_id: hidden, retryable: true },
  approval_ids: [hidden],
  approval: { hidden },
  tool_call_id: hidden,
  tool_name: hidden,
  arguments: { hidden },
  result: hidden,
  needs_human: { at: hidden, reason: hidden },
  role: 'operator',
  author_name: 'Ann',
};

const durable = (type: string, data: object = everything) =>
  ({ type, data, sequence: 7, turnId: id, createdAt: new Date(0) }) as unknown as EventRow;
const live = (type: string, data: object = everything) =>
  ({ type, data, sequence: null, turnId: id }) as unknown as StreamEvent;

describe('what an end user is sent', () => {
  it.each(durableEventNames)('of %s hides everything internal', (name) => {
    expect(JSON.stringify(toEndUserEvents([durable(name)]))).not.toContain(hidden);
    expect(JSON.stringify(toLoggedEndUserEvent(durable(name))) ?? '').not.toContain(hidden);
  });

  it.each(liveEventNames.filter((name) => name !== 'message.delta'))(
    'of %s hides everything internal',
    (name) => {
      expect(JSON.stringify(toEndUserEvents([live(name)]))).not.toContain(hidden);
    },
  );

  it('are these events, with their own numbers', () => {
    const all = [
      ...durableEventNames.map((name) => durable(name)),
      ...liveEventNames.map((name) => live(name)),
    ];
    const seen = toEndUserEvents(all);
    const unseen = [
      'tool.started',
      'tool.completed',
      'tool.progress',
      'approval.requested',
      'approval.resolved',
      'conversation.updated',
    ];
    const names = [...durableEventNames, ...liveEventNames].filter((name) => !unseen.includes(name));
    expect(seen.map(({ type }) => type)).toEqual(names);
    for (const { type, sequence } of seen) {
      expect(sequence).toBe((liveEventNames as readonly string[]).includes(type) ? null : 7);
    }
  });

  it('of somebody who is typing is their name, if it is not the end user', () => {
    const typing = (role: string) => toEndUserEvents([live('message.typing', { ...everything, role })]);
    expect(typing('operator')).toEqual([
      { type: 'message.typing', sequence: null, data: { author_name: 'Ann' } },
    ]);
    expect(typing('user')).toEqual([]);
  });

  it('of an event that only newer nodes know is nothing', () => {
    expect(toEndUserEvents([durable('turn.imagined'), live('stream.imagined')])).toEqual([]);
  });

  it('of a failure is the general message of its code', () => {
    const [event] = toEndUserEvents([durable('turn.failed')]);
    expect(event?.data).toEqual({
      turn_id: id,
      error: { code: 'MODEL_REJECTED', message: 'The model provider refused the request.', retryable: true },
    });
    const unknown = { turn_id: id, error: { code: 'IMAGINED', message: hidden, retryable: false } };
    expect(toEndUserEvents([durable('turn.failed', unknown)])[0]?.data).toMatchObject({
      error: { code: 'INTERNAL', message: 'Something went wrong on our side.' },
    });
  });

  it('of a turn is whether it was handed off, even if the event is older than hand-offs', () => {
    const data = (fields: object) =>
      toEndUserEvents([durable('turn.completed', { ...everything, ...fields })])[0]?.data;
    expect(data({})).toMatchObject({ handed_off: false });
    expect(data({ handed_off: true, message_id: null })).toMatchObject({
      handed_off: true,
      message_id: null,
    });
  });

  it('of a request for a person is that there is one', () => {
    const needs = (needs_human: unknown, taken_over?: boolean) =>
      toEndUserEvents([durable('conversation.needs_human', { needs_human, taken_over })]).map(
        ({ data }) => data,
      );
    const asked = { at: hidden, reason: hidden };
    expect(needs(asked, true)).toEqual([{ needs_human: true, taken_over: true }]);
    expect(needs(null, false)).toEqual([{ needs_human: false, taken_over: false }]);
    // As the previous release stored it.
    expect(needs(asked)).toEqual([{ needs_human: true, taken_over: false }]);
  });

  it('empties a message whose text was sent and is not valid any more', () => {
    const emptied = { ...message, role: 'user', content: '', interrupted: true } as const;
    expect(toEndUserEvents([durable('message.completed', { message: emptied })])).toMatchObject([
      { sequence: 7, data: { message: { id: message.id, role: 'user', content: '' } } },
    ]);
    expect(toEndUserMessage(emptied)).toBeUndefined();
  });

  it('leaves out messages of tools and messages without a text', () => {
    expect(toEndUserMessage({ ...message, role: 'tool' })).toBeUndefined();
    expect(toEndUserMessage({ ...message, content: '' })).toBeUndefined();
    expect(toEndUserEvents([durable('message.completed', { message: { ...message, content: '' } })])).toEqual(
      [],
    );
    expect(toEndUserMessage({ ...message, role: 'operator', author_name: 'Ann' })).toMatchObject({
      role: 'operator',
      author_name: 'Ann',
      citations: [{ title: 'Terms', source_url: null, quote: 'Two days.' }],
    });
  });
});
