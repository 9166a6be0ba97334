import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepDrafts } from '../../src/bots/drafts/drafts.service.ts';
import { sql } from '../../src/database/drizzle.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { turnStore } from '../../src/turns/turns.store.ts';
import { useRefundDesk } from '../approvals/use-refund-desk.ts';
import { text, toolCalls } from '../scripted-model/script.ts';
import { askedBy, chatWith, turnOf } from '../support/chat.ts';
import { type Member, makeMember } from '../support/members.ts';
import { refund, refundConfiguration, secretToken } from '../support/refund-shop.ts';
import { openSse } from '../support/sse-client.ts';

const place = useRefundDesk();
const chat = chatWith(() => place.service);
let operator: Member;
let botId: string;

beforeAll(async () => {
  operator = await makeMember(place.service, { role: 'operator' });
});
beforeEach(async () => {
  place.scripted.respondWith(() => [text('Certainly.')]);
  botId = await chat.bot({
    system_prompt: 'The saved prompt.',
    bot_type: 'agent',
    agent_goal: 'Count the stock.',
    schedule: '0 9 * * *',
    enable_agent_tracing: true,
  });
});

const save = (body: object, member = operator, id = botId) =>
  member.call(`POST /api/console/bots/${id}/drafts`, { body });
async function drafted(body: object): Promise<number> {
  const answer = await save(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.version;
}
const test = (draft: number, more: object = {}, { cookie, workspaceId } = operator) =>
  openSse(`${place.service.url}/api/console/bots/${botId}/test`, {
    method: 'POST',
    headers: { cookie, origin: place.service.url, 'x-svc-workspace': workspaceId },
    body: { message: 'hello', draft, ...more },
  });
async function turnWith(draft: number, more: object = {}) {
  return turnOf((await (await test(draft, more)).ended()).events);
}
const prompted = () => askedBy(place.scripted.requests.at(-1))[0]?.content;
const rows = async <Row extends Record<string, unknown>>(query: ReturnType<typeof sql>) =>
  (await place.service.database.acrossWorkspaces.execute<Row>(query)).rows;
/** Everything about the bot that live traffic depends on. */
const live = () =>
  rows(sql`select b.*, b.xmin::text as revision, (
      select json_agg(v order by number) from bot_versions v where v.bot_id = b.id and number > 0
    ) as versions, (select count(*)::int from quality_records where bot_id = b.id) as records
    from bots b where id = ${botId}`);

describe('a draft', () => {
  it('answers its tester only: the bot, its schedule, versions, counts and records stay as they are', async () => {
    const before = await live();
    const draft = await drafted({
      fields: { system_prompt: 'The draft.', schedule: '0 10 * * *', enable_confidence_scoring: true },
    });
    expect(draft).toBeLessThan(0);
    const turn = await turnWith(draft);
    expect(turn.last.event).toBe('turn.completed');
    expect(askedBy(place.scripted.requests[0])[0]?.content).toContain('The draft.');
    await chat.say({ bot_id: botId });
    expect(prompted()).toContain('The saved prompt.');

    expect(await live()).toEqual(before);
    const versions = await place.service.call(`GET /api/v1/bots/${botId}/versions`);
    expect(versions.body.map(({ number }: { number: number }) => number)).toEqual([1]);
    const listed = await place.service.call(`GET /api/v1/conversations?bot_id=${botId}`);
    expect(listed.body.map(({ channel }: { channel: string }) => channel)).toEqual(['chat']);
    const shown = (await operator.call(`GET /api/console/bots/${botId}`)).body;
    expect(shown).toMatchObject({ version: 1, tool_count: 0, conversation_count: 1 });
    expect(shown.week.at(-1)).toBe(1);
    const tests = await place.service.call(`GET /api/v1/conversations?channel=test&bot_id=${botId}`);
    expect(tests.body).toMatchObject([{ id: turn.conversationId, external_user_id: operator.id }]);
  });

  it('is used again when it is equal, and continues a conversation as another draft', async () => {
    const one = await drafted({ fields: { system_prompt: 'One.', temperature: 0.2 } });
    const two = await drafted({ fields: { system_prompt: 'Two.' } });
    expect(await drafted({ fields: { temperature: 0.2, system_prompt: 'One.' } })).toBe(one);
    expect(two).not.toBe(one);
    const { conversationId } = await turnWith(one);
    await turnWith(two, { conversation_id: conversationId });
    expect(prompted()).toContain('Two.');
    expect(askedBy(place.scripted.requests.at(-1))).toHaveLength(4);
  });

  it('is refused for the same reasons as a save, at the same fields', async () => {
    const faulty = [
      { temperature: 3 },
      { model: 'nobody/nothing' },
      { schedule: '0 25 * * *' },
      { name: '' },
      { colour: 'blue' },
      { approval_notice: { webhook_url: 'http://10.0.0.1/' } },
    ];
    for (const fields of faulty) {
      const saved = await place.service.call(`PUT /api/v1/bots/${botId}`, { body: fields });
      const draft = await save({ fields });
      expect(draft.status, JSON.stringify(fields)).toBe(saved.status);
      expect(draft.body.details, JSON.stringify(fields)).toEqual(saved.body.details);
    }
    const tools = [{ tool_type: 'nothing' }];
    expect((await save({ fields: {}, tools })).body.details).toEqual([
      { path: 'assignments.0.tool_type', message: 'is not a known type' },
    ]);
    expect(await rows(sql`select from bot_versions where number < 0 and bot_id = ${botId}`)).toEqual([]);
  });

  it('is for operators of its own workspace, who cannot join the tests of others', async () => {
    const draft = await drafted({ fields: {} });
    const { conversationId } = await turnWith(draft);
    const viewer = await makeMember(place.service, { role: 'viewer' });
    expect((await save({ fields: {} }, viewer)).status).toBe(403);
    expect((await test(draft, {}, viewer)).status).toBe(403);
    const { id: workspaceId } = await place.service.makeWorkspace();
    const stranger = await makeMember(place.service, { role: 'owner', workspaceId });
    expect((await save({ fields: {} }, stranger)).status).toBe(404);
    expect((await test(draft, {}, stranger)).status).toBe(404);
    const colleague = await makeMember(place.service, { role: 'operator' });
    expect((await test(draft, { conversation_id: conversationId }, colleague)).status).toBe(404);
    expect((await test(-99)).status).toBe(404);
    const withKey = await place.service.call(`POST /api/console/bots/${botId}/drafts`, { body: {} });
    expect(withKey.status).toBe(403);
    expect((await place.service.call(`GET /api/v1/bots/${botId}/versions/${draft}`)).status).toBe(404);
  });

  it('does not ask before a call that only reads, unless its tool asks', async () => {
    const call = async (approval: 'never' | 'always') => {
      const tool = await place.service.call('POST /api/v1/tools', {
        body: {
          tool_type: 'http_request',
          name: `look_up_${approval}`,
          description: 'Looks it up.',
          configuration: { method: 'GET', url: `${place.service.url}/healthz`, approval },
        },
      });
      const tools = [{ tool_type: 'http_request', tool_configuration_id: tool.body.id }];
      const draft = await drafted({ fields: {}, tools });
      place.scripted.respondWith(({ body }) =>
        (body['messages'] as { role: string }[]).some(({ role }) => role === 'tool')
          ? [text('There it is.')]
          : [toolCalls([{ name: `look_up_${approval}`, arguments: {} }])],
      );
      return (await turnWith(draft)).last.event;
    };
    expect(await call('never')).toBe('turn.completed');
    expect(await call('always')).toBe('turn.paused');
  });

  it('asks even about calls that were allowed for the bot, and cannot be where they are', async () => {
    const bot = await place.desk.makeBot({}, { approval_grants: true });
    const turn = await place.desk.pause(bot);
    await place.desk.respond(turn.approvalIds[0] ?? '', { action: 'approve', grant: 'bot' });
    await place.desk.ending(turn);
    place.shop.refunds.length = 0;
    const tools = [{ tool_type: 'http_request', tool_configuration_id: bot.toolId }];
    const { body } = await save({ fields: {}, tools }, operator, bot.botId);
    const tested = await openSse(`${place.service.url}/api/console/bots/${bot.botId}/test`, {
      method: 'POST',
      headers: {
        cookie: operator.cookie,
        origin: place.service.url,
        'x-svc-workspace': operator.workspaceId,
      },
      body: { message: 'Please refund order 17.', draft: body.version },
    });
    const turnTested = turnOf((await tested.ended()).events);
    expect(turnTested.last.event).toBe('turn.paused');
    const [id] = turnTested.last.data.approval_ids;
    expect((await place.service.call(`GET /api/v1/hitl/${id}`)).body).not.toHaveProperty(
      'tool_grant_offered',
    );
    expect(await place.desk.respond(id, { action: 'approve', grant: 'bot' })).toMatchObject({ status: 400 });
    await place.desk.respond(id, { action: 'deny' });
    await place.desk.ending(turnTested);
    expect(place.shop.refunds).toEqual([]);
  });

  it('has its own tools, asks before they change anything, and masks their secrets', async () => {
    const configuration = {
      ...refundConfiguration(place.shop),
      approval: 'never',
      bearer_token: secretToken,
    };
    const tool = await place.service.call('POST /api/v1/tools', {
      body: { tool_type: 'http_request', name: 'refund', description: 'Refunds.', configuration },
    });
    const tools = [{ tool_type: 'http_request', tool_configuration_id: tool.body.id }];
    const notified = { approval_notice: { webhook_url: `${place.shop.url}/notices` } };
    await place.service.call(`PUT /api/v1/bots/${botId}`, { body: notified });
    const draft = await drafted({ fields: { enable_agent_tracing: true }, tools });
    place.scripted.respondWith(({ body }) =>
      (body['messages'] as { role: string }[]).some(({ role }) => role === 'tool')
        ? [text(`Done with ${secretToken}.`)]
        : [toolCalls([{ name: 'refund', arguments: refund }])],
    );
    const turn = await turnWith(draft);
    expect(turn.last.event).toBe('turn.paused');
    const [approval] = turn.last.data.approval_ids;
    const answer = await operator.call(`POST /api/v1/hitl/${approval}/respond`, {
      body: { action: 'approve' },
    });
    expect(answer).toMatchObject({ status: 200, body: { status: 'approved' } });
    await place.desk.ending(turn);
    expect(place.shop.refunds).toMatchObject([{ path: '/refunds', refund }]);
    const trace = await place.service.call(`GET /api/v1/conversations/${turn.conversationId}/trace`);
    expect(JSON.stringify(trace.body)).toContain('Done with');
    expect(JSON.stringify(trace.body)).not.toContain(secretToken);
    const assigned = await place.service.call(`GET /api/v1/tools/bot?bot_id=${botId}`);
    expect(assigned.body).toEqual([]);
    expect(await rows(sql`select from pgboss.job where name like '%notice%'`)).toEqual([]);
  });
});

describe('a hand-off in a test', () => {
  it('stops the test and is not in the queue of the workspace', async () => {
    const draft = await drafted({ fields: {}, tools: [{ tool_type: 'handoff' }] });
    place.scripted.enqueue([toolCalls([{ name: 'handoff', arguments: { reason: 'x' } }])], [text('Coming.')]);
    const turn = await turnWith(draft);
    const approval = `POST /api/v1/hitl/${turn.last.data.approval_ids[0]}/respond`;
    await operator.call(approval, { body: { action: 'approve' } });
    await place.desk.ending(turn);
    const { body } = await place.service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    expect(body.needs_human).toMatchObject({ reason: 'x' });
    expect((await operator.call('GET /api/console/waiting')).body.handoffs).toBe(0);
    expect((await operator.call('GET /api/console/overview')).body.handoffs).toEqual([]);
  });
});

describe('a save', () => {
  const publish = (body: object) => operator.call(`PUT /api/console/bots/${botId}`, { body });
  const read = async () => (await operator.call(`GET /api/console/bots/${botId}`)).body;

  it('makes one version of fields and tools, or none if one of them cannot be saved', async () => {
    const tools = [{ tool_type: 'calculator' }];
    const fields = { name: 'Both', enable_agent_tracing: true };
    const unknown = [{ tool_type: 'http_request', tool_configuration_id: randomUUID() }];
    const refused = await publish({ version: 1, fields, tools: unknown });
    expect(refused).toMatchObject({
      status: 404,
      body: { details: [{ path: 'assignments.0.tool_configuration_id' }] },
    });
    const wrong = await publish({ version: 1, fields: { temperature: 3 }, tools });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'temperature' }] } });
    expect(await read()).toMatchObject({ version: 1, tool_count: 0 });

    expect(await publish({ version: 1, fields, tools })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await read()).toMatchObject({ name: 'Both', version: 2, tool_count: 1 });
    const versions = await place.service.call(`GET /api/v1/bots/${botId}/versions`);
    expect(versions.body[0]).toMatchObject({ number: 2, changes: ['name', 'tools'] });
    const audit = await place.service.call(`GET /api/v1/audit?object=${botId}&action=bot.updated`);
    expect(audit.body).toHaveLength(1);
    expect(audit.body[0].changes).toMatchObject([
      { field: 'name', after: 'Both' },
      { field: 'tools', before: [], after: [{ tool_type: 'calculator' }] },
    ]);
  });

  it('is refused when somebody else has saved since, however close they are', async () => {
    const saves = ['One', 'Two', 'Three'].map((name) => publish({ version: 1, fields: { name } }));
    const answers = await Promise.all(saves);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const lost = answers.find(({ status }) => status === 409);
    expect(lost?.body).toMatchObject({ code: 'BOT_CHANGED', details: [{ version: 2 }] });
    expect(await read()).toMatchObject({ version: 2 });
  });
});

