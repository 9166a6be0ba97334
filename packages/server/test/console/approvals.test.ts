import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, scriptedEnvironment } from '../support/chat.ts';
import { makeCodingBot } from '../support/coding-bot.ts';
import { refund, refundDesk, type Shop, startShop } from '../support/refund-shop.ts';
import { pairScripted } from '../support/scripted-machine.ts';
import { type ConsoleStage, type Desk, devices, openConsole } from './support/console.ts';

let scripted: ScriptedModel;
let shop: Shop;
let stage: ConsoleStage;
let ada: Desk;
let bob: Desk;
let botId: string;
const refunds = refundDesk(
  () => stage,
  () => shop,
  () => scripted,
);

beforeAll(async () => {
  [scripted, shop] = await Promise.all([startScriptedModel(), startShop()]);
  const environment = { ...scriptedEnvironment(scripted), SVC_EGRESS_ALLOW: '127.0.0.1' };
  stage = await openConsole({ environment });
  [ada, bob] = await Promise.all([
    stage.signIn('operator', { name: 'Ada' }),
    stage.signIn('operator', { name: 'Bob', device: 'phone', theme: 'dark' }),
  ]);
  ({ botId } = await refunds.makeBot({ name: 'Support' }));
});
afterAll(async () => {
  await stage.stop();
  shop.close();
  await scripted.close();
});

beforeEach(() => {
  shop.refunds.length = 0;
});

const approve = (desk: Desk) => desk.page.getByRole('button', { name: 'Approve', exact: true });
const card = (desk: Desk) => desk.page.getByRole('article');

it('two browsers see the same approval resolve, on a desk and on a phone', async () => {
  await Promise.all([ada.go('/approvals'), bob.go('/approvals')]);
  await ada.page.getByText('Nothing waits for you').waitFor();
  const turn = await refunds.pause({ botId }, [refund, { order: 18, amount: 3 }]);
  const [first] = turn.approvalIds;
  await Promise.all([approve(ada).waitFor(), approve(bob).waitFor()]);
  expect([ada.place(), bob.place()]).toEqual([`/approvals/${first}`, `/approvals/${first}`]);
  expect(await bob.page.getByText('1 of 2').isVisible()).toBe(true);
  expect(await bob.page.title()).toMatch(/^\(2\) Approvals/);
  const tooWide = await bob.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(tooWide).toBe(0);

  // A card that has just appeared takes no answers yet.
  await bob.page.getByRole('button', { name: 'Deny', disabled: false }).focus();
  await approve(ada).click();
  await card(ada).getByText('by Ada').waitFor();
  await card(bob).getByText('by Ada').waitFor();
  // The button that had the focus is gone.
  const focused = () => bob.page.evaluate(() => document.activeElement?.tagName);
  await expect.poll(focused).toBe('H2');
  expect(await card(bob).getByRole('button', { name: 'Deny' }).count()).toBe(0);
  await bob.page.getByRole('button', { name: 'Next: refund' }).click();
  await bob.page.getByRole('button', { name: 'Deny' }).click();
  await bob.page.getByLabel('Why?').fill('Not this one.');
  await bob.page.getByRole('button', { name: 'Deny' }).click();
  await card(bob).getByText('Denied').waitFor();
  await refunds.ending(turn);
  expect(shop.refunds.map((one) => one.refund)).toEqual([refund]);
});

it('of an answer here and one by the API exactly one counts, and the loser learns who was first', async () => {
  const turn = await refunds.pause({ botId });
  const [id = ''] = turn.approvalIds;
  await ada.go(`/approvals/${id}`);
  await approve(ada).waitFor();
  // The answer of the API arrives while this one is on its way.
  await ada.page.route('**/respond', async (route) => {
    await refunds.respond(id, { action: 'deny', text: 'By the night shift.' });
    await route.continue();
  });
  await approve(ada).click();
  await card(ada).getByText('This was already denied by the API, with the key First key.').waitFor();
  await card(ada).getByText('by API key First key').waitFor();
  await ada.page.unroute('**/respond');
  const events = await refunds.ending(turn);
  expect(events.filter(({ event }) => event === 'approval.resolved')).toHaveLength(1);
});

