import { randomInt, randomUUID } from 'node:crypto';
import { createFingerprints } from '../../src/approvals/fingerprints.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { hashKey, makeKey } from '../../src/secrets/bearer-key.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { toolFingerprint } from '../../src/tools/fingerprint.ts';
import { assignNumber } from '../support/assign-number.ts';
import { makeCall } from '../support/make-call.ts';
import { type Operation, pathResources, queryResources } from '../support/operations.ts';
import { createCall } from '../support/test-app.ts';

type Maker = (key: string, workspaceId: string, parents: string[]) => Promise<string>;

export interface Resources {
  /** Creates the resources that an operation needs and returns their ids, those in the query last. */
  makeFor(operation: Operation, key: string, workspaceId: string): Promise<string[]>;
}

/** Ids in the query come after those in the path. */
export function resourcesOf(operation: Operation): string[] {
  return [...pathResources(operation.path), ...queryResources(operation)];
}

/** What an operation's example needs in addition to the resources in its path. */
const needs: Record<string, string> = {
  'POST /api/v1/bots/{id}/evaluations': 'scenarios',
  'GET /api/v1/widgets/embed-code': 'widget-keys',
  'POST /api/console/bots/{id}/test': 'drafts',
};

/**
 * How each resource is created; an operation on a new kind of resource fails until it is added here. Without the
 * encryption key an approval can be
 * denied but not approved.
 */
