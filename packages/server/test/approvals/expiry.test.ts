import { beforeEach, expect, it } from 'vitest';
import { resolvedIn } from '../support/refund-shop.ts';
import { useRefundDesk } from './use-refund-desk.ts';

let now = new Date();
const place = useRefundDesk({ clock: { now: () => now } });
const { desk } = place;

beforeEach(() => {
  now = new Date();
});

const day = 24 * 60 * 60 * 1000;
const reason = 'Nobody answered in time.';

it.each([
  ['an approval', { action: 'approve' }],
  ['a denial', { action: 'deny', text: 'No.' }],
  ['an approval with changes', { action: 'approve_edited', edited_args: { order: 1, amount: 1 } }],
  ['an answer that would not fit either', { action: 'approve_edited', edited_args: { order: 'x' } }],
])('%s that comes too late finds it expired, and the turn continues immediately', async (_what, answer) => {
  const turn = await desk.pause(await desk.makeBot());
  const [id = ''] = turn.approvalIds;
  now = new Date(now.getTime() + day);
  expect(await desk.respond(id, answer)).toMatchObject({
    status: 409,
    body: { code: 'ALREADY_RESOLVED', details: [{ id, status: 'expired', reason, resolved_by: null }] },
  });
  const events = await desk.ending(turn);
  expect(resolvedIn(events)).toEqual([expect.objectContaining({ id, status: 'expired', reason })]);
  expect(events.filter(({ event }) => event === 'turn.resumed')).toHaveLength(1);
  expect(place.shop.refunds).toEqual([]);
  expect(JSON.stringify(place.scripted.requests.at(-1)?.body['messages'])).toContain(
    'Nobody approved this call',
  );
});

it('an answer in the last millisecond counts', async () => {
  const turn = await desk.pause(await desk.makeBot());
  now = new Date(now.getTime() + day - 1);
  expect((await desk.respond(turn.approvalIds[0] ?? '', { action: 'approve' })).status).toBe(200);
  await desk.ending(turn);
  expect(place.shop.refunds).toHaveLength(1);
});