it('is edited before it runs: what does not fit is shown at its field, and the change stays visible', async () => {
  const turn = await refunds.pause({ botId });
  await ada.go(`/approvals/${turn.approvalIds[0]}`);
  await ada.page.getByRole('button', { name: 'Edit' }).click();
  const amount = ada.page.getByLabel('Amount');
  await amount.fill('500');
  await ada.page.getByRole('button', { name: 'Approve with changes' }).click();
  const form = ada.page.getByRole('form', { name: 'Edit before it runs' });
  await form.getByText(/must be .*100/i).waitFor();
  await amount.fill('20');
  await form.getByText(/must be .*100/i).waitFor({ state: 'detached' });
  await ada.page.getByRole('button', { name: 'Approve with changes' }).click();
  await card(ada).getByText('Approved with changes').waitFor();
  await refunds.ending(turn);
  await card(ada).getByRole('region', { name: 'What was sent' }).getByText('20').waitFor();
  // What the model is told about the change is not what came back.
  const back = card(ada).getByRole('region', { name: 'What came back' }).locator('pre');
  expect(await back.innerText()).toBe('Status: 200\n\n{"refunded":true}');
  expect(shop.refunds.map((one) => one.refund)).toEqual([{ order: 17, amount: 20 }]);
  await ada.go('/approvals?status=resolved');
  const row = ada.page.getByRole('list', { name: 'Answered' }).getByRole('listitem').first();
  await expect
    .poll(() => row.innerText())
    .toMatch(/Approved with changes\s+by Ada[\s\S]*amount\s+12\.5[\s\S]*→[\s\S]*20/);
});

it('calls a visitor by the name that they gave', async () => {
  scripted.respondWith(({ body }) => {
    const isAnswered = JSON.stringify(body['messages']).includes('"role":"tool"');
    return isAnswered ? [text('Done as you wished.')] : [toolCall('refund', { ...refund })];
  });
  const visitor = 'visitor_0000001d-0024-4000-8000-000000000000';
  const body = { bot_id: botId, external_user_id: visitor, message: 'Please refund order 17.' };
  const turn = await chatWith(() => stage).say(body);
  const [id] = turn.last.data.approval_ids;
  const { status } = await ada.call(`PATCH /api/v1/end-users/${visitor}`, { body: { name: 'Mia Meyer' } });
  expect(status).toBe(200);
  await ada.go(`/approvals/${id}`);
  await card(ada).getByText('“Mia Meyer”').waitFor();
  await ada.page.getByRole('list', { name: 'Waiting' }).getByText('“Mia Meyer”').waitFor();
  await refunds.respond(id, { action: 'deny' });
  await refunds.ending(turn);
});

