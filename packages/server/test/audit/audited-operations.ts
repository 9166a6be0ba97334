import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Member, memberPassword } from '../support/members.ts';
import type { Operation } from '../support/operations.ts';
import type { createCall } from '../support/test-app.ts';

/** Operations that write, but change nothing that people configure; each with the reason. */
export const notAudited: Record<string, string> = {
  'POST /api/v1/chat/send-stream': 'a message is part of its conversation',
  'POST /api/v1/attachments': 'a file is part of its message',
  'POST /api/v1/chat/typing': 'stores nothing',
  'PUT /api/v1/conversations/{id}/messages/{message_id}/rating': 'a rating is an event of its conversation',
  'POST /api/v1/chat/stop': 'the stop is an event of its conversation',
  'POST /api/v1/conversations/{id}/messages': 'the message names its author',
  'POST /api/v1/conversations/{id}/messages/{message_id}/regenerate': 'a branch is part of its conversation',
  'POST /api/v1/conversations/{id}/messages/{message_id}/edit': 'a branch is part of its conversation',
  'PATCH /api/v1/conversations/{id}/branches': 'the choice is an event of its conversation',
  'POST /api/v1/end-user-tokens': 'issued for every visitor, and expires by itself',
  'POST /api/v1/agents/{id}/trigger': 'a run is recorded with its trigger',
  'POST /api/v1/calls': 'a call is recorded on its conversation',
  'POST /api/v1/calls/{id}/end': 'the end is part of the call',
  'POST /api/v1/bots/{id}/evaluations': 'an evaluation is recorded with its author',
  'POST /api/v1/bots/{id}/evaluations/{evaluation_id}/stop': 'part of the evaluation',
  'POST /api/v1/knowledge/search': 'stores nothing',
  'POST /api/v1/schedules/preview': 'stores nothing',
  'POST /api/v1/retention/preview': 'stores nothing',
  'POST /api/v1/bots/discover': 'stores nothing',
  'POST /api/v1/tools/discover': 'stores nothing',
  'POST /api/v1/conversations/{id}/notes': 'a note is part of its conversation',
  'POST /api/v1/widgets/test-key': 'works only on pages of the service, and expires by itself',
};

/** Audited operations whose change no row shows any more, with the reason. */
export const leavesNoRow: Record<string, string> = {
  'DELETE /api/v1/approval-grants/{id}': 'deletes it',
  'DELETE /api/v1/bots/{botID}/post-call-hooks/{hookID}': 'deletes it',
  'DELETE /api/v1/bots/{id}/scenarios/{scenario_id}': 'deletes it',
  'DELETE /api/v1/canned-replies/{id}': 'deletes it',
  'DELETE /api/v1/conversation-views/{id}': 'deletes it',
  'DELETE /api/v1/conversations/{id}': 'deletes it',
  'DELETE /api/v1/end-users/{external_user_id}': 'deletes them',
  'DELETE /api/v1/legal-holds/{id}': 'deletes it',
  'DELETE /api/v1/tool-grants/{id}': 'deletes it',
  'DELETE /api/v1/tools/{id}': 'deletes it',
  'DELETE /api/v1/voice/numbers/{id}': 'deletes it',
  'POST /api/v1/tools/{id}/test': 'runs it, and stores nothing else',
  'POST /api/v1/jobs/{id}/retry': 'jobs have tables of their own',
  'POST /api/v1/knowledge': 'ingestion changes the row again',
  'POST /api/v1/knowledge/{id}/refresh': 'ingestion changes the row again',
  'POST /api/v1/knowledge/{id}/restore': 'ingestion changes the row again',
  'PATCH /api/v1/knowledge/{id}/metadata': 'ingestion changes the row again',
  'DELETE /api/v1/knowledge/{id}': 'ingestion changes the row again',
};

/** The same for operations of the console. */
export const notAuditedOfConsole: Record<string, string> = {
  'POST /api/console/setup': 'nobody but the first person can call it: see the tests of members',
  'POST /api/console/sign-in': 'changes nothing that people configure',
  'POST /api/console/sign-out': 'changes nothing that people configure',
  'POST /api/console/reset': "changes the person's own account",
  'PATCH /api/console/profile': "changes the person's own account",
  'POST /api/console/invitation': 'stores nothing',
  'POST /api/console/invitation/confirm':
    'sends an invitation, which the log has, to an address that becomes part of it',
  'POST /api/console/bots/{id}/drafts': 'nobody but its author meets a draft',
  'POST /api/console/bots/{id}/test': 'a message is part of its conversation',
  'POST /api/console/tools/functions': 'stores nothing',
  'POST /api/console/conversations/{id}/seen': 'says only what a member has read',
  'POST /api/console/knowledge/search': 'stores nothing',
  'POST /api/console/tools/import': 'stores nothing',
  'POST /api/console/conversations/{id}/scenario': 'stores nothing',
  'POST /api/console/voice/calls/{id}/end': 'the end is part of the call',
};