describe('the sweep', () => {
  it('removes drafts after a day, unless a conversation was held with them', async () => {
    const kept = await drafted({ fields: { system_prompt: 'Kept.' } });
    await turnWith(kept);
    const unused = await drafted({ fields: { system_prompt: 'Unused.' } });
    const numbers = async () =>
      (
        await rows<{ number: number }>(
          sql`select number from bot_versions where number < 0 and bot_id = ${botId} order by 1 desc`,
        )
      ).map(({ number }) => number);
    expect(await numbers()).toEqual([kept, unused]);
    await place.service.database.acrossWorkspaces.execute(
      sql`update bot_versions set created_at = created_at - interval '25 hours' where number < 0 and bot_id = ${botId}`,
    );
    const young = await drafted({ fields: { system_prompt: 'Young.' } });
    const { database } = place.service;
    await sweepDrafts({ database, clock: systemClock }, ({ workspaceId, botId: id, number }) =>
      turnStore.usesDraft(database.acrossWorkspaces, workspaceId, id, number),
    );
    expect(await numbers()).toEqual([kept, young]);
    expect(await drafted({ fields: { system_prompt: 'Kept.' } })).toBe(kept);
  });
});

describe('the models', () => {
  it('are listed with their prices', async () => {
    const { body } = await operator.call('GET /api/console/models');
    expect(body).toMatchObject({ default_model: 'openai/gpt-4o', is_built_in_only: false });
    expect(body.models).toContainEqual({
      id: 'openai/gpt-4o',
      provider: 'openai',
      price: { input: 2.5, cached_input: 1.25, output: 10 },
    });
    expect(body.variables).toContain('ANTHROPIC_API_KEY');
    expect(JSON.stringify(body)).not.toContain('embedding');
  });
});
