import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith } from '../support/chat.ts';
import { type ConsoleStage, type Desk, devices, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let desk: Desk;
const chat = chatWith(() => stage);

beforeAll(async () => {
  stage = await openConsole();
  desk = await stage.signIn('owner');
});
afterAll(() => stage.stop());

it('a search stays in its field while its results arrive', async () => {
  const { page } = desk;
  await desk.go('/conversations');
  const field = page.getByLabel('Search conversations');
  await field.click();
  await page.keyboard.type('par');
  await expect.poll(() => desk.place()).toBe('/conversations?q=par');
  await page.keyboard.type('cel');
  await expect.poll(() => desk.place()).toBe('/conversations?q=parcel');
});

it('a search that was opened elsewhere is shown in the field', async () => {
  const { page } = desk;
  await desk.go('/conversations');
  await page.getByLabel('Search conversations').waitFor();
  for (const text of ['refund', 'parcel']) {
    await page.keyboard.press('Control+k');
    await page.getByLabel('Pages, names, actions, or an id').fill(text);
    await page.getByRole('menuitem', { name: `Search conversations for “${text}”` }).click();
    await expect.poll(() => page.getByLabel('Search conversations').inputValue()).toBe(text);
  }
});

it('a form that is being sent is not sent again by Enter', async () => {
  const { page } = desk;
  await desk.go('/settings/workspace');
  let sent = 0;
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/console/workspace', async (route) => {
    sent += 1;
    await isReleased;
    await route.continue();
  });
  const name = page.getByLabel('Name').first();
  await name.fill('Acme');
  await name.press('Enter');
  await expect.poll(() => sent).toBe(1);
  await name.press('Enter');
  await name.press('Enter');
  release();
  await page.getByText('The workspace was renamed.').waitFor();
  expect(sent).toBe(1);
});

it('tracing is switched on, and nothing else of the bot is switched off', async () => {
  const { page } = desk;
  const botId = await chat.bot({ enable_confidence_scoring: true });
  const { conversationId, turnId } = await chat.say({ bot_id: botId });
  await desk.go(`/conversations/${conversationId}?panel=trace&turn=${turnId}`);
  await page.getByRole('button', { name: 'Trace from now on' }).click();
  await page.getByText(/The next turns of .* are traced/).waitFor();
  const { body } = await stage.call(`GET /api/v1/bots/${botId}`);
  expect(JSON.parse(body.settings)).toMatchObject({
    enable_agent_tracing: true,
    enable_confidence_scoring: true,
  });
});

it('a message at the edge covers neither the tabs nor what sends or saves, and lets presses through', async () => {
  const { page, call, go } = await stage.signIn('owner');
  const body = { name: 'Support', system_prompt: 'You help.' };
  const { body: bot } = await call('POST /api/v1/bots', { body });
  for (const [device, temperature] of [
    ['desktop', '0.3'],
    ['phone', '0.4'],
  ] as const) {
    await page.setViewportSize(devices[device]);
    await go(`/bots/${bot.id}/model`);
    await page.getByLabel('Temperature').fill(temperature);
    await page.getByLabel('Temperature').press('ControlOrMeta+s');
    const toast = page.getByRole('alertdialog').filter({ hasText: 'Saved as version' });
    await toast.waitFor();
    const boxOf = async (one: Locator) => {
      const box = await one.boundingBox();
      if (!box) throw new Error('It is not shown.');
      return box;
    };
    const message = await boxOf(toast);
    const others = [
      page.getByRole('navigation', { name: 'Parts of the bot' }),
      page.getByRole('button', { name: /^Save/ }),
    ];
    if (device === 'desktop') others.push(page.getByRole('button', { name: 'Send' }));
    for (const other of others) {
      const { x, y, width, height } = await boxOf(other);
      const isApart =
        x + width <= message.x ||
        message.x + message.width <= x ||
        y + height <= message.y ||
        message.y + message.height <= y;
      expect(isApart, `${device}: ${await other.innerText()}`).toBe(true);
    }
    const hit = ({ x, y }: { x: number; y: number }) =>
      document.elementFromPoint(x + 4, y + 4)?.closest('[role=alertdialog]') ?? null;
    expect(await page.evaluate(hit, message)).toBeNull();
    await toast.getByRole('button', { name: 'Close' }).click();
    await toast.waitFor({ state: 'detached' });
  }
});

it('the menu knows the theme that was chosen on the profile', async () => {
  const { page } = desk;
  await desk.go('/settings/profile');
  await page.getByText('Dark', { exact: true }).click();
  await page.getByRole('button', { name: `You: ${desk.name}` }).click();
  await page.getByRole('menuitem', { name: 'Theme: dark' }).click();
  await expect.poll(() => page.getByRole('radio', { name: 'As the system' }).isChecked()).toBe(true);
});

it('a question over a table leads nowhere, and forgets its error', async () => {
  const { page } = desk;
  const source = { content_type: 'text', title: 'Opening hours', content: 'We are open on Monday.' };
  const { id } = (await desk.call('POST /api/v1/knowledge', { body: source })).body;
  await desk.call(`DELETE /api/v1/knowledge/${id}`);
  await desk.go('/knowledge?deleted=1');
  const ask = async () => {
    await page.getByRole('button', { name: 'Actions for Opening hours' }).click();
    await page.getByRole('menuitem', { name: /^Delete for good/ }).click();
  };
  await ask();
  const question = page.getByRole('alertdialog');
  await question.getByText('Answers that cite it keep their quotes.').click();
  expect(desk.place()).toBe('/knowledge?deleted=1');

  await page.route(`**/api/v1/knowledge/${id}*`, (route) => route.abort());
  await question.getByRole('button', { name: 'Delete' }).click();
  await question.getByRole('alert').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.unroute(`**/api/v1/knowledge/${id}*`);
  await ask();
  expect(await question.getByRole('alert').count()).toBe(0);
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Nothing is deleted').waitFor();
});