it('reads like a decision, and is changed where it is read', async () => {
  const titled = { approval_title: 'Refund {{amount}} on order {{order}}' };
  const bot = await refunds.makeBot({ name: 'Returns' }, titled);
  const turn = await refunds.pause(bot, [refund, { order: 18, amount: 3 }]);
  const [first = '', second = ''] = turn.approvalIds;
  await Promise.all([ada.go(`/approvals/${first}?bot=${bot.botId}`), bob.go(`/approvals/${first}`)]);
  await card(ada).getByRole('heading', { name: 'Refund 12.5 on order 17' }).waitFor();
  const rows = ada.page.getByRole('list', { name: 'Waiting' }).getByRole('listitem');
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Refund 12\.5 on order 17/),
      expect.stringMatching(/^Refund 3 on order 18/),
    ]);
  await card(ada).getByRole('blockquote').getByText('Please refund order 17.').waitFor();
  await card(ada).locator('p').getByText('/refunds').waitFor();
  const raw = card(ada).locator('pre').getByText('"amount":12.5');
  expect(await raw.isVisible()).toBe(false);
  await card(ada).getByText('The whole request').click();
  await raw.waitFor();

  await bob.page.setViewportSize({ width: 390, height: 480 });
  await card(bob).getByText('The whole request').click();
  await bob.page.evaluate(() => document.querySelector('article')?.scrollIntoView());
  const box = await approve(bob).boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 1_000)).toBeLessThanOrEqual(480);
  await bob.page.setViewportSize(devices.phone);

  await ada.page.getByRole('button', { name: 'Change amount' }).click();
  await expect
    .poll(() => ada.page.evaluate(() => (document.activeElement as HTMLInputElement).value))
    .toBe('12.5');
  await ada.page.keyboard.press('Escape');
  await ada.page.getByRole('button', { name: 'Change amount' }).click();
  await ada.page.getByLabel('Amount').fill('5');
  await card(ada).getByRole('heading', { name: 'Refund 5 on order 17' }).waitFor();
  await ada.page.keyboard.press('Escape');
  await card(ada).getByRole('heading', { name: 'Refund 12.5 on order 17' }).waitFor();
  await ada.page.getByRole('button', { name: 'Edit' }).click();
  await ada.page.getByRole('button', { name: 'Edit as JSON' }).click();
  await ada.page.getByLabel('Arguments as JSON').fill('{"order": 17, "amount": 5}');
  await card(ada).getByRole('heading', { name: 'Refund 5 on order 17' }).waitFor();
  await ada.page.getByRole('button', { name: 'Approve with changes' }).click();
  await card(ada).getByText('Approved with changes').waitFor();
  await card(ada).getByRole('heading', { name: 'Refund 5 on order 17' }).waitFor();
  await refunds.respond(second, { action: 'deny' });
  await refunds.ending(turn);
  await ada.go(`/approvals/${first}`);
  await card(ada).getByRole('heading', { name: 'Refund 5 on order 17' }).waitFor();
  expect(shop.refunds.map((one) => one.refund)).toEqual([{ order: 17, amount: 5 }]);
});

it('names its tool as people do, and shows texts without quotes', async () => {
  const parameters = {
    type: 'object',
    properties: { order_id: { type: 'string' }, note: { type: 'string' } },
  };
  const body = { order: '{{order_id}}', note: '{{note}}' };
  const bot = await refunds.makeBot({ name: 'Desk' }, { parameters, body, approval_grants: true });
  await stage.call(`PUT /api/v1/tools/${bot.toolId}`, { body: { name: 'Issue refund' } });
  const { function_name: functionName } = (await stage.call(`GET /api/v1/tools/${bot.toolId}`)).body;
  expect(functionName).toMatch(/^Issue_refund_[0-9a-f]{6}$/);
  const turn = await refunds.pause(bot, [{ order_id: '1001', note: ' x' }], functionName);
  await ada.go(`/approvals/${turn.approvalIds[0]}`);
  await card(ada).getByRole('heading', { name: 'Issue refund' }).waitFor();
  const values = await card(ada).getByRole('definition').allInnerTexts();
  expect(values.map((value) => value.trim())).toEqual(['1001', '" x"']);
  await ada.page.getByRole('button', { name: /Next time/ }).click();
  await ada.page.getByRole('option', { name: 'Allow it for an hour' }).click();
  await card(ada).getByText('every call of Issue refund').waitFor();
  await ada.page.getByRole('button', { name: 'Edit' }).click();
  await card(ada).getByText('Changes count for this call only.').waitFor();
  expect(await ada.page.getByRole('button', { name: /Next time/ }).count()).toBe(0);
  await ada.page.getByLabel('Order ID').fill('1002');
  await ada.page.getByRole('button', { name: 'Approve with changes' }).click();
  await card(ada).getByText('Approved with changes').waitFor();
  await refunds.ending(turn);
  expect(await ada.page.locator('main').innerText()).not.toContain(functionName);

  await ada.go(`/conversations/${turn.conversationId}`);
  const line = ada.page.getByRole('button', { name: /^Issue refund/ });
  await line.click();
  await ada.page.getByText(`The model calls it ${functionName}`).waitFor();
  await stage.call(`DELETE /api/v1/tools/${bot.toolId}`);
});

