import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { callAs, type Member, makeMember, memberPassword } from '../support/members.ts';
import { type MailBox, startMailBox } from '../support/notice-receivers.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

const password = 'mail password';
let mailBox: MailBox;
let service: TestApp;
/** A node on the same database whose mail server is not configured. */
let withoutMail: TestNode;
let owner: Member;
beforeAll(async () => {
  mailBox = await startMailBox(password);
  const smtp = new URL(`smtp://127.0.0.1:${mailBox.port}`);
  smtp.username = 'svc';
  smtp.password = password;
  const environment = { SVC_SMTP_URL: smtp.href, SVC_SMTP_FROM: 'svc@example.com' };
  service = await startTestApp({ environment });
  const { database, encryptionKey } = service;
  withoutMail = await startNode({ database, keyRing: createKeyRing(encryptionKey) });
  owner = await makeMember(service, { role: 'owner' });
});
afterAll(async () => {
  await withoutMail.stop();
  await service.stop();
  await mailBox.close();
});

const tokenIn = (text: string) => /token=([\w-]+)/.exec(text)?.[1] ?? '';
const isWrong = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', details: [{ path }] } });
const account = (email: string) => ({ name: 'Grace Hopper', email, password: memberPassword });

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const own = { origin: service.url, 'x-svc-console': '1', ...headers };
  return service.call(`POST /api/console/invitation${path}`, { key: null, body, headers: own });
}

async function invite(by: Member = owner): Promise<{ id: string; token: string }> {
  const answer = await by.call('POST /api/console/invitations', { body: { role: 'viewer' } });
  expect(answer.status).toBe(201);
  return { id: answer.body.id, token: tokenIn(answer.body.url) };
}

/** Enters an address on the page of an open invitation, and returns the token that arrives there. */
async function receive(token: string, email: string): Promise<string> {
  const before = mailBox.mails.length;
  const answer = await post('/confirm', { token, email });
  expect(answer).toMatchObject({ status: 200 });
  expect(JSON.stringify(answer.body)).not.toContain('token=');
  const [mail, ...others] = mailBox.mails.slice(before);
  expect(others).toEqual([]);
  expect(mail?.to).toEqual([email.toLowerCase()]);
  return tokenIn((mail?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '='));
}

const emails = async () =>
  (await owner.call('GET /api/console/members')).body.map(({ email }: Member) => email) as string[];

