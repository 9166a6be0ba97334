import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApprovalLinks } from '../../src/approvals/page/approval-links.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { answerByLink } from '../support/answer-by-link.ts';
import { type Browser, startBrowser } from '../support/browser.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { type MailBox, startMailBox } from '../support/notice-receivers.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const encryptionKey = Buffer.alloc(32, 9);
let scripted: ScriptedModel;
let service: TestApp;
let mailBox: MailBox;
let browser: Browser;
let botId: string;
let toolId: string;
const configuration = {
  method: 'POST',
  url: 'http://127.0.0.1:9/x',
  parameters: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
  approval: 'always',
  approval_link_edit: true,
};
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  mailBox = await startMailBox('password');
  service = await startTestApp({
    environment: {
      ...scriptedEnvironment(scripted),
      SVC_EGRESS_ALLOW: '127.0.0.1',
      SVC_SMTP_URL: `smtp://mailer:password@127.0.0.1:${mailBox.port}`,
      SVC_SMTP_FROM: 'svc@example.com',
    },
    encryptionKey,
  });
  browser = await startBrowser();
  botId = await chat.bot({ name: 'Town <crier>', approval_notice: { email: 'ops@example.com' } });
  const body = { tool_type: 'http_request', name: 'announce', description: 'x', configuration };
  toolId = (await service.call('POST /api/v1/tools', { body })).body.id;
  const assignments = [{ tool_type: 'http_request', tool_configuration_id: toolId }];
  await service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await scripted.close();
  await mailBox.close();
});

const links = () => createApprovalLinks(createSecretBox(createKeyRing(encryptionKey)), service.url);

async function pendingApproval(
  message = 'hello',
): Promise<{ id: string; url: string; conversationId: string }> {
  // Turns of other tests may still be running, so the answer depends on the conversation alone.
  scripted.respondWith(({ body }) => {
    const messages = body['messages'] as { role: string }[];
    const isAnswered = messages.some(({ role }) => role === 'tool');
    return isAnswered ? [text('Done.')] : [toolCall('announce', { title: '<script>alert(1)</script>' })];
  });
  const turn = await chat.say({ bot_id: botId, message, new_conversation: true });
  const id = turn.last.data.approval_ids[0];
  return { id, url: links().urlFor(id, 'ops@example.com'), conversationId: turn.conversationId };
}

const statusOf = async ({ id, conversationId }: { id: string; conversationId: string }) =>
  (await chat.log(conversationId)).find(
    ({ event, data }) => event === 'approval.resolved' && data.approval.id === id,
  )?.data.approval;

it('shows the exact call and takes an approval, once', async () => {
  const approval = await pendingApproval();
  const { page, complaints } = await browser.open();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(approval.url);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('announce');
  expect(await page.locator('main').innerText()).toContain('<script>alert(1)</script>');
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  expect(await page.getByRole('heading').textContent()).toBe('This is approved.');
  expect(await statusOf(approval)).toMatchObject({ status: 'approved', resolved_by: 'link' });
  await page.goto(approval.url);
  expect(await page.getByRole('heading').textContent()).toBe('This is approved.');
  expect(complaints).toEqual([]);
  await page.close();
});

it('takes changes, says what is wrong with them, and keeps the input', async () => {
  const approval = await pendingApproval();
  const { page } = await browser.open();
  await page.goto(approval.url);
  await page.getByText('Change before it runs').click();
  await page.getByLabel('Arguments as JSON').fill('{"title": 5}');
  await page.getByRole('button', { name: 'Approve with these changes' }).click();
  expect(await page.getByRole('alert').textContent()).toContain('edited_args.title');
  expect(await page.getByLabel('Arguments as JSON').inputValue()).toBe('{"title": 5}');
  await page.getByLabel('Arguments as JSON').fill('{"title": "Hello"}');
  await page.getByRole('button', { name: 'Approve with these changes' }).click();
  expect(await page.getByRole('heading').textContent()).toBe('This is approved, with changes.');
  expect(await statusOf(approval)).toMatchObject({ status: 'approved_edited' });
  await page.close();
});

