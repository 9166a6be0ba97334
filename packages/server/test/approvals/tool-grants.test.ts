import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { chatWith } from '../support/chat.ts';
import { makeMember } from '../support/members.ts';
import type { RefundBot } from '../support/refund-shop.ts';
import { useRefundDesk } from './use-refund-desk.ts';

const place = useRefundDesk();
const { desk } = place;
const chat = chatWith(() => place.service);

const makeBot = () => desk.makeBot({}, { approval_grants: true });
const listed = async () => (await place.service.call('GET /api/v1/tool-grants')).body;

/** Approves a call of the bot, and all later ones. */
async function allow(bot: RefundBot, more: object = {}, call = place.service.call): Promise<string> {
  const turn = await desk.pause(bot);
  const path = `POST /api/v1/hitl/${turn.approvalIds[0]}/respond` as const;
  const answer = await call(path, { body: { action: 'approve', grant: 'bot', ...more } });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { status: 'approved' } });
  await desk.ending(turn);
  return answer.body.grant_id;
}

/** How a turn of another user ends: `turn.paused` if it is asked about. */
async function endOfTurn({ botId }: Pick<RefundBot, 'botId'>): Promise<string> {
  const user = randomUUID();
  const turn = await chat.say({ bot_id: botId, external_user_id: user, message: 'Please refund order 17.' });
  if (turn.last.event === 'turn.paused') {
    await desk.respond(turn.last.data.approval_ids[0], { action: 'deny' });
    await desk.ending(turn);
  }
  return turn.last.event;
}

it('let later calls of the bot run for anybody, and say who allowed them', async () => {
  const bot = await makeBot();
  const turn = await desk.pause(bot);
  const [id = ''] = turn.approvalIds;
  const asked = await place.service.call(`GET /api/v1/hitl/${id}`);
  expect(asked.body).toMatchObject({ grant_offer: null, tool_grant_offered: true });
  const { body } = await desk.respond(id, { action: 'approve', grant: 'bot' });
  await desk.ending(turn);
  place.shop.refunds.length = 0;
  expect(await endOfTurn(bot)).toBe('turn.completed');
  expect(place.shop.refunds).toHaveLength(1);
  const answered = await place.service.call(`GET /api/v1/hitl?status=resolved&bot_id=${bot.botId}`);
  expect(answered.body[0]).toMatchObject({ status: 'approved', grant_id: body.grant_id });
  expect(await listed()).toContainEqual(
    expect.objectContaining({
      id: body.grant_id,
      tool_id: bot.toolId,
      tool_name: 'refund',
      bot_id: bot.botId,
      expires_at: null,
    }),
  );
  // Of another bot with the same tool, each is asked about.
  const other = await chat.bot({});
  const assignments = [{ tool_type: 'http_request', tool_configuration_id: bot.toolId }];
  await place.service.call('POST /api/v1/tools/assign', { body: { bot_id: other, assignments } });
  expect(await endOfTurn({ botId: other })).toBe('turn.paused');

  const stranger = await place.service.makeWorkspace();
  const path = `DELETE /api/v1/tool-grants/${body.grant_id}` as const;
  expect((await place.service.call(path, { key: stranger.key })).status).toBe(404);
  expect((await place.service.call(path)).status).toBe(200);
  expect(await endOfTurn(bot)).toBe('turn.paused');
  const audit = await place.service.call('GET /api/v1/audit?limit=200');
  const actions = audit.body
    .filter(({ object }: { object: { id: string } }) => object.id === body.grant_id)
    .map(({ action }: { action: string }) => action);
  expect(actions.toSorted()).toEqual(['approval_grant.created', 'approval_grant.revoked']);
});

it('cover what waits in the same turn', async () => {
  const bot = await makeBot();
  const turn = await desk.pause(bot, [
    { order: 17, amount: 1 },
    { order: 18, amount: 2 },
  ]);
  await desk.respond(turn.approvalIds[0] ?? '', { action: 'approve', grant: 'bot' });
  await desk.ending(turn);
  expect(place.shop.refunds.map(({ refund }) => refund.order).toSorted()).toEqual([17, 18]);
});

it('are offered only where the tool permits it', async () => {
  const turn = await desk.pause(await desk.makeBot());
  const [id = ''] = turn.approvalIds;
  expect((await place.service.call(`GET /api/v1/hitl/${id}`)).body).not.toHaveProperty('tool_grant_offered');
  expect(await desk.respond(id, { action: 'approve', grant: 'bot' })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'grant' }] },
  });
  await desk.respond(id, { action: 'deny' });
  await desk.ending(turn);
});

