import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '@svc/contract/audit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createResources } from '../http/resources.ts';
import { deleteExpired } from '../retention/delete-expired.ts';
import { assignNumber } from '../support/assign-number.ts';
import { makeMember } from '../support/members.ts';
import { fillIds, type Operation, readOperations } from '../support/operations.ts';
import { createCall, startTestApp, type TestApp } from '../support/test-app.ts';
import { unusedProvider } from '../support/unused-provider.ts';
import {
  bodyFor,
  consoleChanges,
  leavesNoRow,
  notAudited,
  notAuditedOfConsole,
} from './audited-operations.ts';
import { countRows, tablesWrittenWith } from './workspace-rows.ts';

let service: TestApp;
let operations: Operation[];

beforeAll(async () => {
  service = await startTestApp({ environment: unusedProvider });
  operations = await readOperations(service);
});
afterAll(() => service.stop());

async function entriesOf(workspaceId: string): Promise<{ id: string; action: string; actor_id: string }[]> {
  const { rows } = await service.database.acrossWorkspaces.execute<{
    id: string;
    action: string;
    actor_id: string;
  }>(sql`select id, action, actor_id from audit_entries where workspace_id = ${workspaceId} order by id`);
  return rows;
}

async function textOfLog(): Promise<string> {
  const { rows } = await service.database.acrossWorkspaces.execute(sql`select * from audit_entries`);
  return JSON.stringify(rows);
}

const list = async (key: string, query = '') =>
  (await createCall(service.url, key)(`GET /api/v1/audit${query}`)).body as AuditEntry[];

