import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { createEndUserExport } from '../../src/end-users/export/end-user-export.service.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { chatWith } from '../support/chat.ts';
import { makeCall } from '../support/make-call.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
const chat = chatWith(() => service);
let botId: string;
beforeAll(async () => {
  service = await startTestApp();
  botId = await chat.bot({ enable_agent_tracing: true });
});
afterAll(() => service.stop());

const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);
const exportOf = (user: string, key = service.key) =>
  service.call(`GET /api/v1/end-users/${encodeURIComponent(user)}/export`, { key });

/** A text in every column that says something about the person, and in those that only the team sees. */
async function plant(user: string): Promise<{ shown: string[]; hidden: string[]; callId: string }> {
  const shown: string[] = [];
  const hidden: string[] = [];
  const mark = (name: string, list = shown) => {
    const text = `${name}-${randomUUID()}`;
    list.push(text);
    return text;
  };
  const metadata = { note: mark('metadata') };
  const said = await chat.say({ bot_id: botId, external_user_id: user, message: mark('message'), metadata });
  const { conversationId: id, turnId } = said;
  const { rows } = await run(
    sql`select id, workspace_id from messages where conversation_id = ${id} order by sequence desc limit 1`,
  );
  const { id: messageId, workspace_id: workspaceId } = rows[0] as { id: string; workspace_id: string };
  const json = (name: string, list?: string[]) => JSON.stringify({ [name]: mark(name, list) });
  await run(
    sql`update conversations set title = ${mark('title')}, summary = ${mark('summary')}, handoff_reason = ${mark('handoff')} where id = ${id}`,
  );
  await run(sql`update messages set content = ${mark('reply')}, author_name = ${mark('author')}, tool_calls = ${`[${json('proposed')}]`}::json,
    citations = ${`[${json('quote')}]`}::json where id = ${messageId}`);
  const [toolCallId, approvalId] = [randomUUID(), randomUUID()];
  await run(sql`insert into tool_calls (id, workspace_id, conversation_id, turn_id, message_id, position, name, tool_type, arguments, executed_arguments, needs_approval, repeatable, status)
    values (${toolCallId}, ${workspaceId}, ${id}, ${turnId}, ${messageId}, 0, ${mark('tool')}, 'x', '{}', ${json('executed')}::json, true, false, 'ok')`);
  await run(sql`insert into approvals (id, workspace_id, conversation_id, turn_id, bot_id, tool_call_id, tool_type, tool_name, arguments, edited_arguments, arguments_schema, context, basis, reason, status, expires_at)
    values (${approvalId}, ${workspaceId}, ${id}, ${turnId}, ${botId}, ${toolCallId}, 'x', 'x', ${json('asked')}::json, ${json('edited')}::json, '{}',
      ${JSON.stringify({ kind: 'call', summary: mark('approval') })}::json, ${json('basis', hidden)}::json, ${mark('reason')}, 'approved', now())`);
  await run(sql`insert into runs (turn_id, workspace_id, bot_id, conversation_id, trigger, goal, payload, max_iterations, status, final_output, started_at, deadline_at)
    values (${turnId}, ${workspaceId}, ${botId}, ${id}, 'api', ${mark('goal')}, ${mark('payload')}, 1, 'completed', ${mark('output')}, now(), now())`);
  await run(sql`update usage_records set input_tokens = 70, cost_usd = 0.5 where conversation_id = ${id}`);
  await run(sql`update trace_steps set input = ${json('trace', hidden)}::json where conversation_id = ${id}`);
  await run(sql`insert into quality_records (id, workspace_id, bot_id, conversation_id, turn_id, message_id, grading, score, refused, refused_text, created_at)
    values (${randomUUID()}, ${workspaceId}, ${botId}, ${id}, ${turnId}, ${messageId}, 'graded', 0.1, true, ${mark('refused', hidden)}, now())`);
  const callId = await makeCall(service, {
    botId,
    recording: Buffer.alloc(800),
    heard: mark('heard'),
    said: mark('spoken'),
  });
  await run(sql`update conversations set external_user_id = ${user} where id = ${callId}`);
  await run(
    sql`update voice_calls set from_number = ${mark('number')}, summary = ${mark('call')} where id = ${callId}`,
  );
  await run(sql`update voice_call_hooks set result = ${json('hook')}::json where call_id = ${callId}`);
  return { shown, hidden, callId };
}

