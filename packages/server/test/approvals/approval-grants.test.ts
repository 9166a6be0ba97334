import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Approval } from '@svc/contract/approvals';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, eventually, type SaidTurn, scriptedEnvironment } from '../support/chat.ts';
import { makeCodingBot, pairMachine } from '../support/coding-bot.ts';
import { makeRoot, startDaemon } from '../support/machine-daemon.ts';
import { type Member, makeMember } from '../support/members.ts';
import { pairScripted, type ScriptedMachine, usualOutcome } from '../support/scripted-machine.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let machine: ScriptedMachine;
let botId: string;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  machine = await pairScripted(service);
  await machine.connect(service.url);
  botId = await makeCodingBot(service, { machine_id: machine.id, workdir: '/project' });
});
afterAll(async () => {
  await machine.disconnect();
  await service.stop();
  await scripted.close();
});
beforeEach(async () => {
  machine.setScript(usualOutcome);
  machine.received.length = 0;
  for (const { id } of await grants()) await service.call(`DELETE /api/v1/approval-grants/${id}`);
});

interface Given {
  name: string;
  arguments: Record<string, unknown>;
}
const command = (line: string, more: object = {}): Given => ({
  name: 'run_command',
  arguments: { command: line, ...more },
});
const write = (path: string): Given => ({ name: 'write_file', arguments: { path, content: 'new\n' } });

const grants = async (query = '') => (await service.call(`GET /api/v1/approval-grants${query}`)).body;
const respond = (approvalId: string, body: object) =>
  service.call(`POST /api/v1/hitl/${approvalId}/respond`, { body });
const pending = async ({ conversationId }: SaidTurn): Promise<Approval[]> =>
  (await service.call(`GET /api/v1/hitl?conversation_id=${conversationId}`)).body;

/** A turn in which the model makes these calls, and says that it is done. */
async function turnWith(calls: Given[], message: object = {}, key = service.key): Promise<SaidTurn> {
  scripted.respondWith((request) =>
    askedBy(request).at(-1)?.role === 'user' ? [toolCalls(calls)] : [text('Done.')],
  );
  return chat.say({ bot_id: botId, external_user_id: 'ada', ...message }, { key });
}

async function ended({ conversationId }: SaidTurn): Promise<void> {
  const read = async () => (await service.call(`GET /api/v1/conversations/${conversationId}`)).body.status;
  await eventually(read).toBe('idle');
}

/** Approves what a turn waits for, the first with a grant. */
async function grant(turn: SaidTurn, scope: 'conversation' | 'machine'): Promise<string> {
  const [first] = await pending(turn);
  const answer = await respond(first?.id ?? '', { action: 'approve', grant: scope });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { status: 'approved' } });
  await ended(turn);
  return answer.body.grant_id;
}

const isAsked = ({ last }: SaidTurn) => last.event === 'turn.paused';
async function denied(turn: SaidTurn): Promise<void> {
  expect(isAsked(turn)).toBe(true);
  for (const { id } of await pending(turn)) await respond(id, { action: 'deny' });
  await ended(turn);
}
const inConversation = ({ conversationId }: SaidTurn) => ({ conversation_id: conversationId });