it('end with a change of what the tool does, not with one of its name', async () => {
  const bot = await makeBot();
  const id = await allow(bot);
  const { body: tool } = await place.service.call(`GET /api/v1/tools/${bot.toolId}`);
  const save = (body: object) => place.service.call(`PUT /api/v1/tools/${bot.toolId}`, { body });
  await save({ description: 'Pays money back.', configuration: tool.configuration });
  expect(await endOfTurn(bot)).toBe('turn.completed');
  // A new secret alone may be another account.
  await save({ configuration: { ...tool.configuration, bearer_token: 'another' } });
  expect(await endOfTurn(bot)).toBe('turn.paused');
  expect((await listed()).map((grant: { id: string }) => grant.id)).not.toContain(id);
});

it('end when a node of the previous release changes the tool, which knows nothing of them', async () => {
  const bot = await makeBot();
  await allow(bot);
  await place.service.database.acrossWorkspaces.execute(sql`
    update tools set configuration = jsonb_set(configuration, '{url}', to_jsonb(${`${place.shop.url}/elsewhere`}::text))
    where id = ${bot.toolId}`);
  expect(await endOfTurn(bot)).toBe('turn.paused');
});

it('are over once the tool was switched off, or taken from the bot, even if it comes back', async () => {
  const bot = await makeBot();
  const first = await allow(bot);
  const { call } = place.service;
  await call(`PUT /api/v1/tools/${bot.toolId}`, { body: { is_active: false } });
  await call(`PUT /api/v1/tools/${bot.toolId}`, { body: { is_active: true } });
  expect(await endOfTurn(bot)).toBe('turn.paused');
  const second = await allow(bot);
  const assign = (assignments: object[]) =>
    call('POST /api/v1/tools/assign', { body: { bot_id: bot.botId, assignments } });
  const assigned = { tool_type: 'http_request', tool_configuration_id: bot.toolId };
  await assign([{ ...assigned, tool_instructions: 'Be quick.' }, { tool_type: 'calculator' }]);
  expect(await endOfTurn(bot)).toBe('turn.completed');
  await assign([]);
  await assign([assigned]);
  expect(await endOfTurn(bot)).toBe('turn.paused');
  const left = (await listed()).map(({ id }: { id: string }) => id);
  expect(left).not.toContain(first);
  expect(left).not.toContain(second);
});

it('end with their hour', async () => {
  const bot = await makeBot();
  const before = Date.now();
  const id = await allow(bot, { grant_expires_in: 3_600 });
  const [grant] = (await listed()).filter((one: { id: string }) => one.id === id);
  const minutes = Math.round((Date.parse(grant.expires_at) - before) / 60_000);
  expect(minutes).toBe(60);
  expect(await endOfTurn(bot)).toBe('turn.completed');
  await place.service.database.acrossWorkspaces.execute(
    sql`update tool_grants set expires_at = now() - interval '1 second' where id = ${id}`,
  );
  expect(await endOfTurn(bot)).toBe('turn.paused');
  expect((await listed()).map((one: { id: string }) => one.id)).not.toContain(id);
  // What is over is removed with the next one.
  await allow(bot);
  const { rows } = await place.service.database.acrossWorkspaces.execute(
    sql`select from tool_grants where id = ${id}`,
  );
  expect(rows).toHaveLength(0);
});

it('count no longer than their giver may approve, and cannot be given without that', async () => {
  const bot = await makeBot();
  const operator = await makeMember(place.service, { role: 'operator' });
  await allow(bot, {}, operator.call);
  expect(await endOfTurn(bot)).toBe('turn.completed');
  await place.service.database.acrossWorkspaces.execute(
    sql`delete from members where user_id = ${operator.id}`,
  );
  const weaker = await place.service.makeKey({ abilities: ['conversations:read', 'tools:write'] });
  const turn = await desk.pause(bot);
  const [id = ''] = turn.approvalIds;
  const body = { action: 'approve', grant: 'bot' };
  const respond = (key: string) => place.service.call(`POST /api/v1/hitl/${id}/respond`, { key, body });
  expect((await respond(weaker)).status).toBe(403);
  await desk.respond(id, { action: 'deny' });
  await desk.ending(turn);
});