it('takes a denial with its reason, from the keyboard alone', async () => {
  const approval = await pendingApproval();
  const { page } = await browser.open();
  await page.goto(approval.url);
  await page.locator('summary', { hasText: 'Deny' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Not today.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'This is denied.' }).waitFor();
  expect(await statusOf(approval)).toMatchObject({ status: 'denied' });
  await expect.poll(() => JSON.stringify(scripted.requests.at(-1)?.body['messages'])).toContain('Not today.');
  await page.close();
});

it('shows the bot, the message it answers, and the time left', async () => {
  const approval = await pendingApproval(`Tell <b>everybody</b> at once.${' Please!'.repeat(200)}`);
  const { page, complaints } = await browser.open();
  await page.goto(approval.url);
  const shown = await page.locator('main').innerText();
  expect(shown).toContain('Town <crier> wants to do this');
  expect(shown).toContain('23 hours');
  const quoted = await page.locator('blockquote').innerText();
  expect(quoted).toMatch(/^Tell <b>everybody<\/b> at once\. Please! .*…$/);
  expect(quoted.length).toBeLessThan(700);
  expect(complaints).toEqual([]);
  await page.close();
  await service.call(`POST /api/v1/hitl/${approval.id}/respond`, { body: { action: 'deny' } });
});

it.each([
  ['a character that cannot be stored', String.raw`{"title": "a\u0000b"}`, 'U+0000'],
  ['half a character', String.raw`{"title": "\ud83d"}`, 'well-formed'],
  ['too many levels', `{"title": ${'['.repeat(100)}${']'.repeat(100)}}`, 'levels deep'],
  ['no object', '[1]', 'not a JSON object'],
  ['a number that would become another', '{"title": 9007199254740993}', 'too large'],
])('rejects changes that the API would reject: %s', async (_what, edited, complaint) => {
  const approval = await pendingApproval();
  const answer = await answerByLink(approval.url, { action: 'approve_edited', edited_args: edited });
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toContain(complaint);
  expect(await statusOf(approval)).toBeUndefined();
  await service.call(`POST /api/v1/hitl/${approval.id}/respond`, { body: { action: 'deny' } });
});

it('says so when the tool was changed meanwhile', async () => {
  const approval = await pendingApproval();
  const { page } = await browser.open();
  await page.goto(approval.url);
  const changed = { configuration: { ...configuration, url: 'http://127.0.0.1:9/y' } };
  expect((await service.call(`PUT /api/v1/tools/${toolId}`, { body: changed })).status).toBe(200);
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('heading', { name: 'This request is no longer valid.' }).waitFor();
  expect(await page.locator('main').innerText()).toContain('The tool was changed');
  expect(await statusOf(approval)).toMatchObject({ status: 'expired', resolved_by: null });
  await page.goto(approval.url);
  expect(await page.locator('main').innerText()).toContain('may ask again');
  await page.close();
});

it.each([
  ['made up', () => `${service.url}/a/${'A'.repeat(64)}`],
  ['made up, without an id', () => `${service.url}/a/${'Z'.repeat(64)}`],
  [
    'signed by somebody else',
    (id: string) =>
      createApprovalLinks(createSecretBox(createKeyRing(Buffer.alloc(32, 1))), service.url).urlFor(
        id,
        'ops@example.com',
      ),
  ],
])('knows nothing of a link that is %s', async (_what, urlOf) => {
  const approval = await pendingApproval();
  const url = urlOf(approval.id);
  const answer = await fetch(url);
  expect(answer.status).toBe(404);
  const posted = await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'approve' }) });
  expect(posted.status).toBe(404);
  expect(await statusOf(approval)).toBeUndefined();
  await service.call(`POST /api/v1/hitl/${approval.id}/respond`, { body: { action: 'deny' } });
});