describe('a command that was allowed', () => {
  it('runs in its conversation without a question, approved by whoever allowed it', async () => {
    const turn = await turnWith([command('npm test')]);
    expect((await pending(turn))[0]).toMatchObject({
      grant_offer: { kind: 'command', command: 'npm test', directory: '/project' },
      grant_id: null,
    });
    const grantId = await grant(turn, 'conversation');
    expect(await grants(`?conversation_id=${turn.conversationId}`)).toMatchObject([
      { id: grantId, kind: 'command', command: 'npm test', scope: 'conversation', machine_name: 'laptop' },
    ]);

    const next = await turnWith([command(' npm  test ')], inConversation(turn));
    expect(next.last.event).toBe('turn.completed');
    const names = next.events.map(({ event }) => event);
    expect(names).not.toContain('approval.requested');
    const resolved = next.events.find(({ event }) => event === 'approval.resolved');
    const by = expect.stringMatching(/^key:/);
    expect(resolved?.data.approval).toMatchObject({ status: 'approved', grant_id: grantId, resolved_by: by });
    const ran = machine.operations('run_command').at(-1);
    // The machine compares with what the preview said, as for every approval.
    const id = resolved?.data.approval.id;
    expect(ran).toMatchObject({ basis: { cwd: '/project' }, approval: { id, by } });
  });

  it('allows no other command, folder or conversation', async () => {
    const turn = await turnWith([command('npm test')]);
    await grant(turn, 'conversation');
    const others = [
      command('npm test && rm -rf ~'),
      command('npm test x'),
      command('npm  run test'),
      command('npm test; ls'),
    ];
    for (const other of others) await denied(await turnWith([other], inConversation(turn)));
    machine.setScript((operation) =>
      operation.name === 'preview'
        ? { status: 'ok', value: { cwd: '/project/sub', basis: { cwd: '/project/sub' } } }
        : usualOutcome(operation),
    );
    await denied(await turnWith([command('npm test', { path: 'sub' })], inConversation(turn)));
    machine.setScript(usualOutcome);
    await denied(await turnWith([command('npm test')], { new_conversation: true }));
    expect(machine.operations('run_command')).toHaveLength(1);
  });

  it('is asked about again once the grant is revoked', async () => {
    const turn = await turnWith([command('npm test')]);
    const grantId = await grant(turn, 'conversation');
    expect(await service.call(`DELETE /api/v1/approval-grants/${grantId}`)).toMatchObject({ status: 200 });
    expect(await grants()).toEqual([]);
    await denied(await turnWith([command('npm test')], inConversation(turn)));
    expect(await service.call(`DELETE /api/v1/approval-grants/${grantId}`)).toMatchObject({ status: 404 });
    const { body: log } = await service.call('GET /api/v1/audit?action=approval_grant');
    const actions = log.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 2)).toEqual(['approval_grant.revoked', 'approval_grant.created']);
  });

  it('can be allowed for the machine: for the same user, bot and sender only', async () => {
    const turn = await turnWith([command('npm test')]);
    await grant(turn, 'machine');
    const elsewhere = await turnWith([command('npm test')], { new_conversation: true });
    expect(elsewhere.last.event).toBe('turn.completed');
    await denied(await turnWith([command('npm test')], { external_user_id: 'bob' }));
    const made = await service.call('POST /api/v1/keys', { body: { name: 'Other', abilities: ['all'] } });
    await denied(await turnWith([command('npm test')], inConversation(turn), made.body.key));

    const place = { machine_id: machine.id, workdir: '/project' };
    const otherBot = await makeCodingBot(service, place);
    await denied(await turnWith([command('npm test')], { bot_id: otherBot }));

    const second = await pairScripted(service);
    await second.connect(service.url);
    const onSecond = await makeCodingBot(service, { workdir: '/project' });
    const first = { bot_id: onSecond, code_machine_id: machine.id };
    await grant(await turnWith([command('npm test')], first), 'machine');
    const there = { bot_id: onSecond, code_machine_id: second.id, new_conversation: true };
    await denied(await turnWith([command('npm test')], there));
    await second.disconnect();
  });

  it('is not offered where shell syntax could mean something else', async () => {
    const turn = await turnWith([command('npm test && rm -rf ~')]);
    const [approval] = await pending(turn);
    expect(approval).toMatchObject({ grant_offer: null });
    const refused = await respond(approval?.id ?? '', { action: 'approve', grant: 'conversation' });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'grant' }] } });
    await denied(turn);
    expect(await grants()).toEqual([]);
  });
});

describe('changes that were allowed in a directory', () => {
  it('run without a question, also those that wait already', async () => {
    const turn = await turnWith([write('a.txt'), write('b/c.txt')]);
    const waiting = await pending(turn);
    expect(waiting).toHaveLength(2);
    expect(waiting[0]).toMatchObject({
      grant_offer: { kind: 'edits', directory: '/project', command: null },
    });
    await grant(turn, 'conversation');
    expect(machine.operations('write_file')).toHaveLength(2);
    const next = await turnWith([write('d.txt')], inConversation(turn));
    expect(next.last.event).toBe('turn.completed');
    // Commands are another matter.
    await denied(await turnWith([command('npm test')], inConversation(turn)));
  });

  it('leave nothing that is outside of it, by its real path, or that is to be kept', async () => {
    const turn = await turnWith([write('a.txt')]);
    await grant(turn, 'conversation');
    for (const path of ['.env', '.git/hooks/pre-commit', '../other/a.txt'])
      await denied(await turnWith([write(path)], inConversation(turn)));
    // A link that leads out of the directory, as the machine reports it.
    machine.setScript((operation) => {
      const basis = { files: [{ path: '/elsewhere/a.txt', hash: 'ab' }] };
      const files = [{ path: 'link/a.txt', diff: '+x\n' }];
      return operation.name === 'preview'
        ? { status: 'ok', value: { files, basis, workdir: '/project' } }
        : usualOutcome(operation);
    });
    await denied(await turnWith([write('link/a.txt')], inConversation(turn)));
    expect(machine.operations('write_file')).toHaveLength(1);
  });
});

