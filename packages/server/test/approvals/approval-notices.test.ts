import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { withDeadLetters } from '../../src/jobs/dead-letters.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { webhookSecret } from '../../src/webhooks/webhook-signature.ts';
import { toolCall, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { answerByLink } from '../support/answer-by-link.ts';
import { makeAskingBot, type Place, pauseTurn } from '../support/asking-bot.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { makeMember } from '../support/members.ts';
import { type MailBox, type Receiver, startMailBox, startReceiver } from '../support/notice-receivers.ts';
import { runCommand } from '../support/service-process.ts';
import { type Call, startTestApp, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startNode } from '../support/test-node.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

const encryptionKey = Buffer.alloc(32, 7);
const smtpPassword = 'canary-smtp-pa55';
const urlToken = 'canary-url-t0ken';
let scripted: ScriptedModel;
let service: TestApp;
let receiver: Receiver;
let mailBox: MailBox;
let environment: Record<string, string>;

beforeAll(async () => {
  scripted = await startScriptedModel();
  receiver = await startReceiver(urlToken);
  mailBox = await startMailBox(smtpPassword);
  environment = {
    ...scriptedEnvironment(scripted),
    SVC_EGRESS_ALLOW: '127.0.0.1',
    SVC_PUBLIC_URL: 'https://svc.example',
    SVC_SMTP_URL: `smtp://mailer:${smtpPassword}@127.0.0.1:${mailBox.port}`,
    SVC_SMTP_FROM: 'svc@example.com',
  };
  service = await startTestApp({ environment, encryptionKey });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
  receiver.close();
  await mailBox.close();
});
beforeEach(async () => {
  // A turn that an answer resumed at the end of a test must not use the next test's script.
  const running = () => service.database.acrossWorkspaces.raw("select 1 from turns where status = 'running'");
  await eventually(async () => (await running()).rows).toEqual([]);
  scripted.reset();
  for (const list of [receiver.posts, receiver.answers, mailBox.mails]) list.length = 0;
});

const askingBot = (settings: object, place: Place = service) => makeAskingBot(place, settings);
/** A bot whose notice address was allowed when it was saved and is not any more. */
async function privatelyNotifying(notice: object): Promise<string> {
  const botId = await askingBot({ approval_notice: { webhook_url: 'https://example.com/' } });
  const replace = `update bots set settings = jsonb_set(settings, '{approval_notice}', $1) where id = $2`;
  await service.database.acrossWorkspaces.raw(replace, [notice, botId]);
  return botId;
}
const pausedTurn = (botId: string, place: Place = service) => pauseTurn(place, scripted, botId);
const deny = (approvalId: string) =>
  service.call(`POST /api/v1/hitl/${approvalId}/respond`, { body: { action: 'deny' } });
const patiently = { interval: 100 };
const silent = pino({ level: 'silent' });
const deadLetters = (database: Database) =>
  withDeadLetters({ database, log: silent }, (letters) => letters.list());
const jobsStored = async () => {
  const { rows } = await service.database.acrossWorkspaces.raw(
    "select count(*)::int as count from pgboss.job where name = 'approval-notices'",
  );
  return rows[0];
};

describe('a webhook', () => {
  it('gets the approval and a link to answer it, signed', async () => {
    const botId = await askingBot({ approval_notice: { webhook_url: receiver.url } });
    const turn = await pausedTurn(botId);
    await eventually(() => receiver.posts.length).toBe(1);
    const [post] = receiver.posts;
    const sent = JSON.parse(post?.body ?? '');
    const pending = await service.call(`GET /api/v1/hitl?conversation_id=${turn.conversationId}`);
    expect(sent).toEqual({
      type: 'approval.requested',
      delivery_id: post?.headers['svc-delivery-id'],
      approval: pending.body[0],
      link: expect.stringMatching(/^https:\/\/svc\.example\/a\/[\w-]+$/),
    });
    expect(post?.headers['content-type']).toBe('application/json');

    const secret = webhookSecret(createSecretBox(createKeyRing(encryptionKey)), botId);
    const [, time = '', given = ''] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(post?.headers['svc-signature'])) ?? [];
    expect(given).toBe(createHmac('sha256', secret).update(`${time}.${post?.body}`).digest('hex'));
    expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(60);

    const page = service.url + new URL(sent.link).pathname;
    expect((await fetch(page)).status).toBe(200);
    const answered = await answerByLink(page, { action: 'deny' });
    expect(answered.status).toBe(200);
    expect(await deny(turn.approvalId)).toMatchObject({ status: 409 });
  });

  it('is notified of each call that waits', async () => {
    const botId = await askingBot({ settings: { approval_notice: { webhook_url: receiver.url } } });
    scripted.enqueue([
      toolCalls([
        { name: 'announce', arguments: { title: 'one' } },
        { name: 'announce', arguments: { title: 'two' } },
      ]),
    ]);
    await chatWith(() => service).say({ bot_id: botId, new_conversation: true });
    await eventually(() => receiver.posts.length).toBe(2);
    const titles = receiver.posts.map(({ body }) => JSON.parse(body).approval.arguments.title);
    expect(titles.toSorted()).toEqual(['one', 'two']);
  });

  it('that fails twice is retried until it works', async () => {
    receiver.answers.push(500, 302);
    const botId = await askingBot({ approval_notice: { webhook_url: receiver.url } });
    const { approvalId } = await pausedTurn(botId);
    await expect.poll(() => receiver.posts.length, patiently).toBe(3);
    expect(new Set(receiver.posts.map(({ body }) => body)).size).toBe(1);
    await sleep(500);
    expect(receiver.posts).toHaveLength(3);
    await deny(approvalId);
  });

  it('is not notified of an approval that was answered meanwhile', async () => {
    receiver.answers.push(503);
    const botId = await askingBot({ approval_notice: { webhook_url: receiver.url } });
    const { approvalId } = await pausedTurn(botId);
    await eventually(() => receiver.posts.length).toBe(1);
    await deny(approvalId);
    const open = async () => {
      const { rows } = await service.database.acrossWorkspaces.raw(
        "select state from pgboss.job where name = 'approval-notices' and data->>'approvalId' = $1",
        [approvalId],
      );
      return rows[0];
    };
    await expect.poll(open, patiently).toEqual({ state: 'completed' });
    expect(receiver.posts).toHaveLength(1);
  });

  it('at a private address becomes a dead letter with the reason, and harms nothing else', async () => {
    const url = 'http://10.1.2.3/hook?token=canary-url-t0ken';
    const botId = await privatelyNotifying({ webhook_url: url, email: 'boss@example.com' });
    const turn = await pausedTurn(botId);
    const ofTurn = async () =>
      (await deadLetters(service.database)).filter(
        ({ data }) => (data as { approvalId: string }).approvalId === turn.approvalId,
      );
    await expect.poll(async () => (await ofTurn()).length, patiently).toBe(1);
    const [letter] = await ofTurn();
    expect(letter).toMatchObject({ queue: 'approval-notices', attempts: 1 });
    expect(letter?.error).toContain('10.1.2.3');
    expect(JSON.stringify(letter)).not.toContain(urlToken);
    await eventually(() => mailBox.mails.length).toBe(1);
    expect((await deny(turn.approvalId)).status).toBe(200);
  });
});