it('is a form if a running tool asks for something', async () => {
  const turn = await refunds.pause({ botId });
  const [id = ''] = turn.approvalIds;
  // As an MCP server asks; the turn itself still waits, so it is stopped in the end.
  await stage.database.acrossWorkspaces.execute(
    sql`update approvals set is_question = true, arguments = '{}' where id = ${id}`,
  );
  await ada.go(`/approvals/${id}`);
  await card(ada).getByText('What it asks').waitFor();
  expect(await approve(ada).count()).toBe(0);
  const form = ada.page.getByRole('form', { name: 'Answer' });
  await form.getByLabel('Order').fill('17');
  await form.getByLabel('Amount').fill('500');
  await form.getByRole('button', { name: 'Answer' }).click();
  await form.getByText(/must be .*100/i).waitFor();
  await form.getByRole('button', { name: 'Decline' }).click();
  await ada.page.getByRole('button', { name: 'Back' }).click();
  await form.getByLabel('Order').fill('17');
  await form.getByLabel('Amount').fill('20');
  await form.getByRole('button', { name: 'Answer' }).click();
  await card(ada).getByText('Answered').waitFor();
  await stage.call('POST /api/v1/chat/stop', { body: { conversation_id: turn.conversationId } });
});

it('is answered with keys alone, by two of them', async () => {
  const turn = await refunds.pause({ botId }, [refund, { order: 18, amount: 3 }]);
  const [first, second] = turn.approvalIds;
  const { keyboard } = ada.page;
  await ada.go('/bots');
  // Together: on a busy machine the second could come too late to belong to the first.
  await Promise.all([keyboard.press('g'), keyboard.press('a')]);
  await approve(ada).waitFor();
  expect(ada.place()).toBe(`/approvals/${first}`);
  await keyboard.press('j');
  await expect.poll(ada.place).toBe(`/approvals/${second}`);
  await keyboard.press('d');
  await ada.page.getByLabel('Why?').waitFor();
  // A letter in a field is text.
  await keyboard.type('aj');
  await keyboard.press('Control+Enter');
  await card(ada).getByText('“aj”').waitFor();
  // The answered one has left the list, so there is nothing before it.
  await ada.page.getByRole('button', { name: 'Next: refund' }).waitFor();
  await keyboard.press('k');
  await keyboard.press('j');
  await expect.poll(ada.place).toBe(`/approvals/${first}`);
  await expect.poll(() => approve(ada).isEnabled()).toBe(true);
  await keyboard.press('Enter');
  expect(await card(ada).getByText('Approved').count()).toBe(0);
  await keyboard.press('a');
  await keyboard.press('Enter');
  await card(ada).getByText('by Ada').waitFor();
  await refunds.ending(turn);
});

it('goes by the clock of the service, not of a computer that is ten minutes ahead', async () => {
  const turn = await refunds.pause({ botId });
  const [id = ''] = turn.approvalIds;
  await stage.database.acrossWorkspaces.execute(
    sql`update approvals set expires_at = now() + interval '5 minutes' where id = ${id}`,
  );
  const { page, go } = await stage.signIn('operator', { name: 'Early' });
  await page.addInitScript(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 600_000;
  });
  await go(`/approvals/${id}`);
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();
  await page.getByText(/^[45] min left$/).waitFor();
  expect(await page.getByText('10 min. ago').count()).toBe(0);
  await refunds.respond(id, { action: 'deny' });
  await refunds.ending(turn);
});

