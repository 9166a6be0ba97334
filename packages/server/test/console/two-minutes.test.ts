import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WatchedPage } from '../support/browser.ts';
import { chatWith } from '../support/chat.ts';
import { makeMember } from '../support/members.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let owner: WatchedPage;
let desk: Desk;
beforeAll(async () => {
  stage = await openConsole();
  // The link works only until somebody has an account, and the other tests make some.
  owner = await stage.browser.open();
  const { page } = owner;
  // Animations without an end keep the processor busy.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { search } = new URL(stage.app.setUpLink ?? '');
  await page.goto(`${stage.url}/setup${search}`);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await button(page, 'Create').click();
  await page.getByRole('heading', { name: 'What should your bot know?' }).waitFor();
  desk = await stage.signIn('operator');
});
afterAll(() => stage.stop());

const handbook = `# Handbook

## Returns

Goods can be returned within 30 days.

## Opened headphones

Opened headphones cannot be sent back.

## Shipping

Shipping is free above 50 euros.
`;

/** Requests that a page no longer needs when it is left. */
const isNoise = /ERR_ABORTED|closed before the connection/;
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const testPane = (page: Page) => page.getByRole('region', { name: 'Test', exact: true });

it('leads from the set-up link to an answer from an uploaded file, without a key', async () => {
  const { page, complaints } = owner;
  // There is no model that could make something of a description.
  expect(await button(page, 'Describe it instead').count()).toBe(0);
  const bots = await stage.call('GET /api/v1/bots');
  const picture = { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('x') };
  await page.locator('input[type=file]').setInputFiles(picture);
  await page.getByText('photo.png: Only .txt').waitFor();
  expect((await stage.call('GET /api/v1/bots')).body).toEqual(bots.body);
  const file = { name: 'staff_handbook.md', mimeType: 'text/markdown', buffer: Buffer.from(handbook) };
  await page.locator('input[type=file]').setInputFiles(file);

  await page.getByRole('heading', { name: 'Staff handbook' }).waitFor();
  const pane = testPane(page);
  await button(page, 'What does it say about “Opened headphones”?').click();
  await pane.getByText('Opened headphones cannot be sent back.').waitFor();
  await pane.getByRole('button', { name: 'Source 1' }).click();
  await pane
    .getByRole('blockquote')
    .filter({ hasText: 'Opened headphones cannot be sent back.' })
    .last()
    .waitFor();
  // The test is still there after a look at the passage.
  await pane.getByRole('blockquote').last().getByRole('link').click();
  await page.getByRole('region', { name: 'Passages' }).waitFor();
  await page.goBack();
  await pane.getByText('OPENAI_API_KEY').last().waitFor();
  await pane.getByRole('link', { name: 'Put it on your site' }).click();
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/widgets\/[0-9a-f-]{36}$/);
  expect(complaints.filter((complaint) => !isNoise.test(complaint))).toEqual([]);
});

it('runs the draft in the test, while the API gets the saved version until it is saved', async () => {
  const chat = chatWith(() => stage);
  const { page } = desk;
  const botId = await chat.bot({ chat_greeting: 'The saved greeting.\nOf two lines.' });
  await desk.go(`/bots/${botId}/prompt`);
  expect(await page.getByLabel('Greeting').inputValue()).toContain('\n');
  await page.getByLabel('Greeting').fill('The drafted greeting.');
  await page.getByText('Visitors still get version 1.').waitFor();
  const pane = testPane(page);
  await pane.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await pane.getByRole('textbox', { name: 'Message' }).press('Enter');
  await pane.getByText('The drafted greeting.').waitFor();
  expect(JSON.stringify((await chat.say({ bot_id: botId })).events)).toContain('The saved greeting.');

  // A fault that only the service finds is shown at its field, by the test and by a save.
  await page.getByRole('link', { name: 'Model', exact: true }).click();
  await page.getByLabel('Temperature').fill('7');
  await pane.getByRole('textbox', { name: 'Message' }).fill('Hello again');
  await pane.getByRole('textbox', { name: 'Message' }).press('Enter');
  await page.getByText('must be at most 2').first().waitFor();
  await page.getByLabel('Temperature').fill('0.2');

  await page.getByRole('link', { name: 'Bots', exact: true }).first().click();
  await button(page, 'Stay').click();
  await page.getByLabel('Temperature').press('ControlOrMeta+s');
  await page.getByText('Saved as version 2.').waitFor();
  expect(JSON.stringify((await chat.say({ bot_id: botId })).events)).toContain('The drafted greeting.');
  await page.getByRole('link', { name: 'Bots', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Bots' }).waitFor();
});

it('makes one bot of two clicks, takes all files that are dropped, and says which cannot be used', async () => {
  const { page, go, place } = desk;
  const countBots = async () => (await stage.call('GET /api/v1/bots')).body.length;
  const before = await countBots();
  // A second click makes no second bot.
  await go('/bots/new');
  await button(page, 'Start empty').click();
  await page.getByLabel('Name', { exact: true }).fill('Concierge');
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await countBots()).toBe(before);
  await button(page, 'Start empty').click();
  await button(page, 'Create').click();
  await page.getByRole('dialog').getByText('Must not be empty.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Concierge');
  await button(page, 'Create').dblclick();
  await page.getByRole('heading', { name: 'Concierge', exact: true }).waitFor();
  await go('/bots/new?from=copy');
  await page.getByRole('dialog').getByRole('button', { name: 'Concierge' }).dblclick();
  await page.getByRole('heading', { name: 'Concierge (copy)' }).waitFor();
  await go(place().replace(/\/prompt.*/, '/knowledge'));
  const files = Array.from({ length: 7 }, (_, index) => ({
    name: index === 3 ? 'photo.png' : `part-${index}.md`,
    mimeType: 'text/markdown',
    buffer: Buffer.from(`Part ${index}.`),
  }));
  await page.locator('input[type=file]').setInputFiles(files);
  await page
    .getByRole('alert')
    .getByText(/^photo\.png: Only/)
    .waitFor();
  await expect.poll(() => page.getByRole('link', { name: /^part-/ }).count()).toBe(6);
  expect(await countBots()).toBe(before + 2);
});

it('notices that somebody else has saved, and shows a viewer no controls', async () => {
  const chat = chatWith(() => stage);
  const botId = await chat.bot();
  const [grace, viewer] = await Promise.all([
    makeMember(stage, { role: 'operator', name: 'Grace Hopper' }),
    stage.signIn('viewer'),
  ]);
  await desk.go(`/bots/${botId}/prompt`);
  await desk.page.getByLabel('Description').fill('Mine.');
  const theirs = { description: 'Theirs.', chat_greeting: 'Their greeting.' };
  await grace.call(`PUT /api/v1/bots/${botId}`, { body: theirs });
  await button(desk.page, /^Save/).click();
  await desk.page.getByText('Grace Hopper saved version 2').waitFor();
  await button(desk.page, 'Keep mine').click();
  await button(desk.page, /^Save/).click();
  await desk.page.getByText('Saved as version 3.').waitFor();
  const { description, settings } = (await stage.call(`GET /api/v1/bots/${botId}`)).body;
  expect([description, JSON.parse(settings).chat_greeting]).toEqual(['Mine.', 'Their greeting.']);

  await viewer.go(`/bots/${botId}/prompt`);
  expect(await viewer.page.getByLabel('Description').getAttribute('readonly')).not.toBeNull();
  expect(await button(viewer.page, /^Save/).count()).toBe(0);
  expect(await testPane(viewer.page).count()).toBe(0);
});