describe('the audit log', () => {
  it('has an entry for every operation that changes something, or a reason why not', async () => {
    const writing = operations.filter(
      ({ method, path, scheme }) =>
        method !== 'GET' && path.startsWith('/api/v1/') && scheme === 'account_key',
    );
    expect(writing.length).toBeGreaterThan(30);
    const listed = [...Object.keys(notAudited), ...Object.keys(leavesNoRow)];
    const unknown = listed.filter((name) => !operations.some((one) => one.name === name));
    expect(unknown).toEqual([]);
    const { id: workspaceId, key } = await service.makeWorkspace();
    const [keyEntry] = await list(key, '?action=key.created');
    for (const operation of writing.filter(({ name }) => notAudited[name] === undefined)) {
      const ids = await createResources(service).makeFor(operation, key, workspaceId);
      const body = await bodyFor(operation, ids, createCall(service.url, key));
      if (operation.name === 'POST /api/v1/voice/numbers') {
        const { phone_number: phone, bot_id: botId } = body as { phone_number: string; bot_id: string };
        await assignNumber(service, phone, botId);
      }
      const before = await entriesOf(workspaceId);
      const answer = await createCall(service.url, key)(
        `${operation.method} ${fillIds(operation, ids)}`,
        body === undefined ? {} : { body },
      );
      expect.soft(answer.status, `${operation.name}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
      const added = (await entriesOf(workspaceId)).slice(before.length);
      expect.soft(added.length, `${operation.name}: entries`).toBeGreaterThan(0);
      for (const entry of added) expect.soft(entry.actor_id, operation.name).toBe(keyEntry?.object.id);
      if (leavesNoRow[operation.name] !== undefined) continue;
      const tables = await tablesWrittenWith(
        service.database,
        added.map(({ id }) => id),
      );
      expect.soft(tables.length, `${operation.name}: written with its entry`).toBeGreaterThan(0);
    }
  });

  it('has an entry for everything that is deleted, or it is not deleted', async () => {
    const deleting = operations.filter(
      ({ method, scheme, name }) =>
        method === 'DELETE' && scheme === 'account_key' && notAudited[name] === undefined,
    );
    const { id: workspaceId, key } = await service.makeWorkspace();
    const owner = await makeMember(service, { role: 'owner', workspaceId });
    const { id: memberId } = await makeMember(service, { role: 'viewer', workspaceId });
    const invitation = await owner.call('POST /api/console/invitations', {
      body: { role: 'viewer', email: 'guest@example.com' },
    });
    const paths = [`/api/console/members/${memberId}`, `/api/console/invitations/${invitation.body.id}`];
    for (const operation of deleting) {
      const ids = await createResources(service).makeFor(operation, key, workspaceId);
      await bodyFor(operation, ids, createCall(service.url, key));
      paths.push(fillIds(operation, ids));
    }
    const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);
    await run(
      sql.raw(`create function refuse_entry() returns trigger language plpgsql as 'begin raise ''refused''; end';
        create trigger refuse_entry before insert on audit_entries for each row
        when (new.workspace_id = '${workspaceId}') execute function refuse_entry()`),
    );
    const before = await countRows(service.database, workspaceId);
    for (const path of paths) {
      const call = path.startsWith('/api/console') ? owner.call : createCall(service.url, key);
      expect.soft((await call(`DELETE ${path}`)).status, path).toBe(500);
    }
    const after = await countRows(service.database, workspaceId);
    for (const [name, count] of before) expect.soft(after.get(name), name).toBeGreaterThanOrEqual(count);
    await run(sql`drop function refuse_entry cascade`);
  });

  it('has an entry for every change in the console, or a reason why not', async () => {
    const writing = operations.filter(
      ({ method, path }) => method !== 'GET' && path.startsWith('/api/console/'),
    );
    const known = [...Object.keys(notAuditedOfConsole), ...Object.keys(consoleChanges)];
    expect(writing.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
    const owner = await makeMember(service, { role: 'owner' });
    for (const [name, change] of Object.entries(consoleChanges)) {
      const object = await change(owner, await makeMember(service, { role: 'viewer' }));
      const { rows } = await service.database.acrossWorkspaces.execute(
        sql`select actor_type from audit_entries where object_id = ${object} order by id desc limit 1`,
      );
      expect.soft(rows, name).toEqual([{ actor_type: 'member' }]);
    }
  });

  it('shows the fields before and after, by whom, newest first, in pages and by filter', async () => {
    const { key } = await service.makeWorkspace();
    const call = createCall(service.url, key);
    const long = 'You are kind. '.repeat(2_000);
    const { id } = (await call('POST /api/v1/bots', { body: { name: 'Support', system_prompt: long } })).body;
    await call(`PUT /api/v1/bots/${id}`, { body: { temperature: 0.7 } });
    await call(`PUT /api/v1/bots/${id}`, { body: { temperature: 0.2, system_prompt: `${long}Be brief.` } });
    await call(`PUT /api/v1/bots/${id}`, { body: { temperature: 0.2 } });
    const entries = await list(key, `?object=${id}`);
    expect(entries.map(({ action }) => action)).toEqual(['bot.updated', 'bot.updated', 'bot.created']);
    expect(entries[0]).toMatchObject({
      actor: { type: 'key', name: 'test' },
      object: { type: 'bot', id, name: 'Support' },
    });
    expect(entries[0]?.changes).toContainEqual({ field: 'temperature', before: 0.7, after: 0.2 });
    const prompt = entries[0]?.changes.find(({ field }) => field === 'system_prompt');
    expect(String(prompt?.after)).toContain('Be brief.');
    expect(String(prompt?.after).length).toBeLessThan(1_000);
    const page = await call(`GET /api/v1/audit?object=${id}&limit=2`);
    expect(page.headers.get('link')).toContain(`before=${page.body[1].id}`);
    expect(await list(key, `?object=${id}&limit=2&before=${page.body[1].id}`)).toEqual([entries[2]]);
    expect((await list(key, '?action=bot')).length).toBe(3);
    expect((await list(key, '?action=bot.created')).length).toBe(1);
    expect((await list(key, `?actor=${entries[0]?.actor.id}&action=bot`)).length).toBe(3);
    expect(await list(key, `?actor=${randomUUID()}`)).toEqual([]);
  });

  it('names the member, is for operators and owners, and knows nothing of other workspaces', async () => {
    const operator = await makeMember(service, { role: 'operator', name: 'Grace' });
    const viewer = await makeMember(service, { role: 'viewer' });
    const made = await operator.call('POST /api/v1/bots', { body: { name: 'Hers', system_prompt: 'x' } });
    const found = (await operator.call(`GET /api/v1/audit?object=${made.body.id}`)).body;
    expect(found).toMatchObject([{ actor: { type: 'member', id: operator.id, name: 'Grace' } }]);
    expect((await viewer.call('GET /api/v1/audit')).status).toBe(403);
    const other = await service.makeWorkspace();
    expect(await list(other.key, `?object=${made.body.id}`)).toEqual([]);
  });

  it('never contains a secret', async () => {
    const { key } = await service.makeWorkspace();
    const call = createCall(service.url, key);
    const [first, second, third] = [
      `first-${randomUUID()}`,
      `second-${randomUUID()}`,
      `third-${randomUUID()}`,
    ];
    const configuration = { method: 'GET', url: 'https://shop.example.com/', auth_type: 'bearer' };
    const tool = { tool_type: 'http_request', name: 'Orders', description: 'x' };
    const { id } = (
      await call('POST /api/v1/tools', {
        body: { ...tool, configuration: { ...configuration, bearer_token: first } },
      })
    ).body;
    expect(id).toBeDefined();
    const bodies = [second, null].map((token) => ({
      configuration: { ...configuration, auth_type: token ? 'bearer' : 'none', bearer_token: token },
    }));
    for (const body of bodies) expect((await call(`PUT /api/v1/tools/${id}`, { body })).status).toBe(200);
    const states = (await list(key, `?object=${id}`)).flatMap(({ changes }) =>
      changes.filter(({ field }) => field === 'bearer_token').map(({ before, after }) => [before, after]),
    );
    expect(states).toEqual([
      ['set', 'not set'],
      ['set', 'replaced'],
      ['not set', 'set'],
    ]);
    const headers = { 'x-api-key': third };
    const withHeaders = { configuration: { ...configuration, auth_type: 'none', headers } };
    expect((await call(`PUT /api/v1/tools/${id}`, { body: withHeaders })).status).toBe(200);
    const [latest] = await list(key, `?object=${id}`);
    expect(latest?.changes).toContainEqual({
      field: 'configuration.headers',
      before: null,
      after: ['x-api-key'],
    });
    const bot = (await call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).body.id;
    const widget = (
      await call('POST /api/v1/widgets/keys', { body: { bot_id: bot, name: 'x', allowed_domains: [] } })
    ).body;
    const made = [
      first,
      second,
      third,
      widget.api_key,
      (await call(`POST /api/v1/widgets/keys/${widget.id}/identity-secret`)).body.identity_secret,
      (await call('POST /api/v1/keys', { body: { name: 'x', abilities: ['bots:read'] } })).body.key,
      (await call('POST /api/v1/machines', { body: { name: 'x' } })).body.token,
    ];
    const log = await textOfLog();
    for (const secret of made) {
      expect(secret).toEqual(expect.any(String));
      expect(log).not.toContain(secret);
    }
  });

  it('keeps nothing of an erased person', async () => {
    const { key } = await service.makeWorkspace();
    const call = createCall(service.url, key);
    const [person, text] = [`person-${randomUUID()}`, `text-${randomUUID()}`];
    const bot = (await call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).body.id;
    const body = { bot_id: bot, message: text, external_user_id: person };
    const events = (await call('POST /api/v1/chat/send-stream', { body })).body as string;
    const conversation = /"conversation_id":"([^"]+)"/.exec(events)?.[1];
    const { messages } = (await call(`GET /api/v1/conversations/${conversation}`)).body;
    await call(`PATCH /api/v1/conversations/${conversation}`, { body: { title: text, metadata: { text } } });
    await call(`POST /api/v1/bots/${bot}/scenarios`, { body: { name: 'x', turns: [text] } });
    await call(`POST /api/v1/conversations/${conversation}/truncate`, {
      body: { message_id: messages[0].id },
    });
    expect((await call(`DELETE /api/v1/end-users/${person}`)).status).toBe(200);
    const [erased] = await list(key);
    expect(erased).toMatchObject({
      action: 'end_user.erased',
      object: { id: null, name: null },
      changes: [{ field: 'deleted_conversations', before: null, after: 1 }],
    });
    const log = await textOfLog();
    expect(log).not.toContain(person);
    expect(log).not.toContain(text);
  });

  it('has no entry for a change that was refused, or that changes nothing', async () => {
    const { id: workspaceId, key } = await service.makeWorkspace();
    const call = createCall(service.url, key);
    const bot = (await call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } })).body.id;
    const test = (await call(`POST /api/v1/widgets/test-key?bot_id=${bot}`)).body;
    const before = await entriesOf(workspaceId);
    const refused = { body: { allowed_domains: ['shop.example.com'] } };
    expect((await call(`PATCH /api/v1/widgets/keys/${test.id}`, refused)).status).toBe(400);
    expect((await call(`PATCH /api/v1/bots/${bot}/metadata`, { body: {} })).status).toBe(200);
    expect(await entriesOf(workspaceId)).toEqual(before);
  });

  it('forgets entries after 400 days', async () => {
    const { id: workspaceId, key } = await service.makeWorkspace();
    const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);
    await run(sql`update audit_entries set created_at = now() - interval '401 days'
      where workspace_id = ${workspaceId} and action = 'key.created'`);
    await deleteExpired(service);
    expect((await list(key)).map(({ action }) => action)).toEqual(['retention.deleted', 'workspace.created']);
  });
});