it('takes only its own form, and only with a valid link', async () => {
  const { url } = await pendingApproval();
  const post = (address: string, type: string, body: string) =>
    fetch(address, { method: 'POST', headers: { 'content-type': type }, body });
  const form = 'application/x-www-form-urlencoded';
  expect((await post(url, 'application/json', '{"action":"approve"}')).status).toBe(415);
  const crowded = await post(url, form, 'a&'.repeat(400_000));
  expect(crowded.status).toBe(400);
  expect(await crowded.json()).toMatchObject({ message: 'The form has more than 10 fields.' });
  const unknown = await post(`${service.url}/a/${'A'.repeat(64)}`, 'application/json', '{"broken');
  expect(unknown.status).toBe(404);
  expect(await unknown.text()).toContain('This link leads nowhere.');
});

/** A turn that waits for an approval whose tool does not let the link change anything. */
async function fixedApproval() {
  const { approval_link_edit: _left, ...fixed } = configuration;
  const put = (body: object) => service.call(`PUT /api/v1/tools/${toolId}`, { body });
  expect(await put({ configuration: fixed })).toMatchObject({ status: 200 });
  const approval = await pendingApproval();
  return { ...approval, restore: () => put({ configuration }) };
}

it('lets nobody change the arguments without a sign-in, unless the tool allows it', async () => {
  const approval = await fixedApproval();
  const { page, complaints } = await browser.open();
  await page.goto(approval.url);
  expect(await page.getByLabel('Arguments as JSON').count()).toBe(0);
  const link = page.getByRole('link', { name: 'sign in to the console' });
  expect(await link.getAttribute('href')).toMatch(new RegExp(`^/w/[0-9a-f-]{36}/approvals/${approval.id}$`));
  const edited_args = '{"title": "Hello"}';
  const refused = await answerByLink(approval.url, { action: 'approve_edited', edited_args });
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('sign in');
  expect(await statusOf(approval)).toBeUndefined();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('heading', { name: 'This is approved.' }).waitFor();
  expect(await statusOf(approval)).toMatchObject({ status: 'approved' });
  expect(complaints).toEqual([]);
  await page.close();
  await approval.restore();
});

it.each(['approve', 'deny'])(
  'takes no answer to something that the page did not show: %s',
  async (action) => {
    const approval = await pendingApproval();
    const other = await pendingApproval();
    const shownOf = async (url: string) =>
      /name="shown" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? '';
    const stale = await shownOf(other.url);
    for (const shown of [stale, 'x']) {
      const refused = await answerByLink(approval.url, { action }, shown);
      expect(refused.status).toBe(409);
      expect(await refused.text()).toContain('Read it again before you answer.');
    }
    // The stored call is no longer the one that was shown.
    const seen = await shownOf(approval.url);
    const change = `update approvals set arguments = '{"title": "Other"}' where id = $1`;
    await service.database.acrossWorkspaces.raw(change, [approval.id]);
    expect((await answerByLink(approval.url, { action }, seen)).status).toBe(409);
    expect(await statusOf(approval)).toBeUndefined();
    expect((await answerByLink(approval.url, { action })).status).toBe(200);
    expect(await statusOf(approval)).toMatchObject({ resolved_by: 'link' });
    await answerByLink(other.url, { action: 'deny' });
  },
);

it('names the address that the link was sent to in the audit log, and nowhere else', async () => {
  const approval = await pendingApproval();
  await answerByLink(approval.url, { action: 'approve' });
  const [entry] = (await service.call(`GET /api/v1/audit?object=${approval.id}`)).body;
  expect(entry).toMatchObject({
    action: 'approval.answered',
    actor: { type: 'link', id: null, name: 'ops@example.com' },
  });
  const reader = await service.makeKey({ abilities: ['conversations:read'] });
  const read = (await service.call(`GET /api/v1/hitl/${approval.id}`, { key: reader })).body;
  expect(read).toMatchObject({ resolved_by: 'link', resolved_by_name: 'approval link' });
  expect(JSON.stringify([read, await chat.log(approval.conversationId)])).not.toContain('ops@example.com');
  const early = createSecretBox(createKeyRing(encryptionKey)).keyedHash(`approval link ${approval.id}`);
  const id = Buffer.from(approval.id.replaceAll('-', ''), 'hex');
  const older = `${service.url}/a/${Buffer.concat([id, early]).toString('base64url')}`;
  expect(await (await fetch(older)).text()).toContain('This is approved.');
});
