import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { startDaemon } from '../support/machine-daemon.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let desk: Desk;
let bot: string;

beforeAll(async () => {
  stage = await openConsole();
  desk = await stage.signIn('owner', { name: 'Ada Lovelace' });
  const body = { name: 'Support', system_prompt: 'You help.', temperature: 0.7 };
  bot = (await desk.call('POST /api/v1/bots', { body })).body.id;
});
afterAll(() => stage.stop());

test('the preview is the real widget, and shows each change before it is saved', async () => {
  await desk.go(`/widgets/${bot}`);
  const widget = desk.page.frameLocator('iframe[title^="The widget"]').locator('svc-widget');
  await widget.getByRole('dialog').waitFor();
  await desk.page.getByRole('textbox', { name: 'Title', exact: true }).fill('Shop help');
  await widget.getByRole('dialog', { name: 'Shop help' }).waitFor();
  await desk.page.getByRole('textbox', { name: 'Color', exact: true }).fill('#ffff00');
  await desk.page.getByText('links use a darker one on light (#737300').waitFor();
  const read = () => desk.call(`GET /api/v1/widgets/customization?bot_id=${bot}`);
  expect((await read()).body).toMatchObject({ widget_title: null, theme_color: '#4f46e5' });
  await desk.page.getByRole('button', { name: 'Save', exact: true }).click();
  await desk.page.getByText('Saved. Sites show it within a minute.').waitFor();
  expect((await read()).body).toMatchObject({ widget_title: 'Shop help', theme_color: '#ffff00' });
});

test('the preview shows what is not part of the look as soon as it is saved, in both themes', async () => {
  await desk.go(`/widgets/${bot}`);
  const { page } = desk;
  const widget = page.frameLocator('iframe[title^="The widget"]').locator('svc-widget');
  const clip = widget.getByRole('button', { name: 'Attach images or PDFs' });
  await widget.getByRole('dialog').waitFor();
  const visitors = page.getByRole('region', { name: 'Visitors' });
  for (const isOn of [true, false]) {
    await visitors.getByRole('switch', { name: /Let visitors send files/ }).press('Space');
    expect(await clip.count()).toBe(isOn ? 0 : 1);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await clip.waitFor({ state: isOn ? 'attached' : 'detached' });
  }
  // Another theme is another page, which must not begin with what the browser has kept.
  await visitors.getByRole('switch', { name: /Let visitors send files/ }).press('Space');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await clip.waitFor();
  await page.getByRole('radio', { name: 'Dark' }).click();
  await clip.waitFor();
  const look = page.getByRole('region', { name: 'Look' });
  expect(await look.getByRole('switch').allInnerTexts()).toHaveLength(1);
  expect(await visitors.getByRole('switch').count()).toBe(3);
});

test('the page of widgets offers the next step: a bot, then a site for it; a viewer just reads', async () => {
  const { id: workspaceId } = await stage.makeWorkspace();
  const owner = await stage.signIn('owner', { name: 'Grace Hopper', workspaceId });
  const viewer = await stage.signIn('viewer', { name: 'Alan Turing', workspaceId });
  await owner.go('/widgets');
  await owner.page.getByRole('link', { name: 'New bot' }).waitFor();
  await viewer.go('/widgets');
  await viewer.page.getByText('There is no bot to put on a website.').waitFor();
  expect(await viewer.page.getByRole('link', { name: 'New bot' }).count()).toBe(0);

  const created = await owner.call('POST /api/v1/bots', { body: { name: 'Support', system_prompt: 'x' } });
  await owner.go('/widgets');
  await owner.page.getByRole('link', { name: 'Put it on your site' }).click();
  await expect.poll(() => owner.place()).toBe(`/widgets/${created.body.id}`);
  await viewer.go('/widgets');
  await viewer.page.getByText('not on a site yet').waitFor();
  expect(await viewer.page.getByRole('link', { name: 'Put it on your site' }).count()).toBe(0);
});

test('a form says all that is wrong at once, each until it is corrected; a key gives the snippet for the page', async () => {
  await desk.go(`/widgets/${bot}`);
  await desk.page.getByRole('button', { name: 'Create a key' }).click();
  const sites = desk.page.getByRole('textbox', { name: 'Sites that may show the chat' });
  const dialog = desk.page.getByRole('dialog', { name: 'New widget key' });
  const perVisitor = dialog.getByLabel('Messages per hour and visitor');
  await sites.fill('https://shop.example.com/cart');
  await perVisitor.fill('many');
  await desk.page.getByRole('button', { name: 'Create the key' }).click();
  const wrong = [
    dialog.getByText(/^Must be a host such as/),
    dialog.getByText('Must be an integer.'),
  ] as const;
  await Promise.all(wrong.map((one) => one.waitFor()));
  // As it is copied from the address bar.
  await sites.fill('https://shop.example.com/');
  await wrong[0].waitFor({ state: 'detached' });
  expect(await wrong[1].count()).toBe(1);
  await perVisitor.fill('60');
  await desk.page.getByRole('button', { name: 'Create the key' }).click();
  const code = desk.page.getByLabel('HTML for your page', { exact: true });
  await code.waitFor();
  expect(await code.innerText()).toContain('/widget.js" data-key="svc_');
});