/** What an owner does in the console to cause each action. Returns the id of the object. */
export const consoleChanges: Record<string, (owner: Member, other: Member) => Promise<string>> = {
  async 'PATCH /api/console/members/{id}'(owner, { id }) {
    await expectDone(owner.call(`PATCH /api/console/members/${id}`, { body: { role: 'operator' } }));
    return id;
  },
  async 'DELETE /api/console/members/{id}'(owner, { id }) {
    await expectDone(owner.call(`DELETE /api/console/members/${id}`));
    return id;
  },
  async 'POST /api/console/invitations'(owner) {
    return (
      await expectDone(
        owner.call('POST /api/console/invitations', { body: { role: 'viewer', email: 'guest@example.com' } }),
      )
    ).id;
  },
  async 'DELETE /api/console/invitations/{id}'(owner) {
    const { id } = (
      await owner.call('POST /api/console/invitations', {
        body: { role: 'viewer', email: 'guest@example.com' },
      })
    ).body;
    await expectDone(owner.call(`DELETE /api/console/invitations/${id}`));
    return id;
  },
  async 'POST /api/console/invitation/accept'(owner) {
    const email = `${randomUUID()}@example.com`;
    const { url } = (await owner.call('POST /api/console/invitations', { body: { role: 'viewer', email } }))
      .body;
    const token = new URL(url).searchParams.get('token');
    const body = { token, name: 'Grace', email, password: memberPassword };
    await expectDone(owner.call('POST /api/console/invitation/accept', { body }));
    const members = (await owner.call('GET /api/console/members')).body as { id: string; email: string }[];
    return members.find((member) => member.email === email)?.id ?? '';
  },
  async 'PUT /api/console/bots/{id}'(owner) {
    const { id } = (await owner.call('POST /api/v1/bots', { body: { name: 'Another', system_prompt: 'x' } }))
      .body;
    const body = { version: 1, fields: { name: 'Renamed' } };
    await expectDone(owner.call(`PUT /api/console/bots/${id}`, { body }));
    return id;
  },
  async 'POST /api/console/tools/test'(owner) {
    const tool = { tool_type: 'calculator', name: 'Sums', description: 'x', configuration: {} };
    const { id } = (await owner.call('POST /api/v1/tools', { body: tool })).body;
    const body = { ...tool, tool_id: id, parameters: { expression: '1' } };
    await expectDone(owner.call('POST /api/console/tools/test', { body }));
    return id;
  },
  async 'PATCH /api/console/workspace'(owner) {
    await expectDone(owner.call('PATCH /api/console/workspace', { body: { name: randomUUID() } }));
    return owner.workspaceId;
  },
  async 'POST /api/console/workspaces'(owner) {
    return (await expectDone(owner.call('POST /api/console/workspaces', { body: { name: 'Second' } }))).id;
  },
};

async function expectDone(answer: ReturnType<Member['call']>) {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}

/** A body that changes something: the example, with the ids of this workspace. */
export async function bodyFor(
  { name, body }: Operation,
  ids: string[],
  call: ReturnType<typeof createCall>,
): Promise<unknown> {
  const example = body?.example as Record<string, unknown> | undefined;
  const newBot = async () =>
    (await call('POST /api/v1/bots', { body: { name: 'Another', system_prompt: 'x' } })).body.id;
  const newTool = async () =>
    (
      await call('POST /api/v1/tools', {
        body: { tool_type: 'calculator', name: 'Another', description: 'x', configuration: {} },
      })
    ).body.id;
  switch (name) {
    case 'POST /api/v1/tools/assign':
      return { bot_id: await newBot(), assignments: [{ tool_type: 'calculator' }] };
    case 'POST /api/v1/voice/numbers':
    case 'POST /api/v1/widgets/keys':
    case 'PUT /api/v1/widgets/customization':
      return { ...example, bot_id: await newBot() };
    case 'POST /api/v1/knowledge':
      return { content_type: 'text', title: 'New', content: 'x' };
    case 'POST /api/v1/bots/{botID}/post-call-hooks':
    case 'PUT /api/v1/bots/{botID}/post-call-hooks/{hookID}':
      return { ...example, tool_configuration_id: await newTool() };
    case 'POST /api/v1/hitl/{id}/respond':
      return { action: 'deny' };
    case 'POST /api/v1/bots/{id}/versions/{number}/restore':
      await call(`PUT /api/v1/bots/${ids[0]}`, { body: { name: 'Changed' } });
      return undefined;
    case 'POST /api/v1/knowledge/{id}/restore':
      await call(`DELETE /api/v1/knowledge/${ids[0]}`);
      return undefined;
    case 'DELETE /api/v1/widgets/keys/{id}/identity-secret':
      await call(`POST /api/v1/widgets/keys/${ids[0]}/identity-secret`);
      return undefined;
    case 'POST /api/v1/conversations/{id}/truncate': {
      const { messages } = (await call(`GET /api/v1/conversations/${ids[0]}`)).body;
      return { message_id: messages[0].id };
    }
    default:
      return example;
  }
}
