import { beforeEach, describe, expect, it } from 'vitest';
import { text, toolCalls } from '../scripted-model/script.ts';
import { chatWith } from '../support/chat.ts';
import {
  type RefundBot,
  refund,
  refundConfiguration,
  resolvedIn,
  secretToken,
} from '../support/refund-shop.ts';
import { useRefundDesk } from './use-refund-desk.ts';

const place = useRefundDesk();
const { desk } = place;
const chat = chatWith(() => place.service);
let bot: RefundBot;

beforeEach(async () => {
  bot = await desk.makeBot();
});

async function put(body: object): Promise<void> {
  expect(await place.service.call(`PUT /api/v1/tools/${bot.toolId}`, { body })).toMatchObject({
    status: 200,
  });
}
const configure = (change: object) =>
  put({ configuration: { ...refundConfiguration(place.shop), ...change } });
async function assign(assignments: object[]): Promise<void> {
  const body = { bot_id: bot.botId, assignments };
  expect(await place.service.call('POST /api/v1/tools/assign', { body })).toMatchObject({ status: 200 });
}
const assigned = (more: object = {}) => ({
  tool_type: 'http_request',
  tool_configuration_id: bot.toolId,
  ...more,
});
const toldModel = () => JSON.stringify(place.scripted.requests.at(-1)?.body['messages']);
const reason = 'The tool was changed or removed after the call was proposed.';

const changes: [string, () => Promise<unknown>][] = [
  ['sent elsewhere', () => configure({ url: `${place.shop.url}/gifts` })],
  ['given another body', () => configure({ body: { order: '{{order}}', amount: 99 } })],
  ['given another secret', () => configure({ bearer_token: 'another' })],
  ['left without its secret', () => configure({ auth_type: 'none', bearer_token: null })],
  ['made inactive', () => put({ is_active: false })],
  ['taken from the bot', () => assign([])],
  ['deleted', () => place.service.call(`DELETE /api/v1/tools/${bot.toolId}`)],
];