it('leads to anything by name, and to whatever an id belongs to', async () => {
  const turn = await refunds.pause({ botId });
  const [id = ''] = turn.approvalIds;
  await refunds.respond(id, { action: 'deny' });
  await refunds.ending(turn);
  const { page } = ada;
  await ada.go('/usage');
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox').fill('supp');
  await page.getByRole('menuitem', { name: 'Support' }).waitFor();
  await page.getByRole('searchbox').fill(id);
  await page.getByText('This id').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(ada.place).toBe(`/approvals/${id}`);
  await page.keyboard.press('Shift+?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
});

it('cannot be answered by a viewer', async () => {
  const turn = await refunds.pause({ botId });
  const viewer = await stage.signIn('viewer', { name: 'Vera' });
  await viewer.go(`/approvals/${turn.approvalIds[0]}`);
  await viewer.page.getByText('View only: operators and owners can answer this.').waitFor();
  // Screen readers find it as a part of the page.
  await viewer.page.setViewportSize(devices.phone);
  await viewer.page.getByRole('region', { name: 'Your access' }).getByText('View only').waitFor();
  expect(await approve(viewer).count()).toBe(0);
  await refunds.respond(turn.approvalIds[0] ?? '', { action: 'deny' });
  await refunds.ending(turn);
});

it('allows the next ones too, which are listed and can be revoked', async () => {
  const machine = await pairScripted(stage);
  await machine.connect(stage.url);
  const coder = await makeCodingBot(stage, { machine_id: machine.id, workdir: '/project' });
  await stage.call(`PATCH /api/v1/machines/${machine.id}`, { body: { allowed_members: [ada.id] } });
  const chat = chatWith(() => stage);
  scripted.respondWith((request) =>
    askedBy(request).at(-1)?.role === 'user'
      ? [toolCall('run_command', { command: 'npm test' })]
      : [text('Done.')],
  );
  const message = { bot_id: coder, external_user_id: 'dev' };
  const asked = await chat.say(message);
  await ada.go(`/approvals/${asked.last.data.approval_ids[0]}`);
  await card(ada)
    .getByRole('button', { name: /Next time/ })
    .click();
  await ada.page.getByRole('option', { name: 'Allow it in this conversation' }).click();
  await card(ada).getByText('Allows without asking: npm test in /project, word for word').waitFor();
  await approve(ada).click();
  await card(ada).getByText('by Ada').waitFor();
  await expect
    .poll(async () => (await stage.call(`GET /api/v1/conversations/${asked.conversationId}`)).body.status)
    .toBe('idle');
  expect((await chat.say(message)).last.event).toBe('turn.completed');

  await ada.go('/approvals?status=resolved');
  await ada.page.getByRole('list', { name: 'Answered' }).getByRole('link').first().click();
  await card(ada).getByText('without asking, as allowed').waitFor();
  await ada.page.getByRole('link', { name: 'Allowed' }).click();
  await ada.page.getByText('in one conversation').waitFor();
  await ada.page.getByRole('button', { name: 'Revoke npm test' }).click();
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await ada.page.getByText('Nothing is allowed without asking').waitFor();
  const again = await chat.say(message);
  expect(again.last.event).toBe('turn.paused');
  await refunds.respond(again.last.data.approval_ids[0], { action: 'deny' });
  await machine.disconnect();
});

it('allows all calls of a tool for an hour, if the tool permits it', async () => {
  const bot = await refunds.makeBot({ name: 'Refunds' }, { approval_grants: true });
  const turn = await refunds.pause(bot);
  await ada.go(`/approvals/${turn.approvalIds[0]}`);
  await card(ada)
    .getByRole('button', { name: /Next time/ })
    .click();
  await ada.page.getByRole('option', { name: 'Always allow it for this bot' }).waitFor();
  await ada.page.getByRole('option', { name: 'Allow it for an hour' }).click();
  await card(ada).getByText('Allows without asking: every call of refund, whatever its arguments').waitFor();
  await approve(ada).click();
  await card(ada).getByText('by Ada').waitFor();
  await refunds.ending(turn);
  await ada.go('/approvals?status=allowed');
  const row = ada.page.getByRole('row', { name: /every call of refund/ });
  await row.getByText('every conversation').waitFor();
  await row.getByText(/^until /).waitFor();
  await row.getByRole('button', { name: 'Revoke refund' }).click();
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await ada.page.getByText('Nothing is allowed without asking').waitFor();
});
