import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ChatState } from '../../src/client/chat-state.ts';
import { type Gallery, openGallery, sizes } from './open-gallery.ts';

let gallery: Gallery;
beforeAll(async () => {
  gallery = await openGallery();
});
beforeEach(() => gallery.page.setViewportSize(sizes.desktop));
afterAll(() => gallery.close());

const calls = () => gallery.page.evaluate(() => window.stage.calls);
const setState = (changes: Partial<ChatState>) =>
  gallery.page.evaluate((state) => window.stage.setState(state), changes);
const focused = () =>
  gallery.page.evaluate(() => {
    const element = document.querySelector('svc-widget')?.shadowRoot?.activeElement;
    return element?.ariaLabel ?? element?.textContent;
  });
const list = () => gallery.page.getByRole('region', { name: 'Earlier conversations' });

async function openList(scene: string): Promise<void> {
  await gallery.show(scene);
  await list().waitFor();
  await expect.poll(focused).toBe('Earlier conversations');
}

test('takes the place of the messages, newest first, with what is known of each', async () => {
  await openList('history');
  const items = list().getByRole('listitem');
  const lines = (await items.allInnerTexts()).map((text) => text.split('\n'));
  expect(lines.map(([title]) => title)).toEqual([
    'Can I send headphones back after I opened the box?',
    'The parcel is still not here.',
    'Conversation',
    'أين طلبي رقم 4711؟',
    expect.stringMatching(/^I ordered two pairs/),
  ]);
  expect(lines[0]?.[1]).toMatch(/^\w{3} \d+, \d{4}, \d+:\d\d/);
  expect(lines.map(([, note]) => note?.split(' · ')[1])).toEqual([
    undefined,
    'A person has been asked',
    'You are now talking to a person',
    undefined,
    undefined,
  ]);
  expect(await list().locator('[aria-current=true]').innerText()).toContain('headphones back');
  expect(await gallery.page.getByRole('log').isVisible()).toBe(false);
  expect(await gallery.page.getByLabel('Your message').isVisible()).toBe(false);
});

test.each([
  ['the button', async () => list().getByRole('button', { name: 'Back to the chat' }).click()],
  ['Escape', async () => gallery.page.keyboard.press('Escape')],
  [
    'the conversation that is shown',
    async () => list().getByRole('button', { name: 'headphones back' }).click(),
  ],
])('gives the focus and the draft back: %s', async (_name, leave) => {
  await openList('history');
  await gallery.page.evaluate(() => {
    const field = document.querySelector('svc-widget')?.shadowRoot?.querySelector('textarea');
    if (!field) return;
    field.value = 'And if';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await leave();
  expect(await list().count()).toBe(0);
  await expect.poll(focused).toBe('More options');
  expect(await gallery.page.getByLabel('Your message').inputValue()).toBe('And if');
  expect(await gallery.page.locator('.panel').isVisible()).toBe(true);
  expect((await calls()).filter((call) => call.startsWith('show'))).toEqual([]);
});

test('shows the chosen conversation, and puts the visitor where they can write', async () => {
  const { page } = gallery;
  await openList('history');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await calls()).toContainEqual(expect.stringMatching(/^show "c\d+"$/));
  await setState({ thread: {} });
  await expect.poll(() => list().count()).toBe(0);
  await expect.poll(focused).toBe('Your message');
});

test('gives way to a new conversation, and to another visitor', async () => {
  const { page } = gallery;
  await openList('history');
  await page.getByRole('button', { name: 'More options' }).click();
  await page.getByRole('button', { name: 'New conversation' }).click();
  expect(await calls()).toContain('startNewConversation');
  await setState({ thread: {} });
  await page.getByLabel('Your message').waitFor();
  expect(await list().count()).toBe(0);
  await expect.poll(focused).toBe('Your message');
});

test('says that it loads, that there is nothing, and that it failed, and tries again', async () => {
  const { page } = gallery;
  await openList('history-loading');
  expect(await list().getByRole('status').textContent()).toBe('Loading…');
  await openList('history-empty');
  await expect
    .poll(() => list().getByRole('status').textContent())
    .toBe('Nothing here yet. Your conversations will be kept here.');
  await openList('history-failed');
  const alert = list().getByRole('alert');
  await expect.poll(() => alert.textContent()).toBe('The chat cannot be reached right now.');
  await page.evaluate(() => {
    const scene = window.scenes['history-failed'];
    if (scene) scene.history = window.scenes['history']?.history ?? [];
  });
  await list().getByRole('button', { name: 'Try again' }).click();
  expect(await focused()).toBe('Earlier conversations');
  await expect.poll(() => list().getByRole('listitem').count()).toBe(5);
  expect(await list().getByRole('button', { name: 'Try again' }).isVisible()).toBe(false);
});

test('is gone when the panel opens again, and keeps the focus where that covers the screen', async () => {
  const { page } = gallery;
  await openList('history');
  await page.evaluate(() => {
    window.stage.panel.close();
    window.stage.panel.open();
  });
  expect(await list().count()).toBe(0);
  expect(await focused()).toBe('Your message');
  await page.setViewportSize(sizes.phone);
  await openList('history');
  await list().getByRole('listitem').last().getByRole('button').focus();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('More options');
  await page.keyboard.press('Shift+Tab');
  expect(await focused()).toContain('I ordered two pairs');
});

test('is offered to visitors who may have written, also in an empty conversation', async () => {
  const menu = gallery.page.getByRole('button', { name: 'More options' });
  await gallery.show('greeting');
  expect(await menu.count()).toBe(0);
  await setState({ isKnown: true });
  await menu.waitFor();
});
