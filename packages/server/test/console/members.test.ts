import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Member, makeMember, memberPassword } from '../support/members.ts';
import { type MailBox, startMailBox } from '../support/notice-receivers.ts';
import { galleryPages } from './gallery/gallery-pages.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let owner: Desk;
let mary: Member;
let mailBox: MailBox;
beforeAll(async () => {
  mailBox = await startMailBox('secret');
  const environment = {
    SVC_SMTP_URL: `smtp://svc:secret@127.0.0.1:${mailBox.port}`,
    SVC_SMTP_FROM: 'svc@example.com',
  };
  stage = await openConsole({ environment });
  owner = await stage.signIn('owner', { name: 'Ada Lovelace' });
  mary = await makeMember(stage, { role: 'owner', name: 'Mary Shelley' });
});
afterAll(async () => {
  await stage.stop();
  await mailBox.close();
});

/** A browser in which nobody is signed in. */
async function openVisitor(): Promise<Page> {
  const { open } = await stage.browser.openFor({
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
  });
  return (await open()).page;
}

test('an owner invites somebody, changes their role and removes them, and they see it at once', async () => {
  await owner.go('/settings/members');
  const { page } = owner;
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('radio', { name: 'Operator' }).check({ force: true });
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = (await page.getByLabel('Invitation link', { exact: true }).textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Anybody with the link').waitFor();

  const guest = await openVisitor();
  await guest.goto(link.replace(/^https?:\/\/[^/]+/, stage.url));
  await guest.getByLabel('Email').fill('grace@example.com');
  await guest.getByRole('button', { name: 'Send me a link' }).click();
  await guest.getByRole('status').getByText('We have sent a link to grace@example.com').waitFor();
  const mail = mailBox.mails[0]?.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  await guest.goto(`${stage.url}/invite?token=${/token=([\w-]+)/.exec(mail ?? '')?.[1]}`);
  await guest.getByLabel('Your name').fill('Grace Hopper');
  expect(await guest.getByLabel('Email').inputValue()).toBe('grace@example.com');
  await guest.getByLabel('Password').fill('short');
  await guest.getByRole('button', { name: 'Create account and join' }).click();
  await guest
    .getByText(/at least 10 characters/i)
    .nth(1)
    .waitFor();
  await guest.getByLabel('Password').fill(memberPassword);
  await guest.getByRole('button', { name: 'Create account and join' }).click();
  await guest.waitForURL(`**/w/${owner.workspaceId}`);
  await guest.goto(`${stage.url}/w/${owner.workspaceId}/settings/keys`);
  await guest.getByText('Only owners see this').waitFor();

  // The owner's page is still the same.
  await page.getByRole('button', { name: /Role of Grace Hopper/ }).click();
  await page.getByRole('option', { name: /Viewer/ }).click();
  await guest.goto(`${stage.url}/w/${owner.workspaceId}/settings/workspace`);
  await guest.getByText('You are a viewer.').waitFor();
  await page.getByRole('button', { name: 'Remove Grace Hopper' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await guest.getByText('You are not a member of this workspace').first().waitFor();
  // A list that is read again ends the request before.
  expect(owner.complaints.filter((text) => !text.includes('ERR_ABORTED'))).toEqual([]);
});

test('a member who made something is demoted or removed only after the owner has seen what stops working', async () => {
  const { page } = owner;
  const make = async (path: string, body: object) => {
    const answer = await mary.call(`POST ${path}`, { body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const { key: all } = await make('/api/v1/keys', { name: 'deploy script', abilities: ['all'] });
  const { key: reading } = await make('/api/v1/keys', { name: 'dashboard', abilities: ['bots:read'] });
  await make('/api/v1/machines', { name: 'marys-laptop' });
  const statusOf = async (key: string) => (await stage.call('GET /api/v1/bots', { key })).status;

  await owner.go('/settings/members');
  const choose = async () => {
    await page.getByRole('button', { name: /Role of Mary Shelley/ }).click();
    await page.getByRole('option', { name: /Operator/ }).click();
  };
  const dialog = page.getByRole('alertdialog', { name: 'Change the role of Mary Shelley to Operator?' });
  await choose();
  const stops = dialog.getByRole('list', { name: 'These stop working immediately:' });
  await stops.getByText('deploy script').waitFor();
  expect(await stops.getByRole('listitem').allTextContents()).toEqual(['Key deploy script']);
  const stays = dialog.getByRole('list', { name: 'These stay:' });
  expect(await stays.getByRole('listitem').allTextContents()).toEqual([
    'Key dashboard',
    'Machine marys-laptop',
  ]);
  // Nothing happens until it is confirmed, here with the keyboard.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await statusOf(all)).toBe(200);
  await choose();
  await stops.waitFor();
  await dialog.getByRole('button', { name: 'Change role' }).focus();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect([await statusOf(all), await statusOf(reading)]).toEqual([401, 200]);

  await page.getByRole('button', { name: 'Remove Mary Shelley' }).click();
  const removing = page.getByRole('alertdialog', { name: /Remove Mary Shelley/ });
  await removing.getByRole('list', { name: 'These stop working immediately:' }).waitFor();
  expect(await removing.getByRole('listitem').allTextContents()).toEqual([
    'Key dashboard',
    'Machine marys-laptop',
  ]);
  await removing.getByRole('button', { name: 'Remove', exact: true }).click();
  await removing.waitFor({ state: 'detached' });
  expect(await statusOf(reading)).toBe(401);
  expect(owner.complaints.filter((text) => !text.includes('ERR_ABORTED'))).toEqual([]);
});

test('a key is shown once and stops working when it is revoked', async () => {
  await owner.go('/settings/keys');
  const { page } = owner;
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('Shop backend');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const key = (await page.getByLabel('Key', { exact: true }).textContent()) ?? '';
  expect((await stage.call('GET /api/v1/bots', { key })).status).toBe(200);
  expect((await stage.call('GET /api/v1/tools', { key })).status).toBe(403);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Revoke Shop backend' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).last().click();
  await page.getByRole('button', { name: 'Revoke Shop backend' }).waitFor({ state: 'detached' });
  expect((await stage.call('GET /api/v1/bots', { key })).status).toBe(401);
});

test('every link leads somebody who is not signed in to the sign-in once, and from there to its page', async () => {
  const id = owner.id;
  const ids = {
    bot: id,
    agent: id,
    conversation: id,
    taken: id,
    closed: id,
    approval: id,
    knowledge: id,
    tool: id,
  };
  const pages = galleryPages({ ...ids, visitor: id, scenario: id, evaluation: id, call: id });
  const guest = await openVisitor();
  const home = `/w/${owner.workspaceId}`;
  const next = () => new URL(guest.url()).searchParams.get('next');
  for (const path of Object.values(pages)) {
    await guest.goto(stage.url + home + path);
    await guest.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(decodeURIComponent(next() ?? '')).toBe(decodeURIComponent(home + path));
  }
  const wanted = `${home}/knowledge/search?q=lost+parcel`;
  await guest.goto(stage.url + wanted);
  await guest.getByLabel('Email').fill(owner.email);
  await guest.getByLabel('Password').fill(memberPassword);
  await guest.getByRole('button', { name: 'Sign in' }).click();
  await guest.getByRole('searchbox').waitFor();
  expect(await guest.getByRole('searchbox').inputValue()).toBe('lost parcel');
});

test('a session that ends leaves the page as it is, below a form to sign in again', async () => {
  const { go, page, call, email } = await stage.signIn('owner', { name: 'Mary' });
  await go('/settings/profile');
  await page.getByLabel('Name').fill('Mary Somerville');
  await call('POST /api/console/sign-out');
  const sheet = page.getByRole('alertdialog', { name: 'You are signed out' });
  await sheet.waitFor();
  expect(await sheet.getByLabel('Email').inputValue()).toBe(email);
  await sheet.getByLabel('Password').fill(memberPassword);
  await sheet.getByRole('button', { name: 'Sign in' }).click();
  await sheet.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name').inputValue()).toBe('Mary Somerville');
});

test('a file that is chosen after the session has ended is refused in plain words', async () => {
  const { go, page, call } = await stage.signIn('owner', { name: 'Mary' });
  const bot = await call('POST /api/v1/bots', { body: { name: 'Support', system_prompt: 'x' } });
  await go(`/bots/${bot.body.id}/knowledge`);
  const chooser = page.locator('input[type=file]');
  await chooser.waitFor({ state: 'attached' });
  // As when it has expired: the browser does not send it any more.
  await page.context().clearCookies();
  const buffer = Buffer.from('Opened headphones cannot be sent back.');
  await chooser.setInputFiles({ name: 'returns.md', mimeType: 'text/markdown', buffer });
  await page.getByText('returns.md: You are signed out.').waitFor();
});

test('a page of another origin can do nothing, although browsers send the cookie', async () => {
  // Another port of the same host is the same site: SameSite cookies are sent.
  const form = (path: string, body: string) => `<!doctype html><title>Free prizes</title>
    <form method="post" enctype="text/plain" action="${stage.url}${path}"><input name='${body}' value=''></form>
    <script>document.forms[0].submit()</script>`;
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html');
    const body = url.includes('bots') ? '{"name":"Evil","system_prompt":"x","x":"' : 'x';
    response.end(form(url, body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const page = await owner.page.context().newPage();
  for (const path of ['/api/console/sign-out', '/api/v1/bots', '/api/console/invitations']) {
    const [answer] = await Promise.all([
      page.waitForResponse(`${stage.url}${path}`),
      page.goto(evil + path).catch(() => undefined),
    ]);
    expect(answer.status(), path).toBe(403);
    expect((await answer.request().allHeaders())['cookie'], path).toContain('svc_session');
  }
  const read = await page.evaluate(async (url) => {
    const answer = await fetch(url, { credentials: 'include' }).catch(() => undefined);
    return answer === undefined ? 'refused' : answer.status;
  }, `${stage.url}/api/console/session`);
  expect(read).toBe('refused');
  server.close();
  expect((await owner.call('GET /api/v1/bots')).status).toBe(200);
});