test('the owner of a machine says who may use it, and nobody else can', async () => {
  const made = await desk.call('POST /api/v1/machines', { body: { name: 'desk-machine' } });
  await desk.go('/machines');
  await desk.page.getByRole('button', { name: 'Who may use desk-machine' }).click();
  const dialog = desk.page.getByRole('dialog', { name: 'Who may use desk-machine' });
  const bots = dialog.getByRole('group', { name: 'Bots' });
  await bots.getByRole('checkbox', { name: 'Support' }).press('Space');
  await dialog.getByRole('button', { name: 'Save' }).press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const { body: machines } = await desk.call('GET /api/v1/machines');
  const saved = machines.find(({ id }: { id: string }) => id === made.body.id);
  expect(saved).toMatchObject({ allowed_bots: [bot], allowed_members: [], owner: { name: 'Ada Lovelace' } });
  const colleague = await stage.signIn('owner', { name: 'Grace Hopper' });
  await colleague.go('/machines');
  await colleague.page.getByRole('button', { name: 'Revoke desk-machine' }).waitFor();
  expect(await colleague.page.getByRole('button', { name: 'Who may use desk-machine' }).count()).toBe(0);
  await colleague.page.getByText('Ada Lovelace').first().waitFor();
});

test('the dialog greets a machine as soon as it connects', async () => {
  await desk.go('/machines');
  await desk.page.getByRole('button', { name: 'Pair a machine' }).click();
  await desk.page.getByRole('textbox', { name: 'Name' }).fill('ada-laptop');
  await desk.page.getByRole('button', { name: 'Show the command' }).click();
  const command = await desk.page.getByLabel('The command', { exact: true }).innerText();
  const key = /SVC_MACHINE_KEY=(\S+)/.exec(command)?.[1] ?? '';
  const root = await mkdtemp(join(tmpdir(), 'svc-console-'));
  const daemon = await startDaemon({ url: stage.url, key, roots: [root] });
  try {
    await desk.page.getByRole('status').getByText('Hello, ada-laptop').waitFor();
    await desk.page.getByRole('button', { name: 'Done' }).click();
    await desk.page.getByRole('cell', { name: 'Online' }).waitFor();
  } finally {
    await daemon.discard();
    await rm(root, { recursive: true });
  }
});

test('the audit log shows who changed what, before and after', async () => {
  await desk.call(`PUT /api/v1/bots/${bot}`, { body: { temperature: 0.2, description: 'pay\u202Elap' } });
  await desk.go(`/settings/audit?object=${bot}&action=bot`);
  const entry = desk.page.getByRole('listitem').filter({ hasText: 'changed the bot' }).first();
  // What is not on the screen yet has no text for readers.
  await expect
    .poll(async () => (await entry.innerText()).replaceAll(/\s+/g, ' '))
    .toContain('Ada Lovelace changed the bot Support');
  await entry.getByText('0.7').waitFor();
  await entry.getByText('0.2').waitFor();
  // A text cannot pass for another one.
  await entry.getByText(String.raw`pay\u{202e}lap`).waitFor();
  await entry.getByRole('link', { name: 'Support' }).click();
  await desk.page.waitForURL((url) => url.pathname.includes(`/bots/${bot}`));
});

test('usage and quality show what was counted, as a chart and as a table', async () => {
  const run = (statement: ReturnType<typeof sql>) => stage.database.acrossWorkspaces.execute(statement);
  await run(sql`insert into usage_records
      (id, workspace_id, bot_id, channel, model, input_tokens, cached_input_tokens, output_tokens, cost_usd)
    values (${newId()}, ${desk.workspaceId}, ${bot}, 'widget', 'openai/gpt-4o', 1000, 0, 500, 1.25)`);
  await desk.go('/usage?by=channel');
  await desk.page.getByRole('img', { name: /Cost per day by channel. Website widget/ }).waitFor();
  await desk.page.getByRole('button', { name: 'Show as table' }).click();
  await desk.page.getByRole('columnheader', { name: 'Website widget' }).waitFor();
  await desk.page.getByRole('cell', { name: '$1.25' }).first().waitFor();
  const saved = desk.page.waitForEvent('download');
  await desk.page.getByRole('button', { name: 'Export CSV' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^usage-.*\.csv$/);

  await desk.go('/quality');
  await desk.page.getByRole('heading', { name: 'Grades are off for Support' }).waitFor();
  expect(desk.complaints.filter((text) => text.startsWith('policy'))).toEqual([]);
});
