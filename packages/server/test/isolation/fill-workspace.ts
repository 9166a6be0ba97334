import { randomBytes, randomInt } from 'node:crypto';
import { expect, vi } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import { patienceMs } from '../support/patience.ts';
import { createCall } from '../support/test-app.ts';
import { createInsert, type Insert, markOf } from './fill.ts';
import { type Bots, createConverse, fillCalls, fillConversations } from './marked-conversations.ts';
import { add, inAnHour, type MarkedWorkspace, metadata, type Place, shared } from './marked-workspace.ts';

/** Fills every table of the workspace. What matters is that the service can read it, not that it is plausible. */
export async function fillWorkspace(place: Place, workspace: MarkedWorkspace): Promise<void> {
  const insert = createInsert(place.client, place.columns, workspace);
  const bots = await fillBots(insert, workspace);
  const converse = createConverse(insert, workspace, bots);
  await fillConversations(place, insert, workspace, bots, converse);
  await fillCalls(insert, workspace, bots, converse);
  await fillPeople(place, insert, workspace);
  await fillKnowledge(place, insert, workspace, bots);
}

const jsonLists = (name: string, table: string, columns: string[]) =>
  Object.fromEntries(columns.map((column) => [column, [markOf(name, table, column)]]));

async function fillBots(insert: Insert, { id, name, ids, owner, secrets }: MarkedWorkspace): Promise<Bots> {
  const mark = (table: string, column: string) => markOf(name, table, column);
  const ofBot = {
    settings: {
      chat_greeting: mark('bots', 'settings'),
      enable_agent_tracing: true,
      approval_notice: { email: 'ops@example.com' },
    },
    prompt_builder: { role: mark('bots', 'prompt_builder') },
    output_config: { format: 'json', schema: { type: 'object', description: mark('bots', 'output_config') } },
    metadata: metadata(name, 'bots'),
    status: 'active',
  };
  const chatbot = await insert('bots', { ...ofBot, bot_type: 'chatbot', schedule: null });
  const agent = await insert('bots', { ...ofBot, bot_type: 'agent', schedule: '0 9 29 2 *' });
  const ofTools = {
    tool_type: 'http_request',
    configuration: { method: 'GET', url: `http://127.0.0.1:9/${mark('tools', 'configuration')}` },
    metadata: metadata(name, 'tools'),
  };
  const tool = await insert('tools', ofTools);
  // Nothing can be decrypted, so it belongs to a tool that is not called.
  await insert('tool_secrets', { tool_id: (await insert('tools', ofTools)).id });
  const ofTool = { tool_type: 'http_request', tool_error_handling_mode: 'hide' };
  const assigned = { ...ofTool, tool_configuration_id: tool.id };
  await insert('tool_assignments', { bot_id: chatbot.id, position: 0, ...assigned });
  const hook = await insert('post_call_hooks', { bot_id: chatbot.id, tool_configuration_id: tool.id });
  const instructions = { tool_instructions: 'x', speak_during_execution: true, speak_after_execution: true };
  const configuration = {
    ...ofBot,
    name: 'x',
    description: 'x',
    system_prompt: mark('bot_versions', 'configuration'),
    bot_type: 'chatbot',
    schedule: null,
    agent_goal: null,
    max_iterations: 5,
    timeout_seconds: null,
    tools: [{ ...assigned, ...instructions }],
  };
  for (const number of [1, -1])
    await insert('bot_versions', { bot_id: chatbot.id, number, configuration, created_by: owner.id });
  const number = `+${randomInt(1e12, 1e13)}`;
  const voiceNumber = await insert('voice_numbers', {
    bot_id: chatbot.id,
    phone_number: number,
    metadata: metadata(name, 'voice_numbers'),
  });
  secrets.push(number);
  await insert('voice_number_assignments', { digits: number.slice(1), phone_number: number });
  await insert('voice_dials', {});
  await insert('end_user_revocations', { person: randomBytes(32) });
  const never = new Date('9999-01-01');
  await insert('retention_settings', { due_at: never, round: null, last_round: null, audit_days: null });
  await insert('file_deletions', { key: `${id}/${newId()}`, due_at: never });
  await insert('inbox_settings', { assigns_in_turn: true });
  await insert('operator_activity', { user_id: owner.id, active_at: never, assigned_at: never });
  await insert('end_user_details', { external_user_id: shared.userId });
  const file = {
    media_type: 'application/pdf',
    size: 3,
    bytes: Buffer.from(markOf(name, 'attachments', 'bytes')),
  };
  const attachment = await insert('attachments', {
    ...file,
    external_user_id: shared.userId,
    file_key: null,
  });
  add(ids, 'attachments', attachment.id);
  add(ids, 'canned-replies', (await insert('canned_replies', {})).id);
  add(
    ids,
    'conversation-views',
    (await insert('conversation_views', { filter: { q: markOf(name, 'conversation_views', 'filter') } })).id,
  );
  const hold = await insert('legal_holds', {
    conversation_id: null,
    actor_id: owner.id,
    actor_type: 'member',
  });
  add(ids, 'legal-holds', hold.id);
  const widgetKey = await insert('widget_keys', { bot_id: chatbot.id });
  const look = { theme_color: '#0f766e', position: 'top-left', voice_enabled: true };
  const avatar = `http://127.0.0.1:9/${mark('widget_customizations', 'avatar_url')}`;
  const hours = {
    time_zone: 'UTC',
    opening_times: [],
    closed_text: mark('widget_customizations', 'office_hours'),
  };
  const given = { ask_details: 'never', avatar_url: avatar, office_hours: hours };
  await insert('widget_customizations', { bot_id: chatbot.id, ...look, ...given });

  const scenario = await insert('evaluation_scenarios', {
    bot_id: chatbot.id,
    ...jsonLists(name, 'evaluation_scenarios', ['turns', 'expected_facts', 'must_call', 'must_not_call']),
    stand_ins: [{ function: 'x', result: mark('evaluation_scenarios', 'stand_ins') }],
  });
  const [fact, message] = [mark('evaluation_cases', 'facts'), mark('evaluation_cases', 'reasons')];
  for (const status of ['completed', 'failed', 'stopped']) {
    const error = { code: 'INTERNAL', message: mark('evaluations', 'error') };
    const ofEvaluation = { bot_id: chatbot.id, version: 1, created_by: owner.id, ended_at: new Date() };
    const evaluation = await insert('evaluations', { ...ofEvaluation, status, error });
    add(ids, 'evaluations', evaluation.id);
    await insert('evaluation_cases', {
      evaluation_id: evaluation.id,
      scenario_id: scenario.id,
      position: 0,
      status: 'failed',
      scenario: { name: mark('evaluation_cases', 'scenario'), turns: ['x'], expected_facts: [] },
      facts: [{ fact, holds: false, explanation: fact }],
      reasons: [{ kind: 'fact_missing', fact, message }],
    });
  }
  add(ids, 'bots', chatbot.id, agent.id);
  add(ids, 'agents', agent.id);
  add(ids, 'versions', '1', '-1');
  add(ids, 'tools', tool.id);
  add(ids, 'post-call-hooks', hook.id);
  add(ids, 'numbers', voiceNumber.id);
  add(ids, 'widget-keys', widgetKey.id);
  add(ids, 'scenarios', scenario.id);
  return { chatbot: chatbot.id, agent: agent.id, tool: tool.id, scenario: scenario.id };
}