describe('an open invitation', () => {
  it('makes nobody a member whose address is not confirmed', async () => {
    const { token } = await invite();
    const refused = await post('/accept', { token, ...account('boss@example.com') });
    expect(refused).toMatchObject(isWrong('token'));
    const { id: workspaceId } = await service.makeWorkspace('Elsewhere');
    const guest = await makeMember(service, { role: 'owner', workspaceId });
    expect(await post('/accept', { token }, { cookie: guest.cookie })).toMatchObject(isWrong('token'));
    expect(await emails()).not.toContain('boss@example.com');
  });

  it('lets a person join with the link that was sent to their address, once and with that address', async () => {
    const { token } = await invite();
    expect((await post('', { token })).body).toMatchObject({ role: 'viewer', email: null });
    const sent = await receive(token, 'Grace@Example.com');
    expect((await post('', { token: sent })).body).toMatchObject({ email: 'grace@example.com' });
    expect(await post('/accept', { token: sent, ...account('eve@example.com') })).toMatchObject(
      isWrong('email'),
    );
    expect((await post('/accept', { token: sent, ...account('grace@example.com') })).status).toBe(200);
    expect(await emails()).toContain('grace@example.com');
    for (const used of [sent, token]) expect(await post('', { token: used })).toMatchObject(isWrong('token'));
    const listed = JSON.stringify((await owner.call('GET /api/console/invitations')).body);
    expect(listed).not.toContain('grace@example.com');
  });

  it('lets a person join who has an account, and one of several who confirm an address', async () => {
    const { id: workspaceId } = await service.makeWorkspace('Elsewhere');
    const guests = [
      await makeMember(service, { role: 'owner', workspaceId }),
      await makeMember(service, { role: 'owner', workspaceId }),
    ];
    const { token } = await invite();
    const sent: string[] = [];
    for (const { email } of guests) sent.push(await receive(token, email));
    const answers = await Promise.all(
      guests.map(({ cookie }, index) => post('/accept', { token: sent[index] }, { cookie })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('stops with the role of whoever made it, and when it is revoked, like what was sent for it', async () => {
    const member = await makeMember(service, { role: 'owner' });
    const [first, second] = [await invite(member), await invite()];
    const sent = [
      await receive(first.token, 'first@example.com'),
      await receive(second.token, 'second@example.com'),
    ];
    await owner.call(`PATCH /api/console/members/${member.id}`, { body: { role: 'viewer' } });
    await owner.call(`DELETE /api/console/invitations/${second.id}`);
    for (const token of sent) expect(await post('', { token })).toMatchObject(isWrong('token'));
  });

  it('cannot be used to flood somebody with mail, and only the last mail counts', async () => {
    const { token } = await invite();
    const first = await receive(token, 'ada@example.com');
    const last = await receive(token, 'ada@example.com');
    expect(await post('', { token: first })).toMatchObject(isWrong('token'));
    expect((await post('', { token: last })).status).toBe(200);
    for (let count = 0; count < 3; count += 1) await receive(token, `ada-${count}@example.com`);
    const refused = await post('/confirm', { token, email: 'ada@example.com' });
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  });

  it('is not a way to mail strangers: all those of a workspace together have a limit', async () => {
    const { id: workspaceId } = await service.makeWorkspace('Many');
    const inviter = await makeMember(service, { role: 'owner', workspaceId });
    const links = await Promise.all(Array.from({ length: 11 }, () => invite(inviter)));
    const mails = links.flatMap(({ id, token }) =>
      Array.from({ length: 5 }, (_, mail) => ({ token, email: `${mail}.${id}@example.com` })),
    );
    const answers = await Promise.all(mails.map((mail) => post('/confirm', mail)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject(refused.map(() => ({ status: 429, body: { code: 'RATE_LIMITED' } })));
    await receive((await invite()).token, 'of-another-workspace@example.com');
  });

  it('says when the mail server refuses an address, and leaves nothing behind', async () => {
    const { id, token } = await invite();
    const refused = await post('/confirm', { token, email: 'refused@example.com' });
    expect(refused).toMatchObject({ status: 502, body: { code: 'UPSTREAM_FAILED' } });
    expect(JSON.stringify(refused.body)).not.toContain(password);
    const { rows } = await service.database.acrossWorkspaces.raw(
      'select from member_links where opened_from = $1',
      [id],
    );
    expect(rows).toEqual([]);
    expect((await post('', { token })).status).toBe(200);
    expect(await post('/confirm', { token, email: 'nobody' })).toMatchObject(isWrong('email'));
    expect(await post('/confirm', { token: 'guess', email: 'ada@example.com' })).toMatchObject(
      isWrong('token'),
    );
  });
});

it('without a mail server, invitations name their person', async () => {
  const { token } = await invite();
  const call = callAs(withoutMail.url, owner.cookie, owner.workspaceId);
  const open = await call('POST /api/console/invitations', { body: { role: 'viewer' } });
  expect(open).toMatchObject(isWrong('email'));
  expect(open.body.message).toContain('an invitation is for one person only');
  // Whoever invites may not be the person who can set it.
  expect(open.body.message).not.toContain('SVC_');
  const body = { token, email: 'ada@example.com' };
  expect(await call('POST /api/console/invitation/confirm', { body })).toMatchObject(isWrong('token'));
  const named = await call('POST /api/console/invitations', {
    body: { role: 'viewer', email: 'mary@example.com' },
  });
  expect(named.status).toBe(201);
  const person = { token: tokenIn(named.body.url), ...account('mary@example.com') };
  expect((await post('/accept', person)).status).toBe(200);
});
