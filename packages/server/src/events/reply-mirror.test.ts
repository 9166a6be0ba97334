import { expect, it } from 'vitest';
import { live, type StreamEvent } from './event.ts';
import { createReplyMirror } from './reply-mirror.ts';

const delta = (messageId: string, offset: number, text: string, turnId = 't') =>
  live(turnId, { type: 'message.delta', data: { message_id: messageId, offset, text } });
const snapshot = (messageId: string, text: string) =>
  live('t', { type: 'stream.snapshot', data: { message_id: messageId, text } });
const turn = (
  type: 'turn.resumed' | 'turn.paused' | 'turn.started',
  sequence: number,
  turnId = 't',
): StreamEvent => ({ type, sequence, turnId, data: { turn_id: turnId } }) as never;
const completed = (id: string): StreamEvent =>
  ({ type: 'message.completed', sequence: 2, turnId: 't', data: { message: { id } } }) as never;

function open() {
  let gaps = 0;
  const mirror = createReplyMirror(() => {
    gaps += 1;
  });
  const text = (events: readonly StreamEvent[]) =>
    events.map(({ type, data }) => {
      const { offset = '', text: part = '' } = data as { offset?: number; text?: string };
      return `${type} ${offset} ${part}`.replace('  ', ' ').trim();
    });
  return {
    mirror,
    gaps: () => gaps,
    remote: (...events: StreamEvent[]) => text(mirror.passRemote(events)),
    local: (...events: StreamEvent[]) => text(mirror.passLocal(events)),
  };
}

it('passes deltas that continue the reply, and none after a hole until a snapshot arrives', () => {
  const { mirror, remote, gaps } = open();
  expect(remote(delta('m', 0, 'One'), delta('m', 3, '-two'))).toEqual([
    'message.delta 0 One',
    'message.delta 3 -two',
  ]);
  expect(remote(delta('m', 9, 'x'))).toEqual([]);
  expect(gaps()).toBe(1);
  expect(mirror.snapshots()).toMatchObject([{ data: { message_id: 'm', text: 'One-two' } }]);
  expect(remote(snapshot('m', 'One-two, x'), delta('m', 10, '!'))).toEqual([
    'stream.snapshot One-two, x',
    'message.delta 10 !',
  ]);
  expect(gaps()).toBe(1);
});

it('passes only the part that readers lack', () => {
  const { remote } = open();
  expect(remote(snapshot('m', 'Hello'))).toEqual(['stream.snapshot Hello']);
  expect(remote(snapshot('m', 'Hel'), delta('m', 0, 'Hello'), delta('m', 3, 'lo!'))).toEqual([
    'message.delta 5 !',
  ]);
});

it('requests a snapshot of a reply whose beginning was missed', () => {
  const { remote, gaps } = open();
  expect(remote(delta('m', 4, 'x'))).toEqual([]);
  expect(gaps()).toBe(1);
});

it('passes no preview of a message that is completed or discarded, wherever it comes from', () => {
  const { mirror, remote, local, gaps } = open();
  remote(delta('m', 0, 'One'));
  expect(remote(snapshot('m', ''))).toEqual(['stream.snapshot']);
  expect(remote(delta('m', 3, 'x'), snapshot('m', 'Onex'))).toEqual([]);
  expect(local(delta('m', 3, 'x'))).toEqual([]);
  expect(local(delta('n', 0, 'y'))).toEqual(['message.delta 0 y']);
  remote(completed('n'));
  expect(local(delta('n', 1, 'y'))).toEqual([]);
  mirror.note(completed('o'));
  expect(remote(delta('o', 0, 'z'))).toEqual([]);
  expect(mirror.snapshots()).toEqual([]);
  expect(gaps()).toBe(0);
});

it('passes no preview of a turn that is over, and again when it resumes, even if that is known first', () => {
  const { remote } = open();
  remote(delta('m', 0, 'One'), turn('turn.paused', 5));
  expect(remote(delta('m', 3, 'x'))).toEqual([]);
  remote(turn('turn.resumed', 7), turn('turn.paused', 6));
  expect(remote(delta('n', 0, 'y'))).toEqual(['message.delta 0 y']);
});

it('knows from the log that a turn has resumed, and is not misled by what is older', () => {
  const { mirror, remote } = open();
  remote(turn('turn.paused', 5));
  mirror.note(turn('turn.resumed', 6));
  expect(remote(delta('m', 0, 'One'))).toEqual(['message.delta 0 One']);
  mirror.note(turn('turn.paused', 5));
  mirror.note(turn('turn.paused', 7));
  expect(remote(delta('m', 3, '!'))).toEqual(['message.delta 3 !']);
});

it('knows from the newest event that a turn is over, whatever arrives late', () => {
  const { mirror, remote } = open();
  mirror.noteNewest(turn('turn.paused', 7));
  expect(remote(turn('turn.started', 2), delta('m', 0, 'Old'), snapshot('m', 'Old'))).toEqual([
    'turn.started',
  ]);
  expect(mirror.snapshots()).toEqual([]);
  expect(remote(turn('turn.resumed', 8), delta('n', 0, 'New'))).toEqual([
    'turn.resumed',
    'message.delta 0 New',
  ]);
});

it('knows from a truncation that a reply is over whose end was missed', () => {
  const { mirror, remote } = open();
  remote(delta('m', 0, 'One'));
  mirror.note({ type: 'conversation.truncated', sequence: 4, turnId: null, data: {} } as never);
  expect(mirror.snapshots()).toEqual([]);
  expect(remote(delta('m', 3, ' two'), snapshot('m', 'One two'))).toEqual([]);
  expect(remote(turn('turn.started', 5, 'u'), delta('n', 0, 'New', 'u'))).toEqual([
    'turn.started',
    'message.delta 0 New',
  ]);
  // A reader that is far behind reads it in the middle of a later reply.
  mirror.note({ type: 'conversation.truncated', sequence: 4, turnId: null, data: {} } as never);
  expect(mirror.snapshots()).toMatchObject([{ data: { message_id: 'n', text: 'New' } }]);
});

it('forgets what it mirrored when messages were lost', () => {
  const { mirror, remote, gaps } = open();
  remote(delta('m', 0, 'One'));
  mirror.reset();
  expect(mirror.snapshots()).toEqual([]);
  expect(remote(delta('m', 3, ' two'))).toEqual([]);
  expect(gaps()).toBe(1);
});

it('keeps a reply of this node apart from the one that it mirrors', () => {
  const { mirror, remote, local } = open();
  remote(delta('m', 0, 'One'));
  expect(local(snapshot('m', ''), delta('n', 0, 'New'))).toEqual(['stream.snapshot', 'message.delta 0 New']);
  expect(mirror.snapshots()).toEqual([]);
  expect(remote(delta('m', 3, ' two'))).toEqual([]);
});