/** Members, keys, machines, and what the service records about them. */
async function fillPeople(
  { client }: Place,
  insert: Insert,
  { name, id, ids, owner }: MarkedWorkspace,
): Promise<void> {
  const mark = (table: string, column: string) => markOf(name, table, column);
  const email = `${mark('member_links', 'email')}@example.com`;
  const ofLink = { role: 'viewer', email, created_by: owner.id, expires_at: inAnHour };
  const invitation = await insert('member_links', { ...ofLink, purpose: 'invitation' });
  const key = await insert('account_keys', { abilities: ['bots:read'], created_by: owner.id });
  const machine = await insert('machines', { sandbox: 'none' });
  const [conversationId = ''] = ids['conversations'] ?? [];
  const ofMachine = { conversation_id: conversationId, machine_id: machine.id, instance_id: newId() };
  await insert('machine_calls', ofMachine);
  const [botId] = ids['bots'] ?? [];
  const grant = await insert('approval_grants', {
    conversation_id: conversationId,
    machine_id: machine.id,
    bot_id: botId,
    scope: 'machine',
    kind: 'command',
    member_id: owner.id,
    key_id: null,
  });
  add(ids, 'approval-grants', grant.id);
  const [toolId] = ids['tools'] ?? [];
  const ofTool = { bot_id: botId, tool_id: toolId, member_id: owner.id, key_id: null, expires_at: null };
  const { rows: tools } = await client.query('select revision from tools where id = $1', [toolId]);
  add(ids, 'tool-grants', (await insert('tool_grants', { ...ofTool, revision: tools[0].revision })).id);
  const changes = [{ field: 'name', before: mark('audit_entries', 'changes'), after: 'x' }];
  const change = { action: 'bot.updated', object_type: 'bot', object_id: botId, changes };
  await insert('audit_entries', { ...change, actor_type: 'member', actor_id: owner.id });
  await insert('audit_entries', { ...change, actor_type: 'key', actor_id: key.id, actor_name: null });
  const { rows } = await client.query<{ id: string }>('select id from nodes limit 1');
  const node = { node_id: rows[0]?.id, expires_at: inAnHour };
  await insert('billing_reservations', { ...node, amount_usd: 1 });
  await insert('idempotency_records', { ...node, request_hash: randomBytes(32), answer: Buffer.from('{}') });
  await client.query('insert into billing_accounts (workspace_id) values ($1) on conflict do nothing', [id]);
  const output = { message: mark('job', 'source_output'), reason: mark('job', 'source_output') };
  for (const jobId of [newId(), newId()]) {
    await client.query(
      `insert into pgboss.job (id, name, data, source_name, source_id, source_created_on, source_retry_count, source_output, policy)
       values ($1, 'dead-letter', $2, 'run-webhooks', $3, now(), 20, $4, 'standard')`,
      [jobId, { workspaceId: id, turnId: newId() }, newId(), output],
    );
    add(ids, 'jobs', jobId);
  }
  add(ids, 'invitations', invitation.id);
  add(ids, 'members', owner.id);
  add(ids, 'keys', key.id);
  add(ids, 'machines', machine.id);
  add(ids, 'end-users', shared.userId);
}

