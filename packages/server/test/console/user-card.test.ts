import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { createWidget, openPage, type Page } from '../widgets/use-widget.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let scripted: ScriptedModel;
let stage: ConsoleStage;
let desk: Desk;
let site: Page;
const chat = chatWith(() => stage);

beforeAll(async () => {
  scripted = await startScriptedModel();
  stage = await openConsole({ environment: scriptedEnvironment(scripted) });
  scripted.respondWith(() => [text('Certainly.')]);
  // Wide enough for the list beside the card.
  desk = await stage.signIn('operator', { name: 'Ada Lovelace', device: 'wide' });
  site = openPage(stage, (await createWidget(stage)).api_key);
});
afterAll(async () => {
  await stage.stop();
  await scripted.close();
});

async function makeVisitor() {
  const { token, visitor_id: user } = await site.issueToken();
  const id = await site.say(token, { message: 'Where is my parcel?' });
  const report = (body: object) => site.call('POST /api/widget/visitor', { token, body });
  return { id, user, token, report };
}

const row = (id: string) => desk.page.locator(`[data-row='${id}']`);

it('has who the visitor is and where they are, and follows them', async () => {
  const { page } = desk;
  const { id, user, report } = await makeVisitor();
  await desk.go(`/conversations/${id}?panel=info`);
  const card = page.getByRole('region', { name: 'User' });
  await card.getByText(user).waitFor();
  const friendly = (await card.getByRole('heading', { level: 3 }).textContent()) ?? '';
  expect(friendly).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
  await row(id).getByText(friendly).waitFor();
  await page.getByRole('article', { name: friendly }).waitFor();

  await report({
    name: 'Mia Meyer',
    email: 'mia@example.com',
    page_url: 'https://shop.example.com/cart?token=secret',
    page_title: 'Your cart <b>',
  });
  await card.getByRole('heading', { name: '“Mia Meyer”' }).waitFor();
  await row(id).getByText('Mia Meyer').waitFor();
  await page.getByRole('article', { name: '“Mia Meyer”' }).waitFor();
  await page.locator('main header').getByRole('link', { name: '“Mia Meyer”' }).waitFor();
  await card.getByText('mia@example.com').waitFor();
  await card.getByText('Your cart <b>').waitFor();
  const link = card.getByRole('link', { name: 'shop.example.com/cart' });
  expect(await link.getAttribute('href')).toBe('https://shop.example.com/cart');
  expect(await link.getAttribute('rel')).toBe('noreferrer');
  await card.getByRole('button', { name: "Copy the user's id" }).waitFor();
  await report({ page_url: 'https://shop.example.com/checkout' });
  await card.getByRole('link', { name: 'shop.example.com/checkout' }).waitFor();
  await desk.go(`/conversations?user=${user}`);
  await page.getByRole('list', { name: 'Filters in use' }).getByText('“Mia Meyer”').waitFor();
  expect(desk.complaints).toEqual([]);
});

it('leads to the other conversations with the same person', async () => {
  const { page } = desk;
  const user = `person-${randomUUID()}`;
  const bot = await chat.bot();
  const say = (message: string) =>
    chat.say({ bot_id: bot, external_user_id: user, message, new_conversation: true });
  const { conversationId: first } = await say('The first question');
  await stage.call(`PATCH /api/v1/conversations/${first}`, { body: { state: 'resolved' } });
  const { conversationId: second } = await say('The second question');
  await desk.go(`/conversations/${second}?panel=info`);
  const card = page.getByRole('region', { name: 'User' });
  const others = card.getByRole('listitem');
  await expect.poll(() => others.count()).toBe(1);
  await others.getByText('resolved').waitFor();
  expect(await others.locator('time').count()).toBe(1);
  await card.getByRole('link', { name: 'The first question' }).click();
  await page.getByRole('region', { name: 'The first question' }).waitFor();
  expect(desk.place()).toBe(`/conversations/${first}?panel=info`);
  await card.getByRole('link', { name: 'The second question' }).waitFor();
  expect(await card.getByRole('link', { name: 'All of their conversations' }).count()).toBe(0);
  for (const question of ['third', 'fourth', 'fifth', 'sixth', 'seventh'])
    await say(`The ${question} question`);
  await page.reload();
  await expect.poll(() => others.count()).toBe(5);
  await card.getByRole('link', { name: 'All of their conversations' }).click();
  await expect.poll(() => page.locator('[data-row]').count()).toBe(7);
  expect(desk.complaints).toEqual([]);
});

