import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messages } from '../../src/conversations/conversations.tables.ts';
import { and, eq, inArray, sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { giveUpLeftHooks } from '../../src/voice/post-call/give-up-hooks.ts';
import { runHook } from '../../src/voice/post-call/run-hook.ts';
import { voiceCallStore } from '../../src/voice-calls/voice-calls.store.ts';
import { voiceCallTurns } from '../../src/voice-calls/voice-calls.tables.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { openLive } from '../console/support/live-client.ts';
import { text, usage } from '../scripted-model/script.ts';
import type { ScriptedModel } from '../scripted-model/server.ts';
import { askedBy } from '../support/chat.ts';
import { until } from '../support/faults/until.ts';
import { recordingsInDatabase } from '../support/make-call.ts';
import { makeMember } from '../support/members.ts';
import type { OutsideServer } from '../support/outside-server.ts';
import type { TestApp } from '../support/test-app.ts';
import { type CallToEnd, callSeconds, type EndedCalls } from './ended-calls.ts';
import { callValues, openPostCallStage, type PostCallStage } from './post-call-stage.ts';

let stage: PostCallStage;
let scripted: ScriptedModel;
let service: TestApp;
let outside: OutsideServer;
let calls: EndedCalls;
let received: PostCallStage['received'];
let workspace: { id: string; key: string };
let botId: string;

beforeAll(async () => {
  stage = await openPostCallStage();
  ({ scripted, service, outside, calls, received } = stage);
});
afterAll(() => stage.close());
beforeEach(async () => {
  scripted.respondWith([text('They want tea.'), usage(1_000, 100)]);
  workspace = await service.makeWorkspace();
  botId = await makeBot();
});
afterEach(() => {
  scripted.reset();
  received.length = 0;
});

const call = (operation: string, body?: unknown, key = workspace.key) =>
  service.call(operation, { key, ...(body !== undefined && { body }) });

async function created(operation: string, body: object): Promise<string> {
  const answer = await call(operation, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.id;
}

const makeBot = (fields: object = {}) =>
  created('POST /api/v1/bots', { name: 'x', system_prompt: 'x', ...fields });

const makeTool = (path: string, fields: object = {}) => {
  const parameters = { type: 'object', properties: { all: {} } };
  const request = { method: 'POST', url: outside.url + path, body: '{{all}}', parameters };
  const configuration = { ...request, ...fields };
  const tool = { tool_type: 'http_request', name: path.slice(1), description: 'x', configuration };
  return created('POST /api/v1/tools', tool);
};

async function makeHook(path: string, all: unknown, fields: object = {}): Promise<string> {
  const tool_configuration_id = await makeTool(path);
  const body = { tool_configuration_id, params_template: { all }, ...fields };
  await created(`POST /api/v1/bots/${botId}/post-call-hooks`, body);
  return tool_configuration_id;
}

const endCall = (more: Partial<CallToEnd> = {}) => calls.end({ workspaceId: workspace.id, botId, ...more });

const read = async (callId: string) => (await call(`GET /api/v1/conversations/${callId}`)).body.call;

/** The call when all its hooks have ended. */
async function settled(callId: string) {
  let seen: { summary: string | null; cost_usd: string; hooks: { ended_at: string | null }[] } | undefined;
  const isSettled = async () => {
    seen = await read(callId);
    return seen?.hooks.every(({ ended_at }) => ended_at !== null) === true;
  };
  await until('all hooks have ended', isSettled, { detail: () => JSON.stringify(seen) });
  return seen;
}

it('truncating its conversation also removes the summary, the recording and the figures of the removed turns', async () => {
  const turns = [newId(), newId()];
  const callId = await endCall({
    said: [
      ['assistant', 'Good morning.'],
      ['user', 'I want tea.'],
      ['assistant', 'Green?'],
      ['user', 'My secret is Oolong.'],
      ['assistant', 'Noted.'],
    ],
    async within(tx, id) {
      for (const [index, turnId] of turns.entries()) {
        await tx.execute(
          sql`insert into turns (id, workspace_id, conversation_id, bot_id, status)
            values (${turnId}, ${workspace.id}, ${id}, ${botId}, 'completed')`,
        );
        await tx.insert(voiceCallTurns).values({ turnId, workspaceId: workspace.id, callId: id });
        const sequences = [2 * index + 2, 2 * index + 3];
        await tx
          .update(messages)
          .set({ turnId })
          .where(and(eq(messages.conversationId, id), inArray(messages.sequence, sequences)));
      }
    },
  });
  await until('there is a summary', async () => (await read(callId)).summary !== null);
  const recordings = recordingsInDatabase(service.database);
  const row = { id: callId, workspaceId: workspace.id, botId };
  const append = (position: number) =>
    recordings.append(row, { position, audio: Buffer.alloc(16_000), bytes: 16_000, marks: [] });
  await recordings.begin(row, 8_000);
  await append(0);
  const { body } = await call(`GET /api/v1/conversations/${callId}`);
  expect(body.call.turns).toHaveLength(2);
  const truncate = (messageId: string) =>
    call(`POST /api/v1/conversations/${callId}/truncate`, { message_id: messageId });
  // Nothing is removed, so nothing is out of date.
  expect(await truncate(body.messages.at(-1).id)).toMatchObject({ body: { removed_messages: 0 } });
  expect(await read(callId)).toMatchObject({ summary: 'They want tea.', recording_ms: 1_000 });
  expect(await truncate(body.messages[2].id)).toMatchObject({ status: 200, body: { removed_messages: 2 } });
  expect(await read(callId)).toMatchObject({
    summary: null,
    recording_ms: null,
    turns: [{ turn_id: turns[0] }],
  });
  expect(await call(`GET /api/v1/calls/${callId}/recording`)).toMatchObject({ status: 404 });
  const { rows: parts } = await service.database.acrossWorkspaces.execute(
    sql`select from call_recording_parts where call_id = ${callId}`,
  );
  expect(parts).toEqual([]);
  expect(await append(1)).toBe(false);
  expect(
    await voiceCallStore.addSummary(
      service.database.acrossWorkspaces,
      { workspaceId: workspace.id, id: callId },
      'Oolong.',
    ),
  ).toBe(false);
});

describe('after a call', () => {
  it('a summary is written, and the hooks run in order, whatever becomes of them', async () => {
    await makeHook('/third', { said: '{{transcript}}', by: '{{conversation_id}}' }, { run_order: 3 });
    await makeHook('/broken', '{{summary}}', { run_order: 1 });
    await makeHook('/disabled', 'x', { run_order: 1, enabled: false });
    const whole = { text: 'Took {{call.duration_seconds}} s', seconds: '{{call.duration_seconds}}' };
    await makeHook('/second', { ...whole, to: '{{call.to_number}}', call: '{{call.*}}' }, { run_order: 2 });
    const callId = await endCall();

    const ended = await settled(callId);
    // 1,000 tokens at 10 USD per million and 100 at 100.
    expect(ended).toMatchObject({ summary: 'They want tea.', cost_usd: '0.02' });
    expect(ended?.hooks).toMatchObject([
      { tool_name: 'broken', status: 'error', error: expect.stringContaining('500') },
      { tool_name: 'second', tool_type: 'http_request', status: 'ok', error: null },
      { tool_name: 'third', status: 'ok', started_at: expect.any(String) },
    ]);
    const { answered_at, ended_at } = await read(callId);
    expect(received).toEqual([
      { path: '/broken', body: 'They want tea.' },
      {
        path: '/second',
        body: {
          text: `Took ${callSeconds} s`,
          seconds: callSeconds,
          to: null,
          call: {
            call_id: callId,
            direction: 'inbound',
            from_number: '+15550100',
            to_number: null,
            status: 'completed',
            end_reason: 'caller_hung_up',
            duration_seconds: callSeconds,
            cost_usd: '0.02',
            answered_at,
            ended_at,
            bot_id: botId,
          },
        },
      },
      {
        path: '/third',
        body: { said: 'Bot: Good morning.\nCaller: I want {{summary}} tea.', by: callId },
      },
    ]);
    expect(scripted.requests).toHaveLength(1);
    expect(askedBy(scripted.requests[0]).at(-1)?.content).toContain('Caller: I want {{summary}} tea.');
    const { rows } = (await call('GET /api/v1/usage?by=bot')).body;
    expect(rows).toMatchObject([{ bot: botId, input_tokens: 1_000, cost_usd: '0.02' }]);
  });

  it('a tool that was deleted or made inactive is an outcome, and the others run', async () => {
    const deleted = await makeHook('/deleted', 'x', { run_order: 1 });
    const inactive = await makeHook('/inactive', 'x', { run_order: 2 });
    await makeHook('/last', 'x', { run_order: 3 });
    const within: CallToEnd['within'] = async (tx) => {
      await tx.execute(sql`delete from tools where id = ${deleted}`);
      await tx.execute(sql`update tools set is_active = false where id = ${inactive}`);
    };
    expect((await settled(await endCall({ within })))?.hooks).toMatchObject([
      { tool_name: 'deleted', status: 'error', error: 'The tool was deleted.', started_at: null },
      { tool_name: 'inactive', status: 'error', error: 'The tool is inactive.' },
      { tool_name: 'last', status: 'ok' },
    ]);
    expect(received).toEqual([{ path: '/last', body: 'x' }]);
  });

  it('arguments that do not fit the tool, and a call of another function, are errors', async () => {
    const tool = await makeTool('/strict', {
      parameters: { type: 'object', properties: { all: { type: 'integer' } }, required: ['all'] },
    });
    const other = await makeTool('/other');
    const hooks = `POST /api/v1/bots/${botId}/post-call-hooks`;
    const said = { tool_configuration_id: tool, params_template: { all: '{{transcript}}' } };
    await created(hooks, said);
    const params_template = { $function: 'nothing', all: 1 };
    await created(hooks, { tool_configuration_id: other, params_template, run_order: 1 });
    expect((await settled(await endCall()))?.hooks).toMatchObject([
      { status: 'error', error: expect.stringContaining('The arguments do not fit: ') },
      { status: 'error', error: 'The tool offers request: name one as $function in params_template.' },
    ]);
    expect(received).toEqual([]);
  });

  it('consoles learn about it', async () => {
    const viewer = await makeMember(service, { role: 'viewer', workspaceId: workspace.id });
    const live = await openLive(service.url, viewer);
    await makeHook('/one', 'x');
    // Without a summary nothing but the hook is announced.
    const callId = await endCall({ said: [] });
    await live.next({ type: 'changed', object: 'conversation', id: callId });
    await settled(callId);
    live.socket.terminate();
  });

  it('two attempts at the same time run each hook once between them', async () => {
    const paths = ['/one', '/two', '/three'];
    for (const [run_order, path] of paths.entries()) await makeHook(path, 'x', { run_order });
    const within: CallToEnd['within'] = (tx, callId) =>
      calls.enqueueAgain(tx, { workspaceId: workspace.id, callId });
    await settled(await endCall({ within, said: [] }));
    // The attempt that lost may have been the one that reports the end: the request may still be under way.
    await until('all have arrived', () => received.length >= paths.length);
    expect(received.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
  });

  it('what no attempt could run ends as an error when there are no attempts left', async () => {
    await makeHook('/first', 'x', { run_order: 1 });
    await makeHook('/stuck', 'x', { run_order: 2 });
    await makeHook('/never', 'x', { run_order: 3 });
    const query = service.database.acrossWorkspaces;
    // The service cannot write that this one has started.
    await query.execute(sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise 'refused'; end $$`);
    await query.execute(sql`create trigger refuse before update on voice_call_hooks for each row
      when (new.tool_name = 'stuck' and new.status = 'started') execute function refuse()`);
    const within: CallToEnd['within'] = async (tx, callId) => {
      await tx.execute(
        sql`update pgboss.job set retry_count = retry_limit where data->>'callId' = ${callId}`,
      );
    };
    const ended = await settled(await endCall({ within }));
    await query.execute(sql`drop function refuse() cascade`);
    const error = 'It was not run: the work after this call failed too many times.';
    expect(ended?.hooks).toMatchObject([
      { tool_name: 'first', status: 'ok' },
      { tool_name: 'stuck', status: 'error', error, started_at: null },
      { tool_name: 'never', status: 'error', error, started_at: null },
    ]);
    expect(received.map(({ path }) => path)).toEqual(['/first']);
  });
});

describe('hooks that no attempt works on', () => {
  /** As if the job were being worked on, or gone. */
  const withoutJob: CallToEnd['within'] = async (tx, callId) => {
    await tx.execute(sql`delete from pgboss.job where data->>'callId' = ${callId}`);
  };

  it('end when the process was killed during the last one, and wait as long as there is a job', async () => {
    await makeHook('/first', 'x', { run_order: 1 });
    await makeHook('/second', 'x', { run_order: 2 });
    const killed = await endCall({
      async within(tx, callId) {
        await withoutJob(tx, callId);
        await tx.execute(sql`update voice_call_hooks set status = 'started', started_at = now()
          where call_id = ${callId} and tool_name = 'first'`);
      },
    });
    const later = (callId: string) =>
      sql`update pgboss.job set start_after = now() + interval '1 hour' where data->>'callId' = ${callId}`;
    const waiting = await endCall({ within: async (tx, callId) => void (await tx.execute(later(callId))) });
    // Neither has been over for a minute.
    await giveUpLeftHooks(calls.dependencies);
    expect((await read(killed)).hooks).toMatchObject([{ status: 'started' }, { status: 'pending' }]);
    await giveUpLeftHooks(calls.dependencies, 0);
    expect((await read(killed)).hooks).toMatchObject([
      { status: 'unknown', error: expect.stringContaining('may or may not') },
      { status: 'error', error: expect.stringContaining('was not run'), ended_at: expect.any(String) },
    ]);
    expect((await read(waiting)).hooks).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
    expect(received).toEqual([]);
  });

  it.each([
    ['POST', 'unknown'],
    ['GET', 'error'],
  ])('end at their time limit: a %s as %s', async (method, status) => {
    const tool_configuration_id = await makeTool('/silent', {
      method,
      ...(method === 'GET' && { body: undefined }),
    });
    await created(`POST /api/v1/bots/${botId}/post-call-hooks`, { tool_configuration_id });
    const callId = await endCall({ within: withoutJob });
    const [hook] = await calls.dependencies.callRecords.listHooks(workspace.id, callId);
    const given = { call: callValues, transcript: '', summary: '', conversationId: callId };
    const limited = { ...calls.dependencies, hookLimitMilliseconds: 300 };
    if (hook) await runHook(hook, botId, given, limited, new AbortController().signal);
    const error = 'It did not end within 0.3 seconds.';
    expect((await read(callId)).hooks).toMatchObject([{ status, error, started_at: expect.any(String) }]);
  });
});

describe('there is no summary', () => {
  const cases: Record<string, () => Promise<Partial<CallToEnd>>> = {
    'by the built-in model': async () => ({ botId: await makeBot({ model: 'builtin/extractive' }) }),
    'if the caller said nothing': async () => ({ said: [['assistant', 'Good morning.']] }),
    'if the call was not answered': async () => ({
      fields: { status: 'no_answer', endReason: 'no_answer', answeredAt: null },
    }),
    'if it cannot be paid for': async () => {
      await createWorkspaceService(service).changePlan(workspace.id, { addCreditUsd: '0' });
      return {};
    },
  };
  it.each(Object.entries(cases))('%s, and the hooks run without it', async (_name, prepare) => {
    const ending = await prepare();
    botId = ending.botId ?? botId;
    await makeHook('/one', 'Summary: {{summary}}');
    expect(await settled(await endCall(ending))).toMatchObject({
      summary: null,
      hooks: [{ status: 'ok' }],
    });
    expect(received).toEqual([{ path: '/one', body: 'Summary: ' }]);
    expect(scripted.requests).toEqual([]);
  });

  it('but the one that it has: the first is kept', async () => {
    const callId = await endCall({ fields: { summary: 'Written before.' }, said: [] });
    const query = service.database.acrossWorkspaces;
    expect(
      await voiceCallStore.addSummary(query, { workspaceId: workspace.id, id: callId }, 'Another.'),
    ).toBe(false);
    expect(
      await voiceCallStore.addSummary(query, { workspaceId: workspace.id, id: newId() }, 'Nobody.'),
    ).toBe(false);
    expect(await read(callId)).toMatchObject({ summary: 'Written before.' });
  });
});