it('has every text about the person, a link to the recording, and nothing of others or of the team alone', async () => {
  const [user, other] = [`ada ${randomUUID()}/?`, `bob ${randomUUID()}`];
  const { shown, hidden, callId } = await plant(user);
  const others = await plant(other);
  const answer = await exportOf(user);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="end-user.json"');
  const text = JSON.stringify(answer.body);
  expect(shown.filter((mark) => !text.includes(mark))).toEqual([]);
  expect([...hidden, ...others.shown, ...others.hidden].filter((mark) => text.includes(mark))).toEqual([]);
  expect(answer.body).toMatchObject({ external_user_id: user, conversations: [{ bot_name: 'Bot' }, {}] });
  expect(answer.body.conversations[1].call.recording_url).toContain(`/api/v1/calls/${callId}/recording`);
  expect(answer.body.conversations[0].messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
  ]);
  expect(answer.body.conversations[0].usage).toMatchObject({ input_tokens: 70 });
  expect(answer.body.usage).toMatchObject({ input_tokens: 70 });
  // Then nothing of it is left.
  await service.call(`DELETE /api/v1/end-users/${encodeURIComponent(user)}`);
  expect((await exportOf(user)).body).toMatchObject({ conversations: [], usage: { input_tokens: 0 } });
});

it('is given of anybody, held or not, to whom may read conversations of this workspace', async () => {
  const user = randomUUID();
  await chat.say({ bot_id: botId, external_user_id: user });
  await service.call('POST /api/v1/legal-holds', { body: { external_user_id: user, reason: 'x' } });
  expect((await exportOf(user)).body.conversations).toHaveLength(1);
  expect((await exportOf('nobody')).body).toMatchObject({ external_user_id: 'nobody', conversations: [] });
  const foreign = await service.makeWorkspace();
  expect((await exportOf(user, foreign.key)).body.conversations).toEqual([]);
  const writer = await service.makeKey({ abilities: ['conversations:write'] });
  expect((await exportOf(user, writer)).status).toBe(403);
});

it('breaks off if the person is erased meanwhile, so that a part is not taken for the whole', async () => {
  const user = randomUUID();
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const said = await chat.say({ bot_id: botId, external_user_id: user, new_conversation: true });
    ids.push(said.conversationId);
  }
  const { rows } = await run(sql`select workspace_id from conversations where id = ${ids[0]}`);
  const workspaceId = String(rows[0]?.['workspace_id']);
  const given = { database: service.database, clock: systemClock, publicUrl: service.url };
  const texts = createEndUserExport(given).texts(workspaceId, user);
  // The beginning, and the first conversation.
  for (let parts = 0; parts < 3; parts += 1) await texts.next();
  await service.call(`DELETE /api/v1/conversations/${ids[1]}`);
  const readToEnd = async () => {
    for await (const _ of texts);
  };
  await expect(readToEnd()).rejects.toThrow('deleted during the export');
});

it('is read as it is written: no page before the one before was taken', async () => {
  const user = randomUUID();
  const { conversationId: id } = await chat.say({ bot_id: botId, external_user_id: user });
  const { rows } =
    await run(sql`insert into messages (id, workspace_id, conversation_id, sequence, role, content, created_at)
    select gen_random_uuid(), workspace_id, id, 1000 + n, 'operator', repeat('x', 1000), now()
    from conversations, generate_series(1, 500) n where conversations.id = ${id} returning workspace_id`);
  const workspaceId = String(rows[0]?.['workspace_id']);
  let statements = 0;
  const database: Database = {
    ...service.database,
    within(of) {
      const query = service.database.within(of);
      return Object.assign(Object.create(query), {
        execute(...given: Parameters<typeof query.execute>) {
          statements += 1;
          return query.execute(...given);
        },
      });
    },
  };
  const texts = createEndUserExport({ database, clock: systemClock, publicUrl: service.url }).texts(
    workspaceId,
    user,
  );
  let messages = 0;
  let whole = '';
  for await (const text of texts) {
    whole += text;
    expect(text.length).toBeLessThan(2_000);
    if (!text.includes('"role"')) continue;
    messages += 1;
    // What is known of the person, the conversation, and pages of 20 messages.
    expect(statements).toBe(2 + Math.ceil(messages / 20));
  }
  expect(messages).toBe(502);
  expect(JSON.parse(whole).conversations[0].messages).toHaveLength(502);
});