describe('a grant of a member', () => {
  const allow = (member: Member, ids: string[]) =>
    service
      .call(`PATCH /api/v1/machines/${machine.id}`, { body: { allowed_members: ids } })
      .then((answer) => expect(answer, member.name).toMatchObject({ status: 200 }));

  async function granted(member: Member): Promise<SaidTurn> {
    const turn = await turnWith([command('npm test')], { new_conversation: true });
    const [approval] = await pending(turn);
    const path = `POST /api/v1/hitl/${approval?.id}/respond`;
    const answer = await member.call(path, { body: { action: 'approve', grant: 'conversation' } });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
    await ended(turn);
    return turn;
  }

  it('is refused to those who may not approve, and ends when its giver may no longer', async () => {
    const ann = await makeMember(service, { role: 'operator', name: 'Ann' });
    const turn = await turnWith([command('npm test')], { new_conversation: true });
    const [approval] = await pending(turn);
    const path = `POST /api/v1/hitl/${approval?.id}/respond`;
    const refused = await ann.call(path, { body: { action: 'approve', grant: 'conversation' } });
    expect(refused).toMatchObject({ status: 403 });
    expect(await grants()).toEqual([]);
    await denied(turn);

    await allow(ann, [ann.id]);
    const hers = await granted(ann);
    expect(await grants()).toMatchObject([{ created_by: `member:${ann.id}`, created_by_name: 'Ann' }]);
    const again = () => turnWith([command('npm test')], inConversation(hers));
    expect((await again()).last.event).toBe('turn.completed');
    // The owner of the machine withdraws it from her.
    await allow(ann, []);
    await denied(await again());
    await allow(ann, [ann.id]);
    expect((await again()).last.event).toBe('turn.completed');
    const boss = await makeMember(service, { role: 'owner', name: 'Grace' });
    const members = '/api/console/members';
    const demoted = await boss.call(`PATCH ${members}/${ann.id}`, { body: { role: 'viewer' } });
    expect(demoted, JSON.stringify(demoted.body)).toMatchObject({ status: 200 });
    await denied(await again());
    expect(await grants()).toEqual([]);
    await boss.call(`PATCH ${members}/${ann.id}`, { body: { role: 'operator' } });
    expect(await grants()).toHaveLength(1);
    await boss.call(`DELETE ${members}/${ann.id}`);
    expect(await grants()).toEqual([]);
  });

  it('goes with its conversation', async () => {
    const turn = await turnWith([command('npm test')], { new_conversation: true });
    await grant(turn, 'machine');
    await service.call(`DELETE /api/v1/conversations/${turn.conversationId}`);
    expect(await grants()).toEqual([]);
    await denied(await turnWith([command('npm test')], { new_conversation: true }));
  });
});

it('what a grant has approved survives a restart of the turn', async () => {
  const turn = await turnWith([command('npm test')], { new_conversation: true });
  await grant(turn, 'conversation');
  // One call waits for a person while the other is approved already.
  const mixed = await turnWith([command('npm publish'), command('npm test')], inConversation(turn));
  expect(mixed.last.data.approval_ids).toHaveLength(1);
  const [approval] = await pending(mixed);
  expect(approval).toMatchObject({ arguments: { command: 'npm publish' } });
  await respond(approval?.id ?? '', { action: 'approve' });
  await ended(mixed);
  const ran = machine.operations('run_command').map(({ arguments: given }) => given['command']);
  expect(ran).toEqual(['npm test', 'npm publish', 'npm test']);
});

it('the old answer of a single call works as before', async () => {
  scripted.respondWith((request) =>
    askedBy(request).at(-1)?.role === 'user'
      ? [toolCall('run_command', { command: 'npm test' })]
      : [text('Done.')],
  );
  const turn = await chat.say({ bot_id: botId, external_user_id: 'ada', new_conversation: true });
  const [approval] = await pending(turn);
  const answer = await respond(approval?.id ?? '', { action: 'approve' });
  expect(answer.body).toEqual({ id: approval?.id, status: 'approved' });
  await ended(turn);
  expect(await grants()).toEqual([]);
});

it('a link that leads out of the directory does not widen a grant, on a real machine', async () => {
  const root = await makeRoot();
  await mkdir(join(root.path, 'shop'));
  await mkdir(join(root.path, 'other'));
  await symlink('../other', join(root.path, 'shop', 'link'));
  // The directory itself is named by a link, which is followed too.
  await symlink('shop', join(root.path, 'current'));
  const { id, token } = await pairMachine(service, 'real');
  const daemon = await startDaemon({ url: service.url, key: token, roots: [root.path] });
  await daemon.connected();
  const coder = await makeCodingBot(service, { machine_id: id, workdir: join(root.path, 'current') });
  const message = { bot_id: coder };
  const turn = await turnWith([write('a.txt')], message);
  expect((await pending(turn))[0]?.grant_offer).toMatchObject({ directory: join(root.path, 'shop') });
  await grant(turn, 'conversation');
  const inside = await turnWith([write('b.txt')], message);
  expect(inside.last.event).toBe('turn.completed');
  for (const path of ['link/c.txt', '../other/c.txt', join(root.path, 'other', 'c.txt')]) {
    const outside = await turnWith([write(path)], message);
    expect((await pending(outside))[0]).toMatchObject({ grant_offer: null });
    await denied(outside);
  }
  expect(await readdir(join(root.path, 'shop'))).toEqual(['a.txt', 'b.txt', 'link']);
  expect(await readdir(join(root.path, 'other'))).toEqual([]);
  await daemon.discard();
  await root.remove();
});