describe('a tool that is changed while its call waits for approval', () => {
  it.each(changes)('does not run when it was %s', async (_how, change) => {
    const turn = await desk.pause(bot);
    await change();
    const [id = ''] = turn.approvalIds;
    const answer = await desk.respond(id, { action: 'approve' });
    expect(answer).toMatchObject({
      status: 409,
      body: {
        code: 'ALREADY_RESOLVED',
        message: expect.stringContaining(reason),
        details: [{ id, status: 'expired', reason, resolved_by: null }],
      },
    });
    const events = await desk.ending(turn);
    expect(resolvedIn(events)).toEqual([expect.objectContaining({ id, status: 'expired', reason })]);
    expect(events.find(({ event }) => event === 'tool.completed')?.data.status).toBe('denied');
    expect(events.map(({ event }) => event)).not.toContain('tool.started');
    expect(events.at(-1)?.event).toBe('turn.completed');
    expect(place.shop.refunds).toEqual([]);
    expect(toldModel()).toMatch(/was changed .* did not run\. You may propose it again/);
    expect(await desk.respond(id, { action: 'approve' })).toMatchObject({
      status: 409,
      body: { details: [{ status: 'expired', reason }] },
    });
  });

  it.each(changes)('does not run when it was %s after the answer', async (_how, change) => {
    // The second approval keeps the turn waiting after the first was given.
    const turn = await desk.pause(bot, [refund, { order: 18, amount: 1 }]);
    const [first = '', second = ''] = turn.approvalIds;
    expect((await desk.respond(first, { action: 'approve' })).status).toBe(200);
    await change();
    expect(await desk.respond(second, { action: 'deny', text: 'No.' })).toMatchObject({ status: 200 });
    const events = await desk.ending(turn);
    expect(resolvedIn(events)).toEqual([
      expect.objectContaining({ id: first, status: 'approved', reason: null }),
      expect.objectContaining({ id: second, status: 'denied', reason: 'No.' }),
      expect.objectContaining({ id: first, status: 'expired', reason, resolved_by: null }),
    ]);
    expect(events.map(({ event }) => event)).not.toContain('tool.started');
    expect(place.shop.refunds).toEqual([]);
    expect(toldModel()).toMatch(/was changed .* did not run\. You may propose it again/);
    expect(await desk.respond(first, { action: 'approve' })).toMatchObject({
      status: 409,
      body: { details: [{ status: 'expired' }] },
    });
  });

  it('is refused when no fingerprint was stored to compare it with', async () => {
    const turn = await desk.pause(bot, [refund, { order: 18, amount: 1 }]);
    const [first = '', second = ''] = turn.approvalIds;
    expect((await desk.respond(first, { action: 'approve' })).status).toBe(200);
    await place.service.database.acrossWorkspaces.raw(
      'update approvals set fingerprint = null where id = $1',
      [first],
    );
    expect((await desk.respond(second, { action: 'deny' })).status).toBe(200);
    const told = 'It can no longer be verified that the tool is unchanged.';
    expect(resolvedIn(await desk.ending(turn)).at(-1)).toMatchObject({
      id: first,
      status: 'expired',
      reason: told,
    });
    expect(toldModel()).toContain(told);
    expect(place.shop.refunds).toEqual([]);
  });

  it('still runs the other calls of the turn', async () => {
    const other = await desk.makeBot();
    await put({ name: 'gift' });
    await assign([assigned(), { tool_type: 'http_request', tool_configuration_id: other.toolId }]);
    const calls = [
      { name: 'gift', arguments: { order: 1, amount: 1 } },
      { name: 'refund', arguments: { order: 2, amount: 2 } },
    ];
    place.scripted.enqueue([toolCalls(calls)], [text('So be it.')]);
    const turn = await chat.say({ bot_id: bot.botId });
    const [first = '', second = ''] = turn.last.data.approval_ids as string[];
    await desk.respond(first, { action: 'approve_edited', edited_args: { order: 1, amount: 3 } });
    await configure({ url: `${place.shop.url}/gifts` });
    await desk.respond(second, { action: 'approve' });
    const events = await desk.ending(turn);
    expect(resolvedIn(events).map(({ status }) => status)).toEqual([
      'approved_edited',
      'approved',
      'expired',
    ]);
    expect(place.shop.refunds.map(({ refund: done }) => done)).toEqual([{ order: 2, amount: 2 }]);
    const numbers = events.flatMap((one) => one.id ?? []);
    expect(numbers).toEqual(numbers.map((_number, index) => (numbers[0] ?? 0) + index));
    expect(toldModel()).not.toContain('A person changed the arguments');
  });

  it('can be denied anyway', async () => {
    const turn = await desk.pause(bot);
    await configure({ url: `${place.shop.url}/gifts` });
    const answer = await desk.respond(turn.approvalIds[0] ?? '', { action: 'deny', text: 'Never.' });
    expect(answer.body).toMatchObject({ status: 'denied' });
    const [approval] = resolvedIn(await desk.ending(turn));
    expect(approval).toMatchObject({ status: 'denied', reason: 'Never.' });
  });
});

describe('a tool runs as it was approved', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['it was renamed', () => put({ name: 'pay back', description: 'Other words.' })],
    ['its metadata was replaced', () => put({ metadata: { team: 'a' }, preset_id: null })],
    ['it was saved as it was', () => configure({ bearer_token: secretToken })],
    ['it was changed and changed back', () => configure({ timeout_ms: 5_000 }).then(() => configure({}))],
    ['its assignment has other words', () => assign([assigned({ tool_instructions: 'Be quick.' })])],
    ['it has another tool beside it', () => assign([{ tool_type: 'calculator' }, assigned()])],
  ])('when %s', async (_how, change) => {
    const turn = await desk.pause(bot);
    await change();
    expect((await desk.respond(turn.approvalIds[0] ?? '', { action: 'approve' })).status).toBe(200);
    await desk.ending(turn);
    expect(place.shop.refunds).toEqual([
      { path: '/refunds', authorization: `Bearer ${secretToken}`, refund },
    ]);
  });
});

it('stores a fingerprint that reveals nothing about the secrets of the tool', async () => {
  const turn = await desk.pause(bot, [refund, refund]);
  const { rows } = await place.service.database.acrossWorkspaces.raw(
    'select fingerprint from approvals where turn_id = $1',
    [turn.turnId],
  );
  // Equal fingerprints would reveal equal secrets, and a plain hash could be brute-forced.
  const [one, other] = (rows as { fingerprint: Buffer }[]).map(({ fingerprint }) =>
    fingerprint.toString('hex'),
  );
  expect(one?.length).toBeGreaterThan(100);
  expect(one).not.toBe(other);
  for (const id of turn.approvalIds) await desk.respond(id, { action: 'deny' });
  await desk.ending(turn);
});