/** A source that is processed as usual, so that it can be found, and one in every other state. */
async function fillKnowledge(
  { service, client }: Place,
  insert: Insert,
  { name, id, key, ids }: MarkedWorkspace,
  bots: Bots,
): Promise<void> {
  const mark = (table: string, column: string) => markOf(name, table, column);
  const call = createCall(service.url, key);
  const content = `# Returns\n\nGoods can be returned: ${mark('knowledge', 'content')} ${mark('knowledge_chunks', 'content')}`;
  const body = { content_type: 'text', title: mark('knowledge', 'title'), content };
  const source = await call('POST /api/v1/knowledge', {
    body: { ...body, metadata: metadata(name, 'knowledge') },
  });
  await vi.waitFor(async () => {
    const { body: read } = await call(`GET /api/v1/knowledge/${source.body.id}`);
    expect(read.processing_status).toBe('completed');
  }, patienceMs);
  add(ids, 'knowledge', source.body.id);
  await client.query('update knowledge_chunks set heading_path = $2 where workspace_id = $1', [
    id,
    [mark('knowledge_chunks', 'heading_path')],
  ]);
  const states = ['failed', 'completed', 'failed'];
  for (const [index, type] of ['text', 'uploaded_file', 'url'].entries()) {
    const other = await insert('knowledge', {
      bot_id: bots.chatbot,
      content_type: type,
      file_key: null,
      processing_status: states[index],
      status: index === 1 ? 'inactive' : 'active',
      metadata: metadata(name, 'knowledge'),
    });
    add(ids, 'knowledge', other.id);
  }
}