it('lets people of the team correct the name and the address, and canned replies use it', async () => {
  const { page } = desk;
  const { id, user, report } = await makeVisitor();
  await report({ name: 'Mai', email: 'mai@example.com' });
  await desk.go(`/conversations/${id}?panel=info`);
  const card = page.getByRole('region', { name: 'User' });
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByLabel('Name').fill('Mia');
  await card.getByLabel('Email').fill('mia@shop');
  await card.getByRole('button', { name: 'Save' }).click();
  await card.getByText('Must be an email address').waitFor();
  await card.getByLabel('Email').fill('mai@example.com');
  // Meanwhile they correct it themselves: what was not changed here is not sent.
  await report({ email: 'mia@example.com' });
  await card.getByLabel('Email').press('Enter');
  await card.getByRole('heading', { name: '“Mia”', exact: true }).waitFor();
  await row(id).getByText('Mia', { exact: false }).waitFor();
  await page.getByRole('article', { name: '“Mia”', exact: true }).waitFor();
  expect((await stage.call(`GET /api/v1/end-users/${user}`)).body).toMatchObject({
    name: 'Mia',
    email: 'mia@example.com',
  });

  const greeting = {
    shortcut: `hi-${randomUUID().slice(0, 8)}`,
    text: 'Hello {{user}}, this is {{operator}}.',
  };
  await stage.call('POST /api/v1/canned-replies', { body: greeting });
  const field = page.getByLabel('Reply as a person');
  await field.press('/');
  await page.getByRole('menuitem', { name: new RegExp(greeting.shortcut) }).click();
  await expect.poll(() => field.inputValue()).toBe('Hello Mia, this is Ada Lovelace.');

  const viewer = await stage.signIn('viewer', { name: 'Alan Turing' });
  await viewer.go(`/conversations/${id}?panel=info`);
  const seen = viewer.page.getByRole('region', { name: 'User' });
  await seen.getByRole('heading', { name: '“Mia”', exact: true }).waitFor();
  expect(await seen.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  expect(desk.complaints.splice(0)).toEqual([expect.stringContaining('400 (Bad Request)')]);
  expect(viewer.complaints).toEqual([]);
});

it('does not let a name pass for anything else', async () => {
  const { page } = desk;
  const { id, report } = await makeVisitor();
  await report({
    name: '<img src=x onerror=alert(1)> \u202Egnp.exe',
    page_url: 'https://shop.example.com/',
    page_title: '[here](https://evil.example.com)',
  });
  await desk.go(`/conversations/${id}?panel=info`);
  const card = page.getByRole('region', { name: 'User' });
  await card.getByRole('heading', { name: '<img src=x onerror=alert(1)> gnp.exe' }).waitFor();
  expect(await card.locator('img').count()).toBe(0);
  expect(await card.getByRole('link').count()).toBe(1);
  expect(desk.complaints).toEqual([]);
});

it('is where a bot’s widget asks and when people are there', async () => {
  const { page } = desk;
  const bot = await chat.bot({ name: 'Hours' });
  await desk.go(`/widgets/${bot}`);
  await page.getByRole('button', { name: /Ask for name and email/ }).click();
  await page.getByRole('option', { name: /outside office hours/ }).click();
  await page.getByText('Without office hours, nobody is asked.').waitFor();
  await page.getByRole('switch', { name: /Office hours/ }).press('Space');
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  const monday = page.getByLabel('Monday');
  expect(await monday.inputValue()).toBe('09:00–17:00');
  await monday.fill('9-12, 13-24');
  await page.getByLabel('Friday').fill('');
  await page.getByLabel('Saturday').fill('late');
  await page.getByLabel('Text outside of these times').fill('Back on Monday.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Must be a time such as 09:00').waitFor();
  expect(await page.getByLabel('Saturday').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Saturday').fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved. Sites show it within a minute.').waitFor();
  expect(await monday.inputValue()).toBe('09:00–12:00, 13:00–24:00');
  const { body } = await stage.call(`GET /api/v1/widgets/customization?bot_id=${bot}`);
  const workday = (day: string) => ({ day, opens: '09:00', closes: '17:00' });
  expect(body).toMatchObject({
    ask_details: 'outside_hours',
    office_hours: {
      time_zone: 'Europe/Berlin',
      closed_text: 'Back on Monday.',
      opening_times: [
        { day: 'monday', opens: '09:00', closes: '12:00' },
        { day: 'monday', opens: '13:00', closes: '24:00' },
        ...['tuesday', 'wednesday', 'thursday'].map(workday),
      ],
    },
  });
  expect(desk.complaints.splice(0)).toEqual([expect.stringContaining('400 (Bad Request)')]);
});