export function createResources(service: {
  url: string;
  database: Database;
  encryptionKey?: Buffer;
}): Resources {
  /** Takes the ids that come before it in the path. */
  const makers: Record<string, Maker> = {
    async bots(key) {
      const body = { name: 'Theirs', system_prompt: 'x' };
      return (await createCall(service.url, key)('POST /api/v1/bots', { body })).body.id;
    },
    /** A bot is created with its first version. */
    versions: async () => '1',
    async drafts(_key, _workspaceId, [botId]) {
      await service.database.acrossWorkspaces.execute(
        sql`insert into bot_versions (bot_id, number, workspace_id, changes, configuration)
            select bot_id, -1, workspace_id, changes, configuration from bot_versions where bot_id = ${botId}`,
      );
      return '-1';
    },
    async scenarios(key, _workspaceId, [botId]) {
      const body = { name: 'Greets', turns: ['Hello'] };
      return (await createCall(service.url, key)(`POST /api/v1/bots/${botId}/scenarios`, { body })).body.id;
    },
    async evaluations(key, workspaceId, [botId = '']) {
      await makers['scenarios']?.(key, workspaceId, [botId]);
      return (await createCall(service.url, key)(`POST /api/v1/bots/${botId}/evaluations`)).body.id;
    },
    async agents(key) {
      const body = { name: 'Theirs', system_prompt: 'x', bot_type: 'agent', agent_goal: 'x' };
      return (await createCall(service.url, key)('POST /api/v1/bots', { body })).body.id;
    },
    conversations: (key, workspaceId) => converse(key, workspaceId, 'somebody'),
    async calls(key, workspaceId) {
      const botId = (await makeResources(['bots'], key, workspaceId))[0] ?? '';
      return makeCall(service, { botId, recording: Buffer.alloc(800) });
    },
    async messages(key, _workspaceId, [conversationId]) {
      const { body } = await createCall(service.url, key)(`GET /api/v1/conversations/${conversationId}`);
      return body.messages[0].id;
    },
    async answers(key, _workspaceId, [conversationId]) {
      const { body } = await createCall(service.url, key)(`GET /api/v1/conversations/${conversationId}`);
      return body.messages.find(({ role }: { role: string }) => role === 'assistant').id;
    },
    async turns(_key, _workspaceId, [conversationId]) {
      const { rows } = await service.database.acrossWorkspaces.execute<{ id: string }>(
        sql`select id from turns where conversation_id = ${conversationId}`,
      );
      return rows[0]?.id ?? 'no turn';
    },
    /** People have no records of their own: any id names one. */
    /** A person has conversations. */
    async 'end-users'(key, workspaceId) {
      await converse(key, workspaceId, 'customer-17');
      return 'customer-17';
    },
    async tools(key) {
      const body = { tool_type: 'calculator', name: 'Sums', description: 'x', configuration: {} };
      return (await createCall(service.url, key)('POST /api/v1/tools', { body })).body.id;
    },
    async knowledge(key) {
      const body = { content_type: 'text', title: 'Theirs', content: 'x' };
      return (await createCall(service.url, key)('POST /api/v1/knowledge', { body })).body.id;
    },
    async hitl(key, workspaceId) {
      const conversationId = (await makeResources(['conversations'], key, workspaceId))[0];
      const [turnId, callId, approvalId] = [randomUUID(), randomUUID(), randomUUID()];
      const place = sql`workspace_id, conversation_id, turn_id`;
      const here = sql`${workspaceId}::uuid, ${conversationId}::uuid, ${turnId}::uuid`;
      const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);
      await run(sql`insert into turns (id, workspace_id, conversation_id, bot_id, status)
      select ${turnId}::uuid, workspace_id, id, bot_id, 'paused' from conversations where id = ${conversationId}`);
      await run(sql`insert into tool_calls (id, ${place}, message_id, position, name, tool_type, arguments, needs_approval, repeatable, status)
      select ${callId}::uuid, ${here}, id, 0, 'x', 'x', '{}', true, false, 'proposed' from messages
      where conversation_id = ${conversationId} limit 1`);
      // The call must match the bot's tool, or the approval would be rejected as changed.
      const call = createCall(service.url, key);
      const { bot_id: botId } = (await call(`GET /api/v1/conversations/${conversationId}`)).body;
      const assignments = [{ tool_type: 'calculator' }];
      await call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
      const fingerprint = service.encryptionKey
        ? sealedFingerprint(service.encryptionKey, { id: approvalId, workspaceId })
        : null;
      await run(sql`insert into approvals (id, ${place}, bot_id, tool_call_id, tool_type, tool_name, arguments, arguments_schema, context, fingerprint, expires_at)
      select ${approvalId}::uuid, ${here}, bot_id, ${callId}::uuid, 'x', 'x', '{}', '{}', '{"kind":"call","summary":"x"}', ${fingerprint}::bytea, now() + interval '1 day'
      from conversations where id = ${conversationId}`);
      return approvalId;
    },
    async 'approval-grants'(key, workspaceId) {
      const id = randomUUID();
      const conversationId = (await makeResources(['conversations'], key, workspaceId))[0];
      const machineId = (await makeResources(['machines'], key, workspaceId))[0];
      const keyId = (await makeResources(['keys'], key, workspaceId))[0];
      await service.database.acrossWorkspaces.execute(sql`insert into approval_grants
        (id, workspace_id, conversation_id, bot_id, machine_id, scope, kind, directory, key_id)
        select ${id}::uuid, workspace_id, id, bot_id, ${machineId}::uuid, 'conversation', 'edits', '/shop', ${keyId}::uuid
        from conversations where id = ${conversationId}`);
      return id;
    },
    async attachments(key) {
      const form = new FormData();
      form.append('files', new Blob(['%PDF-1.7']), 'theirs.pdf');
      const headers = { authorization: `Bearer ${key}` };
      const sent = { method: 'POST', headers, body: form };
      const answer = await fetch(`${service.url}/api/v1/attachments`, sent);
      return ((await answer.json()) as { id: string }).id;
    },
    async 'canned-replies'(key) {
      const body = { shortcut: `theirs-${randomUUID().slice(0, 8)}`, text: 'x' };
      return (await createCall(service.url, key)('POST /api/v1/canned-replies', { body })).body.id;
    },
    async 'conversation-views'(key) {
      const body = { name: `Theirs ${randomUUID().slice(0, 8)}`, filter: { label: 'vip' } };
      return (await createCall(service.url, key)('POST /api/v1/conversation-views', { body })).body.id;
    },
    async 'tool-grants'(key, workspaceId) {
      const id = randomUUID();
      const botId = (await makeResources(['bots'], key, workspaceId))[0];
      const toolId = (await makeResources(['tools'], key, workspaceId))[0];
      const keyId = (await makeResources(['keys'], key, workspaceId))[0];
      await service.database.acrossWorkspaces.execute(sql`insert into tool_grants
        (id, workspace_id, bot_id, tool_id, revision, tool_name, offer, key_id)
        values (${id}, ${workspaceId}, ${botId}, ${toolId}, 1, 'x', 'x', ${keyId})`);
      return id;
    },
    async keys(key) {
      const body = { name: 'Theirs', abilities: ['bots:read'] };
      return (await createCall(service.url, key)('POST /api/v1/keys', { body })).body.id;
    },
    async 'widget-keys'(key, workspaceId, parents) {
      const [botId] = parents.length > 0 ? parents : await makeResources(['bots'], key, workspaceId);
      const body = { bot_id: botId, name: 'Theirs', allowed_domains: ['shop.example.com'] };
      return (await createCall(service.url, key)('POST /api/v1/widgets/keys', { body })).body.id;
    },
    async members(_key, workspaceId) {
      const id = randomUUID();
      const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);
      await run(sql`insert into users (id, name, email) values (${id}, 'Theirs', ${`${id}@example.com`})`);
      await run(
        sql`insert into members (workspace_id, user_id, role) values (${workspaceId}, ${id}, 'viewer')`,
      );
      return id;
    },
    async invitations(_key, workspaceId) {
      const id = randomUUID();
      await service.database.acrossWorkspaces.execute(sql`insert into member_links (id, purpose, token_hash, workspace_id, role, expires_at)
        values (${id}, 'invitation', ${Buffer.from(id)}, ${workspaceId}, 'viewer', now() + interval '1 day')`);
      return id;
    },
    async 'voice-sessions'(key, workspaceId) {
      const botId = (await makeResources(['bots'], key, workspaceId))[0];
      const [id, token] = [randomUUID(), makeKey('svc_vs_')];
      const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);
      await run(sql`insert into conversations (id, workspace_id, bot_id, channel, title)
        values (${id}, ${workspaceId}, ${botId}, 'voice', 'x')`);
      await run(sql`insert into voice_calls (id, workspace_id, bot_id, direction, transport, status, max_seconds, session_token_hash, deadline_at)
        values (${id}, ${workspaceId}, ${botId}, 'web', 'web', 'queued', 900, ${hashKey(token)}, now() + interval '1 minute')`);
      return token;
    },
    async machines(key) {
      const body = { name: 'theirs' };
      return (await createCall(service.url, key)('POST /api/v1/machines', { body })).body.id;
    },
    async 'legal-holds'(key) {
      const body = { external_user_id: 'theirs', reason: 'x' };
      return (await createCall(service.url, key)('POST /api/v1/legal-holds', { body })).body.id;
    },
    /** A job that has failed permanently. */
    async jobs(_key, workspaceId) {
      const id = randomUUID();
      await service.database.acrossWorkspaces.execute(sql`insert into pgboss.job
        (id, name, data, source_name, source_id, source_created_on, source_retry_count, source_output, policy)
        values (${id}, 'dead-letter', ${JSON.stringify({ workspaceId, turnId: randomUUID() })}::jsonb, 'run-webhooks',
          ${randomUUID()}::uuid, now(), 20, '{"message":"x","reason":"x"}', 'standard')`);
      return id;
    },
    async numbers(key, workspaceId) {
      const botId = (await makeResources(['bots'], key, workspaceId))[0];
      const body = { phone_number: `+${randomInt(1e12, 1e13)}`, bot_id: botId };
      await assignNumber(service, body.phone_number, String(botId));
      return (await createCall(service.url, key)('POST /api/v1/voice/numbers', { body })).body.id;
    },
    async 'post-call-hooks'(key, workspaceId, [botId]) {
      const toolId = randomUUID();
      await service.database.acrossWorkspaces.execute(
        sql`insert into tools (id, workspace_id, tool_type, name) values (${toolId}, ${workspaceId}, 'x', 'x')`,
      );
      const body = { tool_configuration_id: toolId };
      return (await createCall(service.url, key)(`POST /api/v1/bots/${botId}/post-call-hooks`, { body })).body
        .id;
    },
  };

  async function converse(key: string, workspaceId: string, user: string): Promise<string> {
    const botId = (await makeResources(['bots'], key, workspaceId))[0];
    const body = { bot_id: botId, message: 'Hello', external_user_id: user };
    const { body: events } = await createCall(service.url, key)('POST /api/v1/chat/send-stream', { body });
    return /"conversation_id":"([^"]+)"/.exec(events)?.[1] ?? 'no conversation';
  }

  async function makeResources(resources: string[], key: string, workspaceId: string): Promise<string[]> {
    const ids: string[] = [];
    for (const resource of resources) {
      const maker = makers[resource];
      if (!maker) throw new Error(`Say in makers how a resource of /${resource}/{…} is made.`);
      ids.push(await maker(key, workspaceId, ids));
    }
    return ids;
  }

  return {
    async makeFor(operation, key, workspaceId) {
      const isOfAnswer = operation.name.endsWith('/rating');
      const wanted = resourcesOf(operation).map((name) =>
        isOfAnswer && name === 'messages' ? 'answers' : name,
      );
      const ids = await makeResources(wanted, key, workspaceId);
      await makers[needs[operation.name] ?? '']?.(key, workspaceId, ids);
      return ids;
    },
  };
}

/** The fingerprint of a calculator without a configuration. */
function sealedFingerprint(encryptionKey: Buffer, approval: { id: string; workspaceId: string }): Buffer {
  const bare = { ...approval, id: undefined, name: 'x', description: 'x', configuration: {} };
  const fingerprints = createFingerprints(createSecretBox(createKeyRing(encryptionKey)));
  return fingerprints.seal(approval, { tool: toolFingerprint('calculator', bare), offer: 'x' });
}