describe('a mail', () => {
  it('carries the call and the link, and goes through the configured server', async () => {
    const botId = await askingBot({ name: 'Herald', approval_notice: { email: 'boss@example.com' } });
    const { approvalId } = await pausedTurn(botId);
    await eventually(() => mailBox.mails.length).toBe(1);
    const [mail] = mailBox.mails;
    expect(mail).toMatchObject({ to: ['boss@example.com'], from: 'svc@example.com', user: 'mailer' });
    const raw = (mail?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(raw).toContain('Subject: Approval needed: announce');
    expect(raw).toContain('Herald is waiting for your decision.');
    const [, path = ''] = /^https:\/\/svc\.example(\/a\/[\w-]+)\r$/m.exec(raw) ?? [];
    expect((await fetch(service.url + path)).status).toBe(200);
    // Every line that the model wrote is quoted.
    expect(raw).toMatch(/^> POST http:\/\/127\.0\.0\.1:9\/x/m);
    expect(raw).not.toMatch(/^http:\/\/evil/m);
    await deny(approvalId);
  });
});

describe('a member who loses the right to answer approvals', () => {
  const put = (call: Call, botId: string, body: object) => call(`PUT /api/v1/bots/${botId}`, { body });
  const noticeOf = async (botId: string) =>
    JSON.parse((await service.call(`GET /api/v1/bots/${botId}`)).body.settings).approval_notice;

  it('gets no notices, and neither does the address that they chose', async () => {
    const owner = await makeMember(service, { role: 'owner' });
    const mary = await makeMember(service, { role: 'operator', name: 'Mary' });
    const webhook = { webhook_url: receiver.url };
    const addressed = await askingBot({
      name: 'Addressed',
      approval_notice: { ...webhook, email: mary.email.toUpperCase() },
    });
    const set = await askingBot({ name: 'Set' });
    const others = await askingBot({ approval_notice: { ...webhook, email: 'boss@example.com' } });
    expect(await put(mary.call, set, { approval_notice: webhook })).toMatchObject({ status: 200 });
    const holdings = async (role: string) =>
      (await owner.call(`GET /api/console/members/${mary.id}/holdings?role=${role}`)).body;
    for (const [role, isRevoked] of [['operator', false] as const, ['viewer', true] as const])
      expect(await holdings(role)).toMatchObject([
        { type: 'approval_notice', id: addressed, name: 'Addressed', is_revoked: isRevoked },
        { type: 'approval_notice', id: set, name: 'Set', is_revoked: isRevoked },
      ]);
    const demoted = await owner.call(`PATCH /api/console/members/${mary.id}`, { body: { role: 'viewer' } });
    expect(demoted).toMatchObject({ status: 200 });
    expect(await noticeOf(addressed)).toEqual(webhook);
    expect(await noticeOf(set)).toBeUndefined();
    expect(await noticeOf(others)).toEqual({ ...webhook, email: 'boss@example.com' });
    const [entry] = (await owner.call(`GET /api/v1/audit?object=${set}&limit=1`)).body;
    expect(entry).toMatchObject({ action: 'bot.updated', actor: { id: owner.id } });
    expect(entry.changes).toContainEqual({
      field: 'reason',
      before: null,
      after: 'Mary has the role viewer now.',
    });
    expect(await holdings('viewer')).toEqual([]);
  });

  it.each([
    ['mail', (email: string) => ({ email }), () => mailBox.mails[0]?.raw],
    ['webhook', () => ({ webhook_url: receiver.url }), () => receiver.posts[0]?.body],
  ])('cannot answer by a link that they got by %s', async (_by, notice, read) => {
    const owner = await makeMember(service, { role: 'owner' });
    const mary = await makeMember(service, { role: 'operator' });
    const botId = await askingBot({});
    await put(mary.call, botId, { approval_notice: notice(mary.email) });
    const { approvalId } = await pausedTurn(botId);
    await eventually(read).toBeDefined();
    const [path = ''] = /\/a\/[\w-]+/.exec((read() ?? '').replaceAll('=\r\n', '')) ?? [];
    const url = service.url + path;
    expect((await fetch(url)).status).toBe(200);
    const [, shown = ''] = /name="shown" value="([^"]+)"/.exec(await (await fetch(url)).text()) ?? [];
    await owner.call(`DELETE /api/console/members/${mary.id}`);
    expect((await fetch(url)).status).toBe(404);
    expect((await answerByLink(url, { action: 'approve' }, shown)).status).toBe(404);
    expect((await service.call(`GET /api/v1/hitl/${approvalId}`)).body).toMatchObject({ status: 'pending' });
    await deny(approvalId);
  });

  it('sets no notice while they are being removed', async () => {
    const owner = await makeMember(service, { role: 'owner' });
    const mary = await makeMember(service, { role: 'operator' });
    const botId = await askingBot({});
    const { database } = service;
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    // Holds the removal between its locks and its end.
    const blocking = database.acrossWorkspaces.transaction(async (tx) => {
      await tx.execute('lock table audit_entries in exclusive mode');
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const removing = owner.call(`DELETE /api/console/members/${mary.id}`);
    await eventually(() => countWaitingForLocks(database)).toBe(1);
    const setting = put(mary.call, botId, { approval_notice: { webhook_url: receiver.url } });
    await eventually(() => countWaitingForLocks(database)).toBe(2);
    release.resolve();
    await blocking;
    expect((await removing).status).toBe(200);
    expect((await setting).status).toBe(403);
    expect(await noticeOf(botId)).toBeUndefined();
  });
});

describe('the setting', () => {
  it('is kept, replaced as a whole, and cleared by null', async () => {
    const botId = await askingBot({ approval_notice: { webhook_url: receiver.url } });
    const stored = async () => JSON.parse((await service.call(`GET /api/v1/bots/${botId}`)).body.settings);
    expect(await stored()).toMatchObject({ approval_notice: { webhook_url: receiver.url } });
    const put = (body: object) => service.call(`PUT /api/v1/bots/${botId}`, { body });
    await put({ settings: { approval_notice: { email: 'boss@example.com' } } });
    expect(await stored()).toMatchObject({ approval_notice: { email: 'boss@example.com' } });
    await put({ approval_notice: null });
    expect(await stored()).not.toHaveProperty('approval_notice');
    const before = await jobsStored();
    await deny((await pausedTurn(botId)).approvalId);
    expect(await jobsStored()).toEqual(before);
  });
});

it('sends no notice of a pause that was rolled back', async () => {
  const botId = await askingBot({ approval_notice: { webhook_url: receiver.url } });
  const before = await jobsStored();
  await service.database.acrossWorkspaces.raw(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before update on turns for each row when (new.status = 'paused') execute function refuse()`);
  try {
    scripted.enqueue([toolCall('announce', { title: 'x' })]);
    const turn = await chatWith(() => service).say({ bot_id: botId, new_conversation: true });
    expect(turn.last.event).toBe('turn.failed');
  } finally {
    await service.database.acrossWorkspaces.raw('drop trigger refuse on turns; drop function refuse()');
  }
  expect(await jobsStored()).toEqual(before);
  await sleep(500);
  expect(receiver.posts).toEqual([]);
});

it('sends after a restart what could not be sent before', async () => {
  const store = await createTestDatabase();
  receiver.answers.push(503);
  const first = await startNode({ database: store.database, environment });
  const botId = await askingBot({ approval_notice: { webhook_url: receiver.url } }, first);
  await pausedTurn(botId, first);
  await eventually(() => receiver.posts.length).toBe(1);
  await first.stop();
  expect(receiver.posts).toHaveLength(1);
  const second = await startNode({ database: store.database, environment });
  await expect.poll(() => receiver.posts.length, patiently).toBe(2);
  expect(receiver.posts[1]?.body).toBe(receiver.posts[0]?.body);
  await second.stop();
  await store.drop();
});

describe('the operator', () => {
  async function svc(...words: string[]) {
    const { rows } = await service.database.acrossWorkspaces.raw('select current_database() as name');
    const [{ name = '' } = {}] = rows as { name?: string }[];
    const { user, host, port, password } = inject('postgres');
    const result = await runCommand([...words, '--json'], {
      DATABASE_URL: `postgres://${user}${password ? `:${password}` : ''}@/${name}?host=${host}&port=${port}`,
      SVC_ENCRYPTION_KEY: encryptionKey.toString('base64'),
    });
    return { ...result, json: () => JSON.parse(result.stdout) };
  }

  it('sees what failed, and retries it once the reason is gone', async () => {
    const botId = await privatelyNotifying({ webhook_url: 'http://10.1.2.3/' });
    const { approvalId } = await pausedTurn(botId);
    const isThis = ({ data }: { data: unknown }) =>
      (data as { approvalId: string }).approvalId === approvalId;
    await expect.poll(async () => (await deadLetters(service.database)).some(isThis), patiently).toBe(true);
    const failed = (await svc('jobs', 'list', '--failed')).json().find(isThis);
    expect(failed).toEqual({
      id: expect.any(String),
      queue: 'approval-notices',
      error: expect.stringContaining('10.1.2.3'),
      attempts: 1,
      data: expect.objectContaining({ approvalId, channel: 'webhook' }),
      failed_at: expect.any(String),
    });
    await service.call(`PUT /api/v1/bots/${botId}`, {
      body: { approval_notice: { webhook_url: receiver.url } },
    });
    expect((await svc('jobs', 'retry', failed.id)).json()).toEqual({ id: failed.id, retried: true });
    await expect.poll(() => receiver.posts.length, patiently).toBe(1);
    const again = await svc('jobs', 'retry', failed.id);
    expect(again).toMatchObject({ code: 1, stderr: 'There is no failed job with this id.\n' });
    await deny(approvalId);
  });

  it('can show the signing secret of a bot', async () => {
    const botId = await askingBot({});
    const secret = webhookSecret(createSecretBox(createKeyRing(encryptionKey)), botId);
    expect((await svc('bots', 'webhook-secret', botId)).json()).toEqual({
      bot_id: botId,
      webhook_secret: secret,
    });
    expect(await svc('bots', 'webhook-secret', randomUUID())).toMatchObject({ code: 1, stdout: '' });
  });
});

it('logs no secret and no link, even if it fails', async () => {
  receiver.answers.push(500);
  const notice = { webhook_url: receiver.url, email: 'refused@example.com' };
  const botId = await askingBot({ approval_notice: notice });
  const before = service.logged.length;
  const { approvalId } = await pausedTurn(botId);
  const failures = () => service.logged.slice(before).filter((line) => line.includes('A job failed.'));
  await expect.poll(() => failures().length, patiently).toBe(2);
  await deny(approvalId);
  const log = service.logged.join('\n');
  const { link } = JSON.parse(receiver.posts[0]?.body ?? '');
  const secrets = [smtpPassword, urlToken, new URL(link).pathname, 'whsec_', 'v1='];
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
});
